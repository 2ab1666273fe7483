// Wire representation of an entity's lifecycle stage. The query must provide the row bound to a stage under an alias.
import { behaviorKeys } from "@svc/contract/planning/lifecycle/behaviors.ts";
import { LifecycleMigrationRow } from "@svc/contract/planning/lifecycle/migrations.ts";
import { view } from "../../platform/database/view.ts";

const identity = `
'stage_id', g.id, 'stage_revision', g.revision::text, 'definition_id', d.id, 'definition_revision', d.revision::text`;
/** Behaviors that do not apply to the kind are null in the row and omitted from the response. */
export const behaviorsView = (stage: string) =>
  `json_strip_nulls(json_build_object(${behaviorKeys.map((key) => `'${key}', ${stage}.${key}`).join(", ")}))`;
const stageOf = (json: string, stageId: string, workspaceId: string) => `
(select json_build_object(${json}) from lifecycle_stages g
 join lifecycle_definitions d on d.workspace_id = g.workspace_id and d.id = g.definition_id
 where g.workspace_id = ${workspaceId} and g.id = ${stageId})`;
const policy = `${identity}, 'stage_name', g.name, 'behaviors', ${behaviorsView("g")}`;

/** The full policy of the stage that the aliased row is bound to. */
export const lifecyclePolicy = (alias: string) => stageOf(policy, `${alias}.stage_id`, `${alias}.workspace_id`);

const stageOfState = (alias: string) =>
  `(select stage_id from project_states where workspace_id = ${alias}.workspace_id and id = ${alias}.state_id)`;
/** Policy of a Project through its state; null if it has none. */
export const projectLifecyclePolicy = (alias: string) => stageOf(policy, stageOfState(alias), `${alias}.workspace_id`);
export const projectLifecycleIdentity = (alias: string) =>
  stageOf(identity, stageOfState(alias), `${alias}.workspace_id`);

const percent = "case when j.total = 0 then 100 else least(100, j.moved * 100 / j.total) end";
/** The query must provide the job as j. */
export const migrationView = view(LifecycleMigrationRow, "j", {
  progress: `json_build_object('total', j.total, 'moved', j.moved, 'percent', ${percent})`,
});
