// Changes of one Task, shared by every operation: validates its references, updates the row, closes and opens
// assignments, archives a replaced description, and records an event per kind of change. The Task is locked and not in
// the trash.

import { differing } from "../../platform/database/sql.ts";
import type { Context, Rendered } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { newId } from "../../platform/wire/ids.ts";
import { refuse, refuseAt } from "../../platform/wire/problem.ts";
import { capabilities, type InProject, taskCapabilities } from "../projects/access.ts";
import type { TaskTarget } from "./access.ts";
import { changesOf, differs } from "./events.ts";
import { placeBeside } from "./place-store.ts";
import { changed, type EnteredStatus, reviewRefusal, type StatusTimes, statusTimes, type TaskFields } from "./rules.ts";
import * as store from "./store.ts";

export interface References {
  status_id?: string;
  assignee_actor_id?: string | null;
  milestone_id?: string | null;
}

/**
 * Validates every reference of a change in the Project and returns the named Status as a Task enters it from the Status
 * `from`, null for a new Task. Locks the references unless `hold` is false.
 */
export async function requireReferences(
  { tx, member }: Context,
  projectId: string,
  body: References,
  from: string | null,
  hold = true,
): Promise<EnteredStatus | null> {
  const [statusId, assignee] = [body.status_id ?? null, body.assignee_actor_id ?? null];
  const milestoneId = body.milestone_id ?? null;
  if (statusId === null && assignee === null && milestoneId === null) return null;
  const [found, accepted] = await Promise.all([
    store.references(tx, member.workspaceId, projectId, { statusId, from, actorId: assignee }, hold),
    milestoneId === null || store.acceptsTasks(tx, member.workspaceId, projectId, milestoneId, hold),
  ]);
  const unusable = [
    statusId !== null && !found.status && "status_id",
    assignee !== null && !found.assignee && "assignee_actor_id",
    !accepted && "milestone_id",
  ].filter((field) => field !== false);
  if (unusable.length > 0) refuseFields(unusable);
  return found.status;
}

/** Anyone who manages the work may review it, even their own. */
export const reviews = (context: Context, target: InProject) => capabilities(context, target).includes("work:manage");
/** See reviewRefusal: every path into a Status calls this or that rule. */
export function requireReviewed(context: Context, target: InProject, entering: EnteredStatus): void {
  const refused = reviewRefusal(entering, reviews(context, target));
  if (refused) refuse(refused);
}

export const refuseFields = (fields: string[]): never =>
  refuse("invalid_reference", {
    errors: fields.map((field) => ({
      pointer: `/body/${field}`,
      code: "invalid_reference",
      detail: "must exist, be active and be usable in this Project",
    })),
  });

/** Position in the column that a change asks for; empty if it asks for none or the Task is there already. */
export async function requirePlace(
  { tx, member }: Context,
  task: Pick<TaskFields, "id" | "project_id" | "status_id">,
  sent: { after_task_id?: string | null; before_task_id?: string | null; position?: number },
): Promise<{ position?: number }> {
  const [side, ...others] = (["after", "before"] as const).filter((each) => sent[`${each}_task_id`] !== undefined);
  if (side === undefined) return {};
  const pointer = `/body/${side}_task_id`;
  if (others.length > 0 || sent.position !== undefined)
    refuseAt(
      pointer,
      "invalid_request",
      "must be sent alone: one of after_task_id, before_task_id and position",
      "not_allowed",
    );
  const { id, project_id: projectId, status_id: statusId } = task;
  const beside = { side, id: sent[`${side}_task_id`] ?? null };
  const place = await placeBeside(tx, member.workspaceId, id, [projectId, statusId], beside);
  if (place === null)
    return refuseAt(pointer, "invalid_reference", "must be another Task of the same Project and Status");
  if (place === "full")
    return refuseAt(
      pointer,
      "invalid_reference",
      "more than 500 Tasks stand at one place behind it: give some of them another position",
    );
  return place.already ? {} : { position: place.position };
}

/** Parses the loaded Task. */
export const fieldsOf = (target: TaskTarget) => JSON.parse(target.json) as TaskFields;

/**
 * Applies a change to a Task. `entering` is the new Status, if it changes; `times` are start and completion times to
 * keep instead of the current ones. reparent writes another parent, and the caller has validated labels. Awaits
 * nothing: all statements are sent with the commit. A change without differences writes nothing.
 */
export function changeTask(
  context: Context,
  target: TaskTarget,
  before: TaskFields,
  wanted: Partial<TaskFields>,
  entering: EnteredStatus | null = null,
  times: StatusTimes = before,
): Rendered {
  const { tx, member, principal, record, defer } = context;
  const { id, revision } = target;
  const body = differing(wanted, before);
  if (body === null) return render(target, taskCapabilities(context, target));
  if (differs(body.status_id, before.status_id)) {
    if (entering === null || entering.id !== body.status_id)
      throw new Error("a Task enters only a Status that was looked at");
    requireReviewed(context, target, entering);
    if (wanted.position === undefined) body.position = entering.first;
  }
  const changes = entering === null ? body : { ...body, ...statusTimes(entering.category, times, principal.now) };
  const { parent_id: _, ...columns } = changes;
  defer(store.updateTask(tx, member.workspaceId, target, columns));
  if (differs(body.assignee_actor_id, before.assignee_actor_id))
    defer(store.reassign(tx, member.workspaceId, id, newId(), body.assignee_actor_id ?? null, member.actorId));
  if (differs(body.description_markdown, before.description_markdown))
    defer(store.keepDescription(tx, member.workspaceId, id, revision, before.description_markdown, member.actorId));
  for (const fact of changesOf(before, body)) record(fact);
  const after = changed(before, changes, principal.now);
  return render(
    { json: JSON.stringify(after), revision: after.revision },
    taskCapabilities(context, { ...target, trashed: after.trashed_at !== null }),
  );
}
