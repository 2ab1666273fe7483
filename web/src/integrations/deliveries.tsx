// Recent deliveries of a connection and their states; polls while one is waiting. Payloads are not shown.
import type { Client } from "@svc/client";
import { useEffect, useState } from "react";
import { t, why } from "../messages/t.ts";
import { Block, Row, Rows, Select, useAct } from "../settings/elements/form-elements.tsx";
import { useHome } from "../store/current-member.ts";
import { useReading } from "../store/page-query.ts";
import { useReplica } from "../store/react.ts";
import { Button } from "../ui/controls.tsx";
import { momentText } from "../ui/formats/dates.ts";
import { Unread } from "../ui/page.tsx";
import type { Installation } from "./words.tsx";

type Delivery = Awaited<ReturnType<Client["listIntegrationDeliveries"]>>["items"][number];
const states = ["waiting", "done", "ignored", "failed"] as const;
type Wanted = (typeof states)[number] | "";
const PAGE = 20;
const MOST = 100;
const LOOK_MS = 1500;

export function Deliveries({ installation: { id, state } }: { installation: Installation }) {
  const [shown, setShown] = useState(PAGE);
  const [wanted, setWanted] = useState<Wanted>("");
  const { value, failed, again } = useReading(`integration-deliveries:${id}:${wanted}:${shown}`, (client) =>
    client.listIntegrationDeliveries({ installation_id: id, limit: shown, ...(wanted && { state: wanted }) }),
  );
  const waits = value?.items.some((each) => each.state === "waiting") ?? false;
  useEffect(() => {
    if (!waits) return;
    const timer = setInterval(() => void again(), LOOK_MS);
    return () => clearInterval(timer);
  }, [waits, again]);
  return (
    <Block
      title={t("integrations.deliveries")}
      lead={t("integrations.deliveriesLead")}
      aside={
        <Button look="quiet" onClick={() => void again()}>
          {t("integrations.deliveriesAgain")}
        </Button>
      }
    >
      <div className="mb-2 max-w-60">
        <Select
          label={t("integrations.deliveriesShown")}
          value={wanted}
          onChange={(event) => {
            setWanted(event.target.value as Wanted);
            setShown(PAGE);
          }}
          options={[
            ["", t("integrations.deliveriesAll")],
            ...states.map((each) => [each, t(`integrations.delivery.${each}`)] as const),
          ]}
        />
      </div>
      {!value ? (
        <Unread failed={failed} again={() => void again()} rows={3} />
      ) : value.items.length === 0 ? (
        <p className="text-soft">{t(wanted ? "integrations.noSuchDeliveries" : "integrations.noDeliveries")}</p>
      ) : (
        <Rows label={t("integrations.deliveries")}>
          {value.items.map((each) => (
            <Delivered key={each.id} delivery={each} isOver={state === "revoked"} again={again} />
          ))}
        </Rows>
      )}
      {value?.has_more && shown < MOST && (
        <Button look="quiet" onClick={() => setShown(shown + PAGE)}>
          {t("integrations.olderDeliveries")}
        </Button>
      )}
    </Block>
  );
}

const looks = { waiting: "", done: "text-good", ignored: "text-soft", failed: "text-bad" };
interface Props {
  delivery: Delivery;
  /** True if the connection was revoked: its deliveries are no longer processed. */
  isOver: boolean;
  again: () => Promise<void>;
}
function Delivered({ delivery, isOver, again }: Props) {
  const { api } = useReplica();
  const home = useHome();
  const { act, busy, said } = useAct(t("integrations.replayed"));
  const { id, action, resource, state, attempts, error_code, received_at, replayable } = delivery;
  const when = momentText(received_at, home?.locale, home?.timezone);
  const replay = async () => {
    await api.replayIntegrationDelivery({ integration_delivery_id: id });
    await again();
  };
  return (
    <Row
      tools={
        <>
          {said}
          {replayable && !isOver && (
            <Button
              look="quiet"
              aria-label={`${t("integrations.replay")}: ${action}, ${when}`}
              aria-disabled={busy || undefined}
              onClick={() => void act(replay)}
            >
              {t("integrations.replay")}
            </Button>
          )}
        </>
      }
    >
      <p className="break-words" data-delivery={state} data-replays={delivery.replays}>
        <code>{action}</code> <span className={looks[state]}>{t(`integrations.delivery.${state}`)}</span>
      </p>
      <p className="text-12 text-soft">
        {[
          when,
          resource?.kind !== "endpoint" && resource?.name,
          attempts > 1 && t("integrations.attempts", { count: attempts }),
          error_code !== null && why(error_code),
          state !== "waiting" && !replayable && t("integrations.erased"),
        ]
          .filter(Boolean)
          .join(" · ")}
      </p>
    </Row>
  );
}
