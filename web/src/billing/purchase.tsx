// Redirects to the billing provider (buy a plan, change it, buy credits), and confirms the checkout when the customer
// returns.
import { useEffect, useState } from "react";
import { t, tn } from "../messages/t.ts";
import { go, useAddress } from "../router.tsx";
import { Block, Row, Rows, Select, SettingsForm, useAct } from "../settings/elements/form-elements.tsx";
import { useHome } from "../store/current-member.ts";
import { useReading } from "../store/page-query.ts";
import { useReplica } from "../store/react.ts";
import { Button } from "../ui/controls.tsx";
import { moneyText } from "./words.ts";

const here = () => ({ return_path: location.pathname });
const leave = ({ url }: { url: string | null }) => {
  if (url !== null) location.assign(url);
};
const usePlans = () => useReading("billing-plans", (api) => api.listBillingPlans());

export function Managing() {
  const { api, member } = useReplica();
  const { act, busy, said } = useAct();
  const open = async () => leave(await api.createBillingPortalSession({ workspace_id: member.workspaceId, ...here() }));
  return (
    <Block title={t("billing.manage")} lead={t("billing.manageLead")} aside={said}>
      <Button aria-disabled={busy || undefined} onClick={() => void act(open)}>
        {t("billing.manageAction")}
      </Button>
    </Block>
  );
}

export function Buying() {
  const { api, member } = useReplica();
  const locale = useHome()?.locale;
  const { act, busy, said } = useAct();
  const { value } = usePlans();
  if (!value || value.items.length === 0) return null;
  return (
    <Block title={t("billing.buy")} lead={t("billing.buyLead")} aside={said}>
      <Rows label={t("billing.buy")}>
        {value.items.map(({ key, name, amount, currency, interval }) => (
          <Row
            key={key}
            tools={
              <Button
                look="first"
                aria-disabled={busy || undefined}
                onClick={() =>
                  void act(async () =>
                    leave(
                      await api.createCheckoutSession({
                        workspace_id: member.workspaceId,
                        plan: key as "team" | "business",
                        ...here(),
                      }),
                    ),
                  )
                }
              >
                {t("billing.buyAction", { plan: name })}
              </Button>
            }
          >
            <p className="font-medium">{name}</p>
            <p className="text-12 text-soft">
              {t("billing.price", { amount: moneyText(amount, currency, locale), interval: t(`billing.${interval}`) })}
            </p>
          </Row>
        ))}
      </Rows>
    </Block>
  );
}

const PACKS = [1, 5, 10, 50];
export function TopUp({ left }: { left: number }) {
  const { api, member } = useReplica();
  const locale = useHome()?.locale;
  const credits = usePlans().value?.credits;
  const number = new Intl.NumberFormat(locale);
  const packs = PACKS.map((count) => {
    if (!credits) return ["", ""] as const;
    const [many, amount] = [count * credits.credits, moneyText(count * credits.amount, credits.currency, locale)];
    return [String(many), t("billing.pack", { credits: number.format(many), amount })] as const;
  });
  return (
    <Block title={t("billing.credits")} lead={t("billing.creditsLead")}>
      <p className="mb-3" data-credits={left}>
        {tn("billing.left", left)}
      </p>
      {credits && (
        <SettingsForm
          label={t("billing.credits")}
          action={t("billing.topUp")}
          send={async (values) =>
            leave(
              await api.topUpKnowledgeCredits({
                workspace_id: member.workspaceId,
                credits: Number(values.credits),
                ...here(),
              }),
            )
          }
        >
          <Select name="credits" label={t("billing.packs")} options={packs} />
        </SettingsForm>
      )}
    </Block>
  );
}

const AGAIN_MS = 1500;
/** Polls the checkout named in the address: the provider confirms it shortly after the browser returns. */
export function Confirmation({ settled }: { settled: () => void }) {
  const id = useAddress().searchParams.get("checkout");
  const { api } = useReplica();
  const [state, setState] = useState<"open" | "completed" | "expired" | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each checkout, whoever draws this.
  useEffect(() => {
    if (id === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async () => {
      const found = await api.getWorkspaceCheckout({ checkout_id: id }).catch(() => null);
      setState(found?.state ?? null);
      if (found?.state === "open") timer = setTimeout(read, AGAIN_MS);
      else {
        go(location.pathname, { replace: true });
        settled();
      }
    };
    void read();
    return () => clearTimeout(timer);
  }, [id]);
  if (state === null) return null;
  const words = { open: "billing.confirming", completed: "billing.confirmed", expired: "billing.expired" } as const;
  return (
    <p role="status" data-checkout={state} className="mb-6 rounded-lg bg-sunken p-3">
      {t(words[state])}
    </p>
  );
}
