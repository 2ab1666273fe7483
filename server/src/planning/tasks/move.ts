// Moves a Task to another Project, and duplicates a Task.
import * as contract from "@svc/contract/planning/tasks/move.ts";
import { differing } from "../../platform/database/sql.ts";
import { type Context, implement } from "../../platform/kernel/implement-operation.ts";
import { requirePermission } from "../../platform/kernel/steps.ts";
import { render } from "../../platform/kernel/view.ts";
import { newId } from "../../platform/wire/ids.ts";
import { refuse, refuseAt } from "../../platform/wire/problem.ts";
import { permits, taskCapabilities } from "../projects/access.ts";
import { type TaskTarget, task, taskInPlace } from "./access.ts";
import { fieldsOf } from "./change.ts";
import { subjectOf, taskCreated, taskMoved } from "./events.ts";
import { isUnreviewed, placeOf } from "./move-change.ts";
import * as store from "./move-store.ts";
import { statusTimes, type TaskFields } from "./rules.ts";

/** Validates the destination and the caller's permission there; returns Project and Status. */
async function requireDestination(
  context: Context,
  target: TaskTarget,
  before: TaskFields,
  body: { project_id: string; status_id?: string },
) {
  const [place, status] = await Promise.all([
    store.destination(context.tx, body.project_id),
    store.destinationStatus(context.tx, context.member.workspaceId, body, before.status_id),
  ]);
  if (!place || place.id === target.project_id)
    return refuseAt("/body/project_id", "invalid_reference", "must be another Project of this Workspace");
  requirePermission(permits("work:write")(context, place));
  if (place.closed) refuse("project_closed");
  if (!status)
    return refuseAt("/body/status_id", "invalid_reference", "must exist, be active and be usable in that Project");
  if (isUnreviewed(context, place, status))
    return refuseAt("/body/status_id", "review_required", "must not count as completed: that Project requires review");
  return { place, status };
}

export const moveTask = implement(contract.moveTask, task("work:write"), async (context, { target, body }) => {
  const { tx, member, principal, record } = context;
  if (target.trashed) refuse("task_trashed");
  const before = fieldsOf(target);
  if (!differing(body, before)) return render(target, taskCapabilities(context, target));
  const { place, status } = await requireDestination(context, target, before, body);
  const times = statusTimes(status.category, before, principal.now);
  const number = await context.numberIn(place.id);
  const row = await store.moveTask(tx, member.workspaceId, target.id, place, status, times, number);
  const after = JSON.parse(row.json) as TaskFields;
  record(taskMoved(subjectOf(after), { from: placeOf(before), to: placeOf(after) }));
  return render(row, taskCapabilities(context, { ...place, trashed: false }));
});

export const duplicateTask = implement(
  contract.duplicateTask,
  taskInPlace("work:write"),
  async (context, { target }) => {
    const { tx, member, record } = context;
    if (target.trashed) refuse("task_trashed");
    if (target.closed) refuse("project_closed");
    const id = newId();
    const number = await context.numberIn(target.project_id);
    const row = await store.duplicateTask(tx, member, target, { id, number });
    // The Task was deleted concurrently.
    if (!row) return refuse("not_found");
    const { title, status_id } = JSON.parse(row.json) as TaskFields;
    record(
      taskCreated(subjectOf({ id, project_id: target.project_id }), { title, status_id, duplicate_of: target.id }),
    );
    return render(row, taskCapabilities(context, target));
  },
);
