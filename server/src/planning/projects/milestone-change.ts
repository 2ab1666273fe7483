// What every change of a Milestone does, whichever operation asks for it. It is locked, and that the caller may is found out before.
import type { Context } from "../../platform/kernel/implement.ts";
import { milestoneDeleted, milestoneRestored, milestoneStageChanged, milestoneUpdated } from "./events.ts";
import type { MilestoneTarget } from "./milestone-access.ts";
import * as store from "./milestone-store.ts";
import { turned } from "./rules.ts";

type Fields = Record<string, unknown>;
const subjectOf = ({ id, project_id }: Pick<MilestoneTarget, "id" | "project_id">) => ({
  kind: "milestone",
  id,
  projectId: project_id,
});

/** No row where its stage is none. `before` has all of its fields, `changed` those that are to be different. */
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

/** With the Tasks that are in it: the first of them at once, the rest in the background. `emptied` says whether there were any. */
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

/** One that is known to be empty. */
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
