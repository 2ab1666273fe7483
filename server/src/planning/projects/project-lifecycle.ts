// The Project lifecycle as one policy: the default state of new Projects, and the behaviors of each stage. It neither
// adds nor removes stages; project-states.ts handles the states bound to them.
import { behaviorKeys } from "@svc/contract/planning/lifecycle/behaviors.ts";
import * as contract from "@svc/contract/planning/projects/project-lifecycle.ts";
import type { Static } from "typebox";
import { managing, may, type WorkspaceCapability } from "../../accounts/workspaces/rules.ts";
import { view } from "../../platform/database/view.ts";
import { type Access, implement } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { behaviorChanges } from "../lifecycle/rules.ts";
import { behaviorsView } from "../lifecycle/view.ts";
import { projectLifecycleUpdated } from "./events.ts";
import { fieldsOf, refuseReference } from "./workflow/steps.ts";
import { QUEUE } from "./workflow/workflow.ts";

type Lifecycle = Static<typeof contract.ProjectLifecycleFields>;
type Stage = Static<typeof contract.ProjectStage>;

const stageView = view(contract.ProjectStage, "g", {
  behaviors: behaviorsView("g"),
  state_ids: `
(select coalesce(json_agg(s.id order by s.position, s.id), '[]') from project_states s
 where s.workspace_id = g.workspace_id and s.stage_id = g.id and s.archived_at is null)`,
});
const lifecycleView = view(contract.ProjectLifecycleFields, "d", {
  stages: `
(select coalesce(json_agg(${stageView}::json order by g.position, g.id), '[]') from lifecycle_stages g
 where g.workspace_id = d.workspace_id and g.definition_id = d.id)`,
});
const select = (columns: string) => `
select d.id, d.revision::text, ${lifecycleView} as json${columns}
from lifecycle_definitions d where d.workspace_id = current_workspace() and d.kind = 'project'`;
const READ = select("");
// One Project per state suffices, in the order of its index: without that order, the planner would scan all others.
const CHANGE = select(`, (
  select coalesce(json_agg(distinct s.stage_id), '[]') from project_states s cross join lateral (
    select from projects p where p.workspace_id = s.workspace_id and p.state_id = s.id and p.deleted_at is null
    order by p.visibility, p.position limit 1
  ) p where s.workspace_id = d.workspace_id) as occupied`);

interface Target {
  id: string;
  revision: string;
  json: string;
  /** Stages that contain Projects; loaded only for a change. */
  occupied?: string[];
}
const lifecycle = (capability: WorkspaceCapability): Access<Target> => ({
  reach: "membership",
  load: async (tx, _params, change) => {
    if (!change) return tx.maybe<Target>(READ);
    const [, found] = await Promise.all([tx.rows(QUEUE, ["project"]), tx.maybe<Target>(CHANGE)]);
    return found;
  },
  permits: ({ member }) => may(member.role, capability),
});

export const getProjectLifecycle = implement(
  contract.getProjectLifecycle,
  lifecycle("workspace:read"),
  async ({ member }, { target }) => render(target, managing(member.role)),
);

type Changed = { id: string; name?: string; color?: string | null; behaviors?: Stage["behaviors"] };

/** The stages after the changes; `at` is the index of the change that names a stage, else null. */
function apply(stages: readonly Stage[], changes: readonly Changed[]): (Stage & { at: number | null; was: Stage })[] {
  const indexOf = new Map(changes.map(({ id }, at) => [id.toLowerCase(), at]));
  for (const [at, { id }] of changes.entries())
    if (indexOf.get(id.toLowerCase()) !== at || !stages.some((stage) => stage.id === id.toLowerCase()))
      refuseReference(`/body/stages/${at}/id`, "must be a stage of the Project lifecycle, named once");
  return stages.map((was) => {
    const at = indexOf.get(was.id) ?? null;
    const { name = was.name, color = was.color, behaviors = {} } = at === null ? {} : (changes[at] as Changed);
    return { ...was, at, was, name, color, behaviors: { ...was.behaviors, ...behaviors } };
  });
}

function requireNames(stages: ReturnType<typeof apply>): void {
  for (const { at, id, name } of stages) {
    const taken = stages.some((other) => other.id !== id && other.name.toLowerCase() === name.toLowerCase());
    const fault = { pointer: `/body/stages/${at}/name`, code: "name_taken", detail: "is the name of another stage" };
    if (at !== null && taken) refuse("name_taken", { errors: [fault] });
  }
}

/** Refuses a default state whose stage accepts no new work. */
function requireStart(stages: ReturnType<typeof apply>, stateId: string | null, chosen: boolean): void {
  if (stateId === null) return;
  const stage = stages.find(({ state_ids }) => state_ids.includes(stateId.toLowerCase()));
  if (chosen && !stage?.behaviors.accepts_new_work)
    refuseReference("/body/default_state_id", "must be a state whose stage accepts new work");
  if (stage && stage.at !== null && !stage.behaviors.accepts_new_work)
    refuseReference(
      `/body/stages/${stage.at}/behaviors/accepts_new_work`,
      "new Projects start in it: choose where else",
    );
}

const columns = ["name", "color", ...behaviorKeys];
const SET_STAGES = `
update lifecycle_stages g
  set ${columns.map((name) => `${name} = c.${name}`).join(", ")}, revision = g.revision + 1, updated_at = now()
from json_to_recordset($2::json) as c(id uuid, name text, color text,
  ${behaviorKeys.map((key) => `${key} boolean`).join(", ")})
where g.workspace_id = $1 and g.id = c.id`;
const SET_DEFINITION = `
update lifecycle_definitions set default_state_id = $3, revision = revision + 1, updated_at = now()
where workspace_id = $1 and id = $2`;

export const updateProjectLifecycle = implement(
  contract.updateProjectLifecycle,
  lifecycle("workspace:manage"),
  async ({ tx, member, record }, { target, body }) => {
    fieldsOf(body);
    const before = JSON.parse(target.json) as Lifecycle;
    const stages = apply(before.stages, body.stages ?? []);
    const { default_state_id = before.default_state_id } = body;
    requireNames(stages);
    requireStart(stages, default_state_id, body.default_state_id !== undefined);
    const behavesAnew = (stage: (typeof stages)[number]) =>
      behaviorChanges(stage.was.behaviors, stage.behaviors).length > 0;
    if (!body.acknowledged && stages.some((stage) => target.occupied?.includes(stage.id) && behavesAnew(stage)))
      refuse("lifecycle_acknowledgement_required");
    const changed = stages.filter(
      (stage) => stage.name !== stage.was.name || stage.color !== stage.was.color || behavesAnew(stage),
    );
    const fields = Object.entries({
      default_state_id: default_state_id !== before.default_state_id,
      stages: changed.length > 0,
    }).flatMap(([field, differs]) => (differs ? [field] : []));
    if (fields.length === 0) return render(target, managing(member.role));
    const rows = changed.map(({ id, name, color, behaviors }) => ({ id, name, color, ...behaviors }));
    const [, , row] = await Promise.all([
      tx.rows(SET_STAGES, [member.workspaceId, JSON.stringify(rows)]),
      tx.rows(SET_DEFINITION, [member.workspaceId, target.id, default_state_id]),
      tx.one<Target>(READ),
    ]);
    const subject = { kind: "lifecycle_definition", id: target.id };
    record(projectLifecycleUpdated(subject, { fields, stage_ids: changed.map(({ id }) => id) }));
    return render(row, managing(member.role));
  },
);
