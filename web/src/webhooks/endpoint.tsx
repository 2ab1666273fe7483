// Webhook endpoint: state, commands and delivery log.
import { useEffect, useState } from "react";
import { t } from "../messages/t.ts";
import { Row, Secret, Sure, Tick, useAct } from "../settings/elements/form-elements.tsx";
import { useHome } from "../store/current-member.ts";
import { useReading } from "../store/page-query.ts";
import { useReplica } from "../store/react.ts";
import { Button } from "../ui/controls.tsx";
import { momentText } from "../ui/formats/dates.ts";
import type { EndpointRow } from "./endpoint-row.ts";
import { EndpointForm, type Wanted } from "./form.tsx";
import { Log } from "./log.tsx";

export function Endpoint({ endpoint, again }: { endpoint: EndpointRow; again: () => Promise<void> }) {
  const { api, member } = useReplica();
  const [open, setOpen] = useState<"log" | "form" | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  /** Id of the last test delivery: a new one reloads the log. */
  const [tested, setTested] = useState<string | null>(null);
  const { act, said } = useAct();
  const testing = useAct("");
  const { id, name, url, enabled, disabled_reason, created_by_actor_id } = endpoint;
  const at = { endpoint_id: id };
  const toggle = (what: "log" | "form") => setOpen(open === what ? null : what);
  const change = async (wanted: Partial<Wanted> & { enabled?: boolean; created_by_actor_id?: string }) => {
    await api.updateWebhookEndpoint({ ...at, ...wanted }, { at: endpoint });
    await again();
  };
  /** Takes over an endpoint; enables it if it was disabled because its creator left. */
  const takeOver = () =>
    change({ created_by_actor_id: member.actorId, ...(disabled_reason === "creator_left" && { enabled: true }) });
  async function rotate() {
    setSecret((await api.rotateWebhookSecret(at)).secret);
    await again();
  }
  async function test() {
    setTested((await api.testWebhookEndpoint(at)).id);
    setOpen("log");
  }
  return (
    <Row
      below={
        <>
          {said}
          {testing.said}
          {tested && <Tested key={tested} id={tested} />}
          {secret && <Secret value={secret} help={t("webhooks.rotated")} />}
          {open === "form" && (
            <div className="my-3">
              <EndpointForm
                label={named("webhooks.change", name)}
                action={t("webhooks.save")}
                send={change}
                before={endpoint}
              />
            </div>
          )}
          {open === "log" && <Log key={tested} endpoint={endpoint} />}
        </>
      }
      tools={
        <>
          <Button
            look="quiet"
            aria-expanded={open === "log"}
            aria-label={named("webhooks.log", name)}
            onClick={() => toggle("log")}
          >
            {t("webhooks.log")}
          </Button>
          <Button
            look="quiet"
            aria-expanded={open === "form"}
            aria-label={named("webhooks.change", name)}
            onClick={() => toggle("form")}
          >
            {t("webhooks.change")}
          </Button>
          {enabled && (
            <Button look="quiet" aria-label={named("webhooks.test", name)} onClick={() => void testing.act(test)}>
              {t("webhooks.test")}
            </Button>
          )}
          {created_by_actor_id !== member.actorId && <Sure label={t("webhooks.takeOver")} name={name} run={takeOver} />}
          <Sure label={t("webhooks.rotate")} name={name} run={rotate} />
          <Sure label={t("webhooks.delete")} name={name} run={() => api.deleteWebhookEndpoint(at).then(again)} />
        </>
      }
    >
      <p className="font-medium break-words">{name}</p>
      <p className="text-12 break-all text-soft">{url}</p>
      <Standing endpoint={endpoint} />
      <Tick
        label={t("webhooks.enabled")}
        aria-label={named("webhooks.enabled", name)}
        checked={enabled}
        onChange={(event) => void act(() => change({ enabled: event.target.checked }))}
      />
    </Row>
  );
}
const named = (key: "webhooks.log" | "webhooks.change" | "webhooks.test" | "webhooks.enabled", name: string) =>
  `${t(key)}: ${name}`;

const LOOK_MS = 1500;
/** Result of a test delivery; polls until the first attempt. */
function Tested({ id }: { id: string }) {
  const { value, again } = useReading(`webhook-test:${id}`, (api) => api.getWebhookDelivery({ delivery_id: id }));
  const waits = value === undefined || (value.state === "queued" && value.attempts === 0);
  useEffect(() => {
    if (!waits) return;
    const timer = setInterval(() => void again(), LOOK_MS);
    return () => clearInterval(timer);
  }, [waits, again]);
  if (waits) return <p role="status">{t("webhooks.tested.waiting")}</p>;
  const { state, status_code, error_code } = value;
  return (
    <p role="status" data-tested={state} className={state === "delivered" ? "text-good" : "text-bad"}>
      {state === "delivered"
        ? t("webhooks.tested.accepted", { status: status_code ?? "" })
        : t("webhooks.tested.refused", { why: error_code ? t(`webhooks.error.${error_code}`) : "" })}
    </p>
  );
}

function Standing({ endpoint }: { endpoint: EndpointRow }) {
  const home = useHome();
  const { disabled_reason, failing_since, succeeded_at, actions } = endpoint;
  const when = (moment: string) => momentText(moment, home?.locale, home?.timezone);
  return (
    <p className="text-12 text-soft">
      {t("webhooks.hears", { count: actions.length })}
      {" · "}
      {disabled_reason ? (
        <span className="text-bad">{t(`webhooks.reason.${disabled_reason}`)}</span>
      ) : failing_since ? (
        <span className="text-bad">{t("webhooks.failing", { when: when(failing_since) })}</span>
      ) : succeeded_at ? (
        t("webhooks.succeeded", { when: when(succeeded_at) })
      ) : (
        t("webhooks.unused")
      )}
    </p>
  );
}
