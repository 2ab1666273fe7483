// Changes of workflow steps: Statuses and Project states alike. The step and its definition are locked before, so that
// what is read about other steps and the number of entities stays valid until the commit.
import type { LifecyclePreview } from "@svc/contract/planning/projects/statuses.ts";
import type { StepChange, StepReplacement } from "@svc/contract/planning/projects/steps.ts";
import type { Placement } from "@svc/contract/types.ts";
import type { Static } from "typebox";
import type { Queries } from "../../../platform/database/db.ts";
import { changes, differing } from "../../../platform/database/sql.ts";
import type { Context } from "../../../platform/kernel/implement-operation.ts";
import { render } from "../../../platform/kernel/view.ts";
import { refuse } from "../../../platform/wire/problem.ts";
import { behaviorChanges, MOST_AT_ONCE, MOST_COUNTED } from "../../lifecycle/rules.ts";
import { countEntities, moveEntities } from "../../lifecycle/store.ts";
import { turned } from "../rules.ts";
import { removeStep, requireAnother, requireQuiet, requireRemovable, subjectOf, terminal } from "./step-change.ts";
import * as store from "./step-store.ts";
import { fieldsOf, refuseReference } from "./steps.ts";
import { manages, type StepTarget, stepCapabilities, type Workflow } from "./workflow.ts";

type Category = Static<typeof LifecyclePreview>["category"];
/** Whether both categories give a Task the same start and completion times. */
const sameTimes = (one: string, other: string) =>
  one === other || [one, other].every((category) => category === "backlog" || category === "unstarted");

/** Counts the entities in a step; `most` + 1 means any larger number. */
type Counting = (tx: Queries, workflow: Workflow, workspaceId: string, stepId: string, most: number) => Promise<number>;
const all: Counting = (tx, { kind }, workspaceId, stepId, most) =>
  countEntities(tx, { kind, workspaceId, sources: [stepId], most });

/** The stage that the step would be bound to after a change, and the number of entities in it. */
async function lookAhead(
  workflow: Workflow,
  { tx, member: { workspaceId } }: Context,
  { id, project_id }: StepTarget,
  wanted: { category?: string; stage_id?: string } | { replacement_id: string },
  most: number,
  count = all,
) {
  const { toStage, toStep } = store.sqlOf(workflow);
  const own = workflow.ofProjects ? [project_id] : [];
  const [onward, found] = await Promise.all([
    "replacement_id" in wanted
      ? tx.one<store.Onward>(toStep, [workspaceId, id, wanted.replacement_id])
      : tx.one<store.Onward>(toStage, [workspaceId, id, wanted.category ?? null, wanted.stage_id ?? null, ...own]),
    count(tx, workflow, workspaceId, id, most),
  ]);
  return { ...onward, found };
}
type Ahead = Awaited<ReturnType<typeof lookAhead>>;
const changesAhead = ({ before, after }: Ahead) => behaviorChanges(before, after);

function requireAcknowledged(ahead: Ahead, acknowledged = false) {
  if (!acknowledged && ahead.found > 0 && changesAhead(ahead).length > 0) refuse("lifecycle_acknowledgement_required");
}
function requireFew({ found }: Ahead) {
  if (found > MOST_AT_ONCE) refuse("lifecycle_migration_too_large");
}

/** Author recorded in the events of affected entities. */
const moverOf = ({ member, principal, commandId }: Context) => ({
  actorId: member.actorId,
  userId: principal.userId,
  source: principal.kind,
  commandId,
});

/**
 * Advances the definition. If new Projects started in `from`, they start in `to`, or in none if it accepts no new work.
 */
const advance = ({ kind }: Workflow, { tx, member }: Context, from: string, to: string, { after }: Ahead) =>
  store.advanceDefinition(tx, member.workspaceId, kind, { from, to: after.accepts_new_work ? to : null });

const refuseStage = (where: "body" | "query", stageId: string | undefined) =>
  refuseReference(`/${where}/${stageId ? "stage_id" : "category"}`, "must be a stage of this kind and category");

type Changing = Static<typeof StepChange>;

/** Validates a change of category or stage and returns its effects; null if the step is bound to that stage already. */
async function restage(workflow: Workflow, context: Context, target: StepTarget, body: Changing) {
  const { category, stage_id, acknowledged } = body;
  if (category === undefined && stage_id === undefined) return null;
  const ahead = await lookAhead(workflow, context, target, { category, stage_id }, MOST_AT_ONCE);
  if (ahead.stage_id === null) refuseStage("body", stage_id);
  if (ahead.stage_id === target.stage_id) return null;
  requireQuiet(ahead);
  if (terminal(ahead.category)) requireAnother(ahead, target);
  requireAcknowledged(ahead, acknowledged);
  const retimed = workflow.kind === "task" && !sameTimes(target.category, ahead.category);
  if (retimed) requireFew(ahead);
  return { ...ahead, retimed };
}

export async function updateStep(workflow: Workflow, context: Context, target: StepTarget, body: Changing) {
  const { tx, member, record, defer } = context;
  const { acknowledged: _, category: __, stage_id: ___, ...plain } = body;
  fieldsOf(body);
  if (target.archived) refuse("status_archived");
  const ahead = await restage(workflow, context, target, body);
  const changed = differing(plain, JSON.parse(target.json));
  if (!changed && !ahead) return render(target, stepCapabilities(workflow, context, target));
  const bound = ahead ? { stage_id: ahead.stage_id, category: ahead.category } : {};
  const last = ahead && ahead.category !== target.category ? { position: ahead.position } : {};
  const { assignments, values } = changes({ ...changed, ...bound, ...last }, 2);
  const [, row] = await Promise.all([
    ahead ? advance(workflow, context, target.id, target.id, ahead) : null,
    tx.one<store.StoredStep>(store.updateSql(workflow, assignments), [member.workspaceId, target.id, ...values]),
  ]);
  if (ahead?.retimed && ahead.found > 0)
    defer(store.retimeTasks(tx, member.workspaceId, target.id, ahead.category, ahead.found, moverOf(context)));
  const before = { ...JSON.parse(target.json), category: target.category, stage_id: target.stage_id };
  record(
    workflow.events.updated(subjectOf(workflow, target), turned(before, { ...changed, ...bound }, target.revision)),
  );
  return render(row, stepCapabilities(workflow, context, target));
}

/**
 * Previews a change of category or stage: counts all entities for callers who may make it, only visible ones for
 * others.
 */
export async function previewStep(
  workflow: Workflow,
  context: Context,
  target: StepTarget,
  wanted: { category?: Category; stage_id?: string },
): Promise<Static<typeof LifecyclePreview>> {
  fieldsOf(wanted, "query");
  if (target.archived) refuse("status_archived");
  const count = manages(context, target) ? all : store.countSeenTasks;
  const ahead = await lookAhead(workflow, context, target, wanted, MOST_COUNTED, count);
  const { stage_id, stage_name, category, found } = ahead;
  if (stage_id === null) return refuseStage("query", wanted.stage_id);
  const changed = changesAhead(ahead);
  return {
    category: category as Category,
    stage_id,
    stage_name,
    affected: Math.min(found, MOST_COUNTED),
    affected_capped: found > MOST_COUNTED,
    behavior_changes: changed,
    acknowledgement_required: found > 0 && changed.length > 0,
    too_large: found > MOST_AT_ONCE && !sameTimes(target.category, category),
  };
}

export async function archiveStep(
  workflow: Workflow,
  context: Context,
  target: StepTarget,
  { replacement_id, acknowledged }: Static<typeof StepReplacement>,
) {
  const { tx, member, record } = context;
  const { workspaceId } = member;
  if (target.archived) refuse("status_archived");
  const ahead = await lookAhead(workflow, context, target, { replacement_id }, MOST_AT_ONCE);
  if (ahead.stage_id === null)
    refuseReference("/body/replacement_id", "must be another one that is usable wherever this one is");
  requireQuiet(ahead);
  requireAnother(ahead, target);
  requireAcknowledged(ahead, acknowledged);
  requireFew(ahead);
  const { kind } = workflow;
  const mapping = { [target.id]: replacement_id };
  const moving = { kind, workspaceId, mapping, limit: ahead.found, author: moverOf(context) };
  const [, , moved, row] = await Promise.all([
    advance(workflow, context, target.id, replacement_id, ahead),
    kind === "task" ? store.repointPolicies(tx, workspaceId, target.id, replacement_id, ahead.after) : null,
    ahead.found > 0 ? moveEntities(tx, moving) : 0,
    tx.one<store.StoredStep>(store.updateSql(workflow, "archived_at = now()"), [workspaceId, target.id]),
  ]);
  record(workflow.events.archived(subjectOf(workflow, target), { replacement_id, moved }));
  return render(row, stepCapabilities(workflow, context, { ...target, archived: true }));
}

export async function deleteStep(workflow: Workflow, context: Context, target: StepTarget): Promise<void> {
  await requireRemovable(workflow, context, target);
  removeStep(workflow, context, target);
}

export async function moveStep(
  workflow: Workflow,
  context: Context,
  target: StepTarget,
  { after_id }: Static<typeof Placement>,
) {
  const { tx, member, record } = context;
  const { id, project_id, category } = target;
  if (target.archived) refuse("status_archived");
  const [ofWorkspace, ofProject] = store.sqlOf(workflow).move;
  const values = [member.workspaceId, id, after_id, category];
  const { already, was, json, revision } = await (project_id === null
    ? tx.one<store.Moved>(ofWorkspace, values)
    : tx.one<store.Moved>(ofProject, [...values, project_id]));
  if (already) return render(target, stepCapabilities(workflow, context, target));
  if (json === null) return refuseReference("/body/after_id", "must be another one of the same category and scope");
  record(workflow.events.moved(subjectOf(workflow, target), { from: was, to: after_id }));
  return render({ json, revision }, stepCapabilities(workflow, context, target));
}
