// Changes of a Milestone, shared by every operation. The caller has locked it and checked the permission.
import type { Context } from "../../../platform/kernel/implement-operation.ts";
import { milestoneDeleted, milestoneRestored, milestoneStageChanged, milestoneUpdated } from "../events.ts";
import { turned } from "../rules.ts";
import type { MilestoneTarget } from "./milestone-access.ts";
import * as store from "./milestone-store.ts";

type Fields = Record<string, unknown>;
const subjectOf = ({ id, project_id }: Pick<MilestoneTarget, "id" | "project_id">) => ({
  kind: "milestone",
  id,
  projectId: project_id,
});

/** Undefined if the stage is not a Milestone stage. `before` holds all fields, `changed` those with a new value. */
export function changeMilestone(
  { tx, member, record }: Context,
  target: MilestoneTarget,
  before: Fields,
  changed: Fields,
) {
  const { stage_id, ...others } = changed;
  const subject = subjectOf(target);
  if (stage_id !== undefined) record(milestoneStageChanged(subject, { from: before.stage_id, to: stage_id }));
  if (Object.keys(others).length > 0) record(milestoneUpdated(subject, turned(before, others, target.revision)));
  return store.updateMilestone(tx, member.workspaceId, target.id, changed);
}

/**
 * Deletes a Milestone and removes its Tasks: the first page at once, the rest in the background. `emptied` says whether
 * it had any.
 */
export async function dropMilestone(
  context: Context,
  target: Pick<MilestoneTarget, "id" | "project_id">,
): Promise<void> {
  const { tx, member, principal, commandId, record, enqueue } = context;
  const { workspaceId, actorId } = member;
  const author = { actorId, userId: principal.userId, source: principal.kind, commandId };
  const { emptied, left } = await store.deleteMilestone(tx, workspaceId, target.id, author);
  if (left) enqueue("empty_milestone", { workspace_id: workspaceId, milestone_id: target.id, author });
  record(milestoneDeleted(subjectOf(target), { emptied: emptied > 0 || left }));
}

/** Deletes a Milestone that is known to be empty. */
export function dropEmptyMilestone({ tx, member, record, defer }: Context, target: MilestoneTarget): void {
  defer(store.dropMilestone(tx, member.workspaceId, target.id));
  record(milestoneDeleted(subjectOf(target), { emptied: false }));
}
export function reviveMilestone(
  { tx, member, record, defer }: Context,
  target: Pick<MilestoneTarget, "id" | "project_id">,
): void {
  defer(store.reviveMilestone(tx, member.workspaceId, target.id));
  record(milestoneRestored(subjectOf(target), { restored: true }));
}
