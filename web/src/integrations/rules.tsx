// Rules of a binding: the status that each pull-request event moves a Task to, and what is synchronised. Only rules
// that the provider supports are shown.
import { t } from "../messages/t.ts";
import { statusesInOrder } from "../projects/step-order.ts";
import { Select, type SettingsValues, Tick } from "../settings/elements/form-elements.tsx";
import { useGroup, useReplica } from "../store/react.ts";
import type { EventKind, IntegrationBinding, IntegrationProvider } from "./words.tsx";

export type RuleSet = IntegrationBinding["rules"];

const steps = ["opened", "review", "merged"] as const;
/** Event kinds that each switch depends on. */
const switches = {
  create_tasks: ["error", "message"],
  sync_comments: ["comment"],
  resolve_with_task: ["error"],
} as const satisfies Record<string, readonly EventKind[]>;
const switchesOf = ({ event_kinds }: Pick<IntegrationProvider, "event_kinds">) =>
  (Object.keys(switches) as (keyof typeof switches)[]).filter((name) =>
    switches[name].some((kind) => event_kinds.includes(kind)),
  );
const moves = ({ event_kinds }: Pick<IntegrationProvider, "event_kinds">) => event_kinds.includes("pull_request");

/** Reads the rules from the form values. */
export const rulesIn = (values: SettingsValues): RuleSet => ({
  opened_status_id: values.opened || null,
  review_status_id: values.review || null,
  merged_status_id: values.merged || null,
  create_tasks: values.create_tasks !== undefined,
  sync_comments: values.sync_comments !== undefined,
  resolve_with_task: values.resolve_with_task !== undefined,
});
export const hasRules = (provider: IntegrationProvider) => moves(provider) || switchesOf(provider).length > 0;

interface Props {
  provider: IntegrationProvider;
  projectId: string;
  /** Current rules; if absent, every useful switch starts on. */
  rules?: RuleSet;
}
export function Rules({ provider, projectId, rules }: Props) {
  const { store } = useReplica();
  const { ids: shared } = useGroup("status", statusesInOrder, "workspace");
  const { ids: own } = useGroup("status", statusesInOrder, projectId);
  const statuses = [...shared, ...own].filter((id) => !id.startsWith("new-"));
  return (
    <>
      {moves(provider) &&
        steps.map((step) => (
          <Select
            key={step}
            name={step}
            label={t(`integrations.rule.${step}`)}
            defaultValue={rules?.[`${step}_status_id`] ?? ""}
            options={[
              ["", t("integrations.rule.stays")],
              ...statuses.map((id) => [id, store.get("status", id)?.name ?? ""] as const),
            ]}
          />
        ))}
      <div>
        {switchesOf(provider).map((name) => (
          <Tick
            key={name}
            name={name}
            label={t(`integrations.rule.${name}`)}
            defaultChecked={rules ? rules[name] : name === "create_tasks"}
          />
        ))}
      </div>
    </>
  );
}
