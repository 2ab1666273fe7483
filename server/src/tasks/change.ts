// What every change of one Task does, whichever operation asks for it: its references are found usable, the row is written, assignments
// are closed and opened, a replaced description is kept, and each kind of change is recorded. The Task is locked and in no trash.
import { newId } from "../kernel/ids.ts";
import type { Context, Rendered } from "../kernel/implement.ts";
import { refuse } from "../kernel/problem.ts";
import { render } from "../kernel/view.ts";
import { capabilities } from "../projects/access.ts";
import type { TaskTarget } from "./access.ts";
import { changesOf, differs } from "./events.ts";
import { changed, type StatusTimes, statusTimes, type TaskFields } from "./rules.ts";
import * as store from "./store.ts";

export interface References {
  status_id?: string;
  assignee_actor_id?: string | null;
  milestone_id?: string | null;
}

/** The category of the Status that a change names, once every reference in it has been found usable in the Project. */
export async function requireReferences({ tx, member }: Context, projectId: string, body: References) {
  const [statusId, assignee] = [body.status_id ?? null, body.assignee_actor_id ?? null];
  const milestoneId = body.milestone_id ?? null;
  if (statusId === null && assignee === null && milestoneId === null) return null;
  const [found, accepted] = await Promise.all([
    store.references(tx, member.workspaceId, projectId, statusId, assignee),
    milestoneId === null || store.acceptsTasks(tx, member.workspaceId, projectId, milestoneId),
  ]);
  const unusable = [
    statusId !== null && !found.category && "status_id",
    assignee !== null && !found.assignee && "assignee_actor_id",
    !accepted && "milestone_id",
  ].filter((field) => field !== false);
  if (unusable.length > 0) refuseFields(unusable);
  return found.category;
}

export const refuseFields = (fields: string[]): never =>
  refuse("invalid_reference", {
    errors: fields.map((field) => ({
      pointer: `/body/${field}`,
      code: "invalid_reference",
      detail: "must exist, be active and be usable in this Project",
    })),
  });

/** Of a Task as it was loaded. */
export const fieldsOf = (target: TaskTarget) => JSON.parse(target.json) as TaskFields;

/**
 * `category` is that of the Status that the change names, if it names one; `times` are those that it is then to keep, where they are not its
 * present ones. Nothing is awaited: all of it goes out with the commit.
 */
export function changeTask(
  context: Context,
  target: TaskTarget,
  before: TaskFields,
  body: Partial<TaskFields>,
  category: string | null = null,
  times: StatusTimes = before,
): Rendered {
  const { tx, member, principal, record, defer } = context;
  const { id, revision } = target;
  const changes = category === null ? body : { ...body, ...statusTimes(category, times, principal.now) };
  defer(store.updateTask(tx, member.workspaceId, target, changes));
  if (differs(body.assignee_actor_id, before.assignee_actor_id))
    defer(store.reassign(tx, member.workspaceId, id, newId(), body.assignee_actor_id ?? null, member.actorId));
  if (differs(body.description_markdown, before.description_markdown))
    defer(store.keepDescription(tx, member.workspaceId, id, revision, before.description_markdown, member.actorId));
  for (const fact of changesOf(before, body)) record(fact);
  const after = changed(before, changes, principal.now);
  return render({ json: JSON.stringify(after), revision: after.revision }, capabilities(context, target));
}
