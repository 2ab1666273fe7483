// Inverse of a move to another Project: the Task returns under its old number, with the values that it had there and
// lost by moving. Values that the move did not change keep their current state.
import { permits } from "../../../planning/projects/access.ts";
import type { TaskTarget } from "../../../planning/tasks/access.ts";
import { fieldsOf } from "../../../planning/tasks/change.ts";
import { comeBack, isUnreviewed, type TaskPlacement } from "../../../planning/tasks/move-change.ts";
import { destination, givenStatus, labelsThere } from "../../../planning/tasks/move-store.ts";
import { type EnteredStatus, statusTimes } from "../../../planning/tasks/rules.ts";
import { acceptsTasks } from "../../../planning/tasks/store.ts";
import { settle } from "../../../platform/kernel/context.ts";
import type { Context } from "../../../platform/kernel/implement-operation.ts";
import {
  conflict,
  each,
  gone,
  hindered,
  type Inverse,
  movedOn,
  type OrderedEffect,
  requireMay,
  requireNone,
  same,
} from "../conflict.ts";
import type { Here } from "../store.ts";
import { reachTasks } from "./task-inverses.ts";

/** Excludes the position, which has no meaning in another Project. */
const CARRIED = ["status_id", "milestone_id"] as const;

/** The values of the carried fields after the return: the former value if the move changed it, else the current one. */
function carried(from: TaskPlacement, to: TaskPlacement, now: Here) {
  const keeps = (field: keyof Here) => same(from[field], to[field]);
  return {
    status_id: keeps("status_id") ? now.status_id : from.status_id,
    milestone_id: keeps("milestone_id") ? now.milestone_id : from.milestone_id,
    label_ids: keeps("label_ids") ? now.label_ids : from.label_ids,
  };
}

async function undoMove(context: Context, done: OrderedEffect, change: boolean) {
  const { tx, member, principal } = context;
  const { workspaceId } = member;
  // The events of a deleted Task have no payload.
  const { from, to } = done.payload as { from?: TaskPlacement; to?: TaskPlacement };
  if (!from || !to || !done.here) return conflict([gone(done)]);
  const { status_id, milestone_id, label_ids } = carried(from, to, done.here);
  const { project_id, code, position } = from;
  const [targets, place, status, accepted, there] = await settle([
    reachTasks(context, [done], change),
    destination(tx, project_id),
    givenStatus(tx, [workspaceId, project_id, status_id, done.here.status_id], change),
    milestone_id === null || acceptsTasks(tx, workspaceId, project_id, milestone_id, change),
    labelsThere(tx, workspaceId, { project_id, label_ids }, to),
  ]);
  const before = fieldsOf(targets.get(done.id) as TaskTarget);
  if (before.project_id !== to.project_id) conflict([movedOn(done, "project_id")]);
  if (before.trashed_at !== null) conflict([hindered(done, "", "task_trashed", "lies in the trash")]);
  if (!place) return conflict([hindered(done, "project_id", "not_found", "does not exist, or you cannot read it")]);
  requireMay(done, permits("work:write")(context, place));
  if (place.closed) conflict([hindered(done, "project_id", "project_closed", "takes no new work")]);

  // A label deleted since is gone from the Task, and would be gone without the move too.
  const labelled = same(from.label_ids, to.label_ids) ? there.usable : there.left;
  const moved = CARRIED.filter(
    (field) => !same(before[field], same(from[field], to[field]) ? done.here?.[field] : to[field]),
  );
  requireNone([
    ...moved.map((field) => movedOn(done, field)),
    ...(same(before.label_ids, labelled) ? [] : [movedOn(done, "label_ids")]),
    ...(status ? [] : [hindered(done, "status_id", "invalid_reference", "cannot be used in that Project any more")]),
    ...(status && isUnreviewed(context, place, status, from.status_id)
      ? [hindered(done, "status_id", "review_required", "was not reviewed in that Project")]
      : []),
    ...(accepted ? [] : [hindered(done, "milestone_id", "invalid_reference", "takes no Tasks of that Project")]),
  ]);
  const times = same(from.status_id, to.status_id) ? before : from;
  const rest = statusTimes((status as EnteredStatus).category, times, principal.now);
  return () => {
    comeBack(context, before, {
      project_id,
      code,
      position,
      status_id,
      milestone_id,
      label_ids: there.usable,
      ...rest,
    });
  };
}

export const undoMoves: Inverse = each(undoMove);
