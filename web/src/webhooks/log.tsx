// Delivery log of an endpoint; polls while a delivery is in progress.
import type { Client } from "@svc/client";
import { useEffect, useState } from "react";
import { t } from "../messages/t.ts";
import { Select, useAct } from "../settings/elements/form-elements.tsx";
import { useHome } from "../store/current-member.ts";
import { useReading } from "../store/page-query.ts";
import { useReplica } from "../store/react.ts";
import { Button } from "../ui/controls.tsx";
import { momentText } from "../ui/formats/dates.ts";
import { Unread } from "../ui/page.tsx";
import type { EndpointRow } from "./endpoint-row.ts";

type Delivery = Awaited<ReturnType<Client["listWebhookDeliveries"]>>["items"][number];
const states = ["queued", "delivered", "failed", "dropped"] as const;
type State = (typeof states)[number];
const PAGE = 20;
const LOOK_MS = 1500;
/** An attempt within this time counts as in progress. */
const SOON_MS = 30_000;
const isSoon = ({ next_attempt_at }: Delivery) =>
  next_attempt_at !== null && Date.parse(next_attempt_at) < Date.now() + SOON_MS;

export function Log({ endpoint: { id, name, enabled } }: { endpoint: EndpointRow }) {
  const [state, setState] = useState<State | "">("");
  const [pages, setPages] = useState(1);
  const { value, failed, again } = useReading(`webhook-log:${id}:${state}:${pages}`, (client) =>
    client.listWebhookDeliveries({ endpoint_id: id, limit: PAGE * pages, ...(state && { state }) }),
  );
  const waits = value?.items.some(isSoon) ?? false;
  useEffect(() => {
    if (!waits) return;
    const timer = setInterval(() => void again(), LOOK_MS);
    return () => clearInterval(timer);
  }, [waits, again]);
  return (
    <section aria-label={`${t("webhooks.log")}: ${name}`} className="my-3">
      <div className="mb-2 max-w-60">
        <Select
          label={t("webhooks.shown")}
          value={state}
          onChange={(event) => setState(event.target.value as State | "")}
          options={[["", t("webhooks.all")], ...states.map((each) => [each, t(`webhooks.state.${each}`)] as const)]}
        />
      </div>
      {!value ? (
        <Unread failed={failed} again={() => void again()} rows={2} />
      ) : value.items.length === 0 ? (
        <p className="text-soft">{t("webhooks.nothing")}</p>
      ) : (
        <ul className="divide-y divide-line">
          {value.items.map((delivery) => (
            <Sent key={delivery.id} delivery={delivery} canReplay={enabled} again={again} />
          ))}
        </ul>
      )}
      {value?.has_more && PAGE * pages < 100 && (
        <Button look="quiet" onClick={() => setPages(pages + 1)}>
          {t("webhooks.older")}
        </Button>
      )}
    </section>
  );
}

function Sent({ delivery, canReplay, again }: { delivery: Delivery; canReplay: boolean; again: () => Promise<void> }) {
  const { api } = useReplica();
  const home = useHome();
  const { act, said } = useAct(t("webhooks.replayed"));
  const { id, action, state, attempts, status_code, duration_ms, error_code, created_at, next_attempt_at } = delivery;
  const when = (moment: string) => momentText(moment, home?.locale, home?.timezone);
  const look = state === "delivered" ? "text-good" : state === "queued" ? "" : "text-bad";
  return (
    <li className="flex flex-wrap items-center gap-x-3 py-1" data-delivery={state}>
      <div className="min-w-0 flex-1 basis-48">
        <p className="break-words">
          <code>{action}</code> <span className={look}>{t(`webhooks.state.${state}`)}</span>
        </p>
        <p className="text-12 text-soft">
          {[
            when(created_at),
            t("webhooks.attempts", { count: attempts }),
            status_code !== null && String(status_code),
            duration_ms !== null && `${duration_ms} ms`,
            error_code !== null && t(`webhooks.error.${error_code}`),
            next_attempt_at !== null && attempts > 0 && t("webhooks.next", { when: when(next_attempt_at) }),
          ]
            .filter(Boolean)
            .join(" · ")}
        </p>
      </div>
      {said}
      {canReplay && (
        <Button
          look="quiet"
          aria-label={`${t("webhooks.replay")}: ${action}, ${when(created_at)}`}
          onClick={() =>
            void act(async () => {
              await api.replayWebhookDelivery({ delivery_id: id });
              await again();
            })
          }
        >
          {t("webhooks.replay")}
        </Button>
      )}
    </li>
  );
}
