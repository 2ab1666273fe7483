// Changes of a workflow step (a Status or a Project state), shared by every operation. The caller has locked the step
// and its definition, and checked what would forbid the change.
import { changes } from "../../../platform/database/sql.ts";
import type { Context } from "../../../platform/kernel/implement-operation.ts";
import { refuse } from "../../../platform/wire/problem.ts";
import { countEntities } from "../../lifecycle/store.ts";
import { turned } from "../rules.ts";
import { advanceDefinition, type Circumstances, sqlOf, updateSql } from "./step-store.ts";
import type { StepTarget, Workflow } from "./workflow.ts";

type Fields = Record<string, unknown>;
export const subjectOf = ({ noun }: Workflow, { id, project_id }: Pick<StepTarget, "id" | "project_id">) => ({
  kind: noun,
  id,
  projectId: project_id,
});

export const terminal = (category: string) => category === "completed" || category === "cancelled";
/** Refuses to remove the last step of the Workspace that is not terminal: new work needs one to start in. */
export function requireAnother({ alone }: Circumstances, { project_id, category, archived }: StepTarget) {
  if (alone && project_id === null && !archived && !terminal(category)) refuse("last_status");
}
export function requireQuiet({ migrating }: Circumstances) {
  if (migrating) refuse("lifecycle_migration_pending");
}
/** Refuses unless the step is empty and no policy names it. */
export async function requireRemovable(workflow: Workflow, { tx, member }: Context, target: StepTarget): Promise<void> {
  const values = [member.workspaceId, target.id];
  const { named } = sqlOf(workflow);
  const [found, inside] = await Promise.all([
    tx.one<Circumstances & { named: boolean }>(named, values),
    countEntities(tx, { kind: workflow.kind, workspaceId: member.workspaceId, sources: [target.id], most: 0 }),
  ]);
  requireQuiet(found);
  if (inside > 0 || found.named) refuse("status_in_use");
  requireAnother(found, target);
}

/** Changes name and color; the stage binding does not change. */
export function dressStep(workflow: Workflow, context: Context, target: StepTarget, changed: Fields): void {
  const { tx, member, record, defer } = context;
  const { assignments, values } = changes(changed, 2);
  record(
    workflow.events.updated(subjectOf(workflow, target), turned(JSON.parse(target.json), changed, target.revision)),
  );
  defer(tx.rows(updateSql(workflow, assignments), [member.workspaceId, target.id, ...values]));
}

/** The event contains the whole row, so that undo can restore it. */
export function removeStep(workflow: Workflow, { tx, member, record, defer }: Context, target: StepTarget): void {
  const { lifecycle: _, ...row } = JSON.parse(target.json);
  const { stage_id, project_id } = target;
  defer(advanceDefinition(tx, member.workspaceId, workflow.kind));
  defer(tx.rows(sqlOf(workflow).remove, [member.workspaceId, target.id]));
  record(workflow.events.deleted(subjectOf(workflow, target), { step: { ...row, stage_id, project_id } }));
}
export function returnStep(workflow: Workflow, { tx, member, record, defer }: Context, step: Fields): void {
  const { id, project_id } = step as { id: string; project_id: string | null };
  defer(advanceDefinition(tx, member.workspaceId, workflow.kind));
  defer(tx.rows(sqlOf(workflow).insert, [member.workspaceId, JSON.stringify(step)]));
  record(workflow.events.created(subjectOf(workflow, { id, project_id }), { name: step.name }));
}

/** Moves the step behind `to`, which is known to be valid; null means first. */
export function placeStep(
  workflow: Workflow,
  { tx, member, record, defer }: Context,
  target: StepTarget,
  from: string | null,
  to: string | null,
): void {
  const { id, project_id, category } = target;
  const [ofWorkspace, ofProject] = sqlOf(workflow).move;
  const values = [member.workspaceId, id, to, category];
  defer(project_id === null ? tx.rows(ofWorkspace, values) : tx.rows(ofProject, [...values, project_id]));
  record(workflow.events.moved(subjectOf(workflow, target), { from, to }));
}
