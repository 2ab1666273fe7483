// The lifecycle of each kind, with its stages and bindings, and the behaviors of stages. Read-only: stages and bindings
// are changed by the module of their kind.
import { behaviors } from "@svc/contract/planning/lifecycle/behaviors.ts";
import * as contract from "@svc/contract/planning/lifecycle/definitions.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { view } from "../../platform/database/view.ts";
import { account, implement } from "../../platform/kernel/implement-operation.ts";
import { behaviorsView } from "./view.ts";

const BEHAVIORS = {
  json: JSON.stringify({ items: Object.entries(behaviors).map(([key, behavior]) => ({ key, ...behavior })) }),
};
export const listLifecycleBehaviors = implement(contract.listLifecycleBehaviors, account(), async () => BEHAVIORS);

const bound = (table: string, scope: string) => `
select s.stage_id, json_agg(json_build_object('id', s.id, 'name', s.name, 'color', s.color,
  'revision', s.revision::text)
  order by s.position, s.id) as statuses
from ${table} s where s.workspace_id = current_workspace() and ${scope} and s.archived_at is null group by s.stage_id`;
const stageView = view(contract.LifecycleStage, "g", {
  behaviors: behaviorsView("g"),
  statuses: "coalesce(bound.statuses, '[]')",
});
const definitionView = view(contract.LifecycleDefinition, "d", {
  stages: `
(select coalesce(json_agg(${stageView}::json order by g.position, g.id), '[]') from lifecycle_stages g
left join bound on bound.stage_id = g.id
 where g.workspace_id = d.workspace_id and g.definition_id = d.id)`,
});
// Collects the bindings once for all stages: a lookup per stage would search the Statuses of all Projects.
const LIST = `
with bound as materialized (${bound("statuses", "s.project_id is null")} union all ${bound("project_states", "true")})
select json_build_object('items',
  coalesce(json_agg(${definitionView}::json order by array_position(array['task', 'project', 'milestone'], d.kind)),
  '[]'))::text as json
from lifecycle_definitions d where d.workspace_id = current_workspace() and ($1::text is null or d.kind = $1)`;

export const listLifecycleDefinitions = implement(
  contract.listLifecycleDefinitions,
  workspace("workspace:read"),
  ({ tx }, { query }) => tx.one<{ json: string }>(LIST, [query.kind ?? null]),
);
