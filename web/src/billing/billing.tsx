// Billing settings of a Workspace: plan, seats, entitlements, credits and invoices. Payments happen on the provider's
// own pages.
import "../messages/later/billing.ts";
import "../messages/later/settings.ts";
import type { Client } from "@svc/client";
import { t, tn } from "../messages/t.ts";
import { Block, NotYours, Row, Rows, useManages } from "../settings/elements/form-elements.tsx";
import { useHome } from "../store/current-member.ts";
import { useReading } from "../store/page-query.ts";
import { useReplica } from "../store/react.ts";
import { dayText, today } from "../ui/formats/dates.ts";
import { Unread } from "../ui/page.tsx";
import { Buying, Confirmation, Managing, TopUp } from "./purchase.tsx";
import { bytesText, moneyText } from "./words.ts";

export type Settings = Awaited<ReturnType<Client["getBillingSettings"]>>;

export default function BillingSettings() {
  const { member } = useReplica();
  const manages = useManages();
  const { value, failed, again } = useReading(
    "billing",
    (api) => api.getBillingSettings({ workspace_id: member.workspaceId }),
    { on: /^(?:workspace|member)$/ },
  );
  if (!value) return <Unread failed={failed} again={() => void again()} />;
  const isSold = value.provider !== "none";
  const isBought = value.subscription_ref !== null && value.state !== "ended";
  return (
    <>
      <Confirmation settled={() => void again()} />
      {isSold && !manages && <NotYours />}
      {isSold ? <Plan value={value} /> : <Block title={t("billing.included")} lead={t("billing.includedLead")} />}
      <Gives value={value} />
      {isSold && manages && (
        <>
          {value.subscription_ref !== null && <Managing />}
          {!isBought && <Buying />}
          {value.credits !== null && <TopUp left={value.credits} />}
          <Invoices value={value} />
        </>
      )}
      {isSold && !manages && value.credits !== null && (
        <Block title={t("billing.credits")} lead={t("billing.creditsLead")}>
          <p>{tn("billing.left", value.credits)}</p>
        </Block>
      )}
    </>
  );
}

function Plan({ value: { plan, state } }: { value: Settings }) {
  const look = { active: "text-good", past_due: "text-bad", grace: "text-bad", ended: "text-bad" }[state];
  return (
    <Block title={t("billing.plan")}>
      <p data-plan={plan} data-state={state}>
        <span className="text-16 font-semibold">{t(`billing.${plan}`)}</span>{" "}
        <span className={look}>· {t(`billing.${state}`)}</span>
      </p>
      {state !== "active" && <p className="mt-1 text-soft">{t(`billing.${state}Lead`)}</p>}
    </Block>
  );
}

/** Entitlements of the plan and how much of each is used. */
function Gives({ value: { seats, entitlements } }: { value: Settings }) {
  const locale = useHome()?.locale;
  const number = new Intl.NumberFormat(locale);
  const most = (count: number | null, text: string) =>
    count === null ? t("billing.unlimited") : t("billing.upTo", { most: text });
  const { storage, agents } = entitlements;
  const rows = [
    [
      "seats",
      seats.limit === null
        ? t("billing.seatsUsed", { used: number.format(seats.used) })
        : t("billing.seatsOf", { used: number.format(seats.used), limit: number.format(seats.limit) }),
    ],
    ["storage", most(storage, storage === null ? "" : bytesText(storage, locale))],
    ["agents", most(agents, number.format(agents ?? 0))],
    ...(["workspace_knowledge", "discuss"] as const).map(
      (name) => [name, t(entitlements[name] ? "billing.yes" : "billing.no")] as const,
    ),
  ] as const;
  return (
    <dl className="mb-8 grid gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-2">
      {rows.map(([name, text]) => (
        <div key={name} data-gives={name} className="bg-page px-3 py-2 sm:last:odd:col-span-2">
          <dt className="text-12 text-soft">{t(`billing.${name}`)}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

function Invoices({ value: { invoices } }: { value: Settings }) {
  const home = useHome();
  const now = today(home?.timezone);
  return (
    <Block title={t("billing.invoices")}>
      {invoices.length === 0 ? (
        <p className="text-soft">{t("billing.noInvoices")}</p>
      ) : (
        <Rows label={t("billing.invoices")}>
          {invoices.map(({ ref, amount, currency, state, url, issued_at }) => {
            const words = t("billing.invoice", { day: dayText(issued_at.slice(0, 10), now, home?.locale) });
            return (
              <Row key={ref} tools={<span className="text-soft">{t(`billing.${state}`)}</span>}>
                {url === null ? (
                  words
                ) : (
                  <a className="link" href={url} rel="noreferrer" target="_blank">
                    {words}
                  </a>
                )}{" "}
                · {moneyText(amount, currency, home?.locale)}
              </Row>
            );
          })}
        </Rows>
      )}
    </Block>
  );
}
