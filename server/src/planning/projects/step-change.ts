// What happens to a step of a workflow, a Status or a project state alike, whichever operation asks for it. The step and its definition are
// locked, and what forbids it is found out before.

import { changes } from "../../platform/database/sql.ts";
import type { Context } from "../../platform/kernel/implement.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { countEntities } from "../lifecycle/store.ts";
import { turned } from "./rules.ts";
import { advanceDefinition, type Circumstances, sqlOf, updateSql } from "./step-store.ts";
import type { StepTarget, Workflow } from "./workflow.ts";

type Fields = Record<string, unknown>;
export const subjectOf = ({ noun }: Workflow, { id, project_id }: Pick<StepTarget, "id" | "project_id">) => ({
  kind: noun,
  id,
  projectId: project_id,
});

export const terminal = (category: string) => category === "completed" || category === "cancelled";
/** New work must keep somewhere to start: in a step of the Workspace that is not terminal. */
export function requireAnother({ alone }: Circumstances, { project_id, category, archived }: StepTarget) {
  if (alone && project_id === null && !archived && !terminal(category)) refuse("last_status");
}
export function requireQuiet({ migrating }: Circumstances) {
  if (migrating) refuse("lifecycle_migration_pending");
}
/** Nothing is in it, and nothing names it. */
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

/** Its name and its color: what it is bound to stays. */
export function dressStep(workflow: Workflow, context: Context, target: StepTarget, changed: Fields): void {
  const { tx, member, record, defer } = context;
  const { assignments, values } = changes(changed, 2);
  record(
    workflow.events.updated(subjectOf(workflow, target), turned(JSON.parse(target.json), changed, target.revision)),
  );
  defer(tx.rows(updateSql(workflow, assignments), [member.workspaceId, target.id, ...values]));
}

/** All of it is told, so that it can come back. */
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

/** Behind another one, of which is known that it can stand there; null is the first place. */
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
