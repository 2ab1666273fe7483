// Starts, completes and reopens Tasks, for every operation that does so. The Project's completion policy and Statuses
// decide on the new Status. The Task is locked; a transition that changes nothing writes nothing.
import type { Context } from "../../platform/kernel/implement-operation.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { completionTarget } from "../projects/rules.ts";
import { completions } from "../projects/store.ts";
import type { TaskTarget } from "./access.ts";
import { changeTask, fieldsOf } from "./change.ts";
import type { TaskFields } from "./rules.ts";
import * as store from "./store.ts";
import { standingOf } from "./workflow-store.ts";

/** The Task after the transition, rendered like any single Task. */
export interface Transition {
  json: string;
  revision: string;
}

/** Refuses a Task in the trash, which is read-only. */
function living(target: TaskTarget): TaskFields {
  if (target.trashed) refuse("task_trashed");
  return fieldsOf(target);
}

/** Locks the Status against a concurrent archival; refuses if it was archived just before. */
async function moveTo(context: Context, target: TaskTarget, statusId: string | null, more: Partial<TaskFields> = {}) {
  const { tx, member } = context;
  if (statusId === null) return refuse("workflow_status_unavailable");
  const before = fieldsOf(target);
  const named = { statusId, from: before.status_id, actorId: null };
  const { status } = await store.references(tx, member.workspaceId, target.project_id, named);
  if (status === null) return refuse("workflow_status_unavailable");
  return changeTask(context, target, before, { status_id: statusId, ...more }, status) as Transition;
}

/**
 * Starts the Task and assigns it to the caller. `reassigned` lets a client warn that it was assigned to somebody else.
 */
export async function start(context: Context, target: TaskTarget) {
  const before = living(target);
  const { actorId } = context.member;
  const own = before.assignee_actor_id === actorId;
  const standing = await standingOf(context.tx, target.project_id, before.status_id);
  const after =
    own && standing.active
      ? null
      : await moveTo(context, target, standing.active_status_id, { assignee_actor_id: actorId });
  return { after, reassigned: before.assignee_actor_id !== null && !own };
}

/** Completes the Task, or sends it to review first. Null if it is completed already, in the requested Status if any. */
export async function complete(context: Context, target: TaskTarget, asked: string | undefined) {
  const before = living(target);
  const [standing, { choices, named }] = await Promise.all([
    standingOf(context.tx, target.project_id, before.status_id),
    completions(context.tx, "task", target.project_id),
  ]);
  if (standing.completed && (asked === undefined || asked.toLowerCase() === before.status_id)) return null;
  if (!standing.review_required || standing.completed)
    return moveTo(context, target, completionTarget(choices, asked, named).id);
  if (!standing.in_review) {
    // The Task enters review first, but the requested Status must be valid.
    if (asked !== undefined) completionTarget(choices, asked, null);
    return moveTo(context, target, standing.review_status_id);
  }
  return moveTo(context, target, completionTarget(choices, asked, standing.done_status_id).id);
}

export async function reopen(context: Context, target: TaskTarget) {
  const before = living(target);
  const standing = await standingOf(context.tx, target.project_id, before.status_id);
  if (!standing.completed) return refuse("task_not_completed");
  return moveTo(context, target, standing.active_status_id);
}
