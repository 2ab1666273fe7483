// Subscriptions of a binding: event kinds, each with its own switch. With none enabled, no event reaches the Project.
import type { Operations } from "@svc/client";
import { t } from "../messages/t.ts";
import { Tick, useAct } from "../settings/elements/form-elements.tsx";
import { useReading } from "../store/page-query.ts";
import { useReplica } from "../store/react.ts";
import { Button } from "../ui/controls.tsx";
import { Unread } from "../ui/page.tsx";
import type { EventKind } from "./words.tsx";

type Subscription = Awaited<ReturnType<Operations["listIntegrationSubscriptions"]>>["items"][number];

interface Props {
  bindingId: string;
  /** Event kinds that the provider can send or receive. */
  kinds: readonly EventKind[];
  manages: boolean;
}
export function Subscriptions({ bindingId, kinds, manages }: Props) {
  const { api } = useReplica();
  const { act, busy, said } = useAct();
  const { value, failed, again } = useReading(
    `integration-subscriptions:${bindingId}`,
    async (client) => (await client.listIntegrationSubscriptions({ binding_id: bindingId, limit: 100 })).items,
    { on: /^integration/ },
  );
  if (!value) return <Unread failed={failed} again={() => void again()} rows={2} />;
  const isFollowed = value.some(({ enabled }) => enabled);
  const follow = () =>
    void act(async () => {
      const [first] = value;
      if (first) await api.updateIntegrationSubscription({ subscription_id: first.id, enabled: true }, { at: first });
      else await api.createIntegrationSubscription({ binding_id: bindingId, event_kinds: [...kinds] });
      await again();
    });
  return (
    <fieldset className="mt-3">
      <legend className="font-medium">{t("integrations.subscribed")}</legend>
      {value.map((each) => (
        <Kinds key={each.id} subscription={each} kinds={kinds} manages={manages} changed={again} />
      ))}
      {!isFollowed && (
        <p className="mt-1 flex flex-wrap items-center gap-2 text-soft">
          {t("integrations.paused")}
          {manages && (
            <Button aria-disabled={busy || undefined} onClick={follow}>
              {t("integrations.follow")}
            </Button>
          )}
        </p>
      )}
      {said}
    </fieldset>
  );
}

interface KindsProps {
  subscription: Subscription;
  kinds: readonly EventKind[];
  manages: boolean;
  changed: () => Promise<void>;
}
function Kinds({ subscription, kinds, manages, changed }: KindsProps) {
  const { api } = useReplica();
  const { act, busy, said } = useAct();
  const { id, enabled, event_kinds } = subscription;
  /** Switching off the last kind disables the subscription but preserves that kind. */
  const put = (kind: EventKind, on: boolean) => {
    const wanted = on ? [...(enabled ? event_kinds : []), kind] : event_kinds.filter((each) => each !== kind);
    const fields = wanted.length > 0 ? { event_kinds: wanted, enabled: true } : { enabled: false };
    void act(() => api.updateIntegrationSubscription({ subscription_id: id, ...fields }, { at: subscription })).then(
      changed,
    );
  };
  return (
    <div data-subscription={enabled ? "on" : "off"}>
      <div className="flex flex-wrap gap-x-5">
        {kinds.map((kind) => (
          <Tick
            key={kind}
            label={t(`integrations.kind.${kind}`)}
            checked={enabled && event_kinds.includes(kind)}
            disabled={!manages || busy}
            onChange={(event) => put(kind, event.target.checked)}
          />
        ))}
      </div>
      {said}
    </div>
  );
}
