// Undoing a move to another Project: the Task comes back under its old number, with what it had there and lost by moving. What the move left
// as it was stays as it is now.
import { settle } from "../kernel/context.ts";
import type { Context } from "../kernel/implement.ts";
import { permits } from "../projects/access.ts";
import type { TaskTarget } from "../tasks/access.ts";
import { fieldsOf } from "../tasks/change.ts";
import { comeBack, isUnreviewed, type Place } from "../tasks/move-change.ts";
import { destination, destinationStatus, labelsThere } from "../tasks/move-store.ts";
import { statusTimes } from "../tasks/rules.ts";
import { acceptsTasks } from "../tasks/store.ts";
import {
  conflict,
  type Done,
  gone,
  hindered,
  type Inverse,
  movedOn,
  requireMay,
  requireNone,
  same,
} from "./conflict.ts";
import { lockTasks } from "./task-inverses.ts";

/** Not its place in the order: in another Project it means nothing. */
const CARRIED = ["status_id", "milestone_id"] as const;

async function undoMove(context: Context, done: Done): Promise<void> {
  const { tx, member, principal } = context;
  // Nothing is told of a Task that was deleted.
  const { from, to } = done.payload as { from?: Place; to?: Place };
  if (!from || !to) return conflict([gone(done)]);
  const [targets, place] = await settle([lockTasks(context, [done]), destination(tx, from.project_id)]);
  const target = targets.get(done.id) as TaskTarget;
  const before = fieldsOf(target);
  if (before.project_id !== to.project_id) conflict([movedOn(done, "project_id")]);
  if (target.trashed) conflict([hindered(done, "", "task_trashed", "lies in the trash")]);
  if (!place) return conflict([hindered(done, "project_id", "not_found", "does not exist, or you cannot read it")]);
  requireMay(done, permits("work:write")(context, place));
  if (place.closed) conflict([hindered(done, "project_id", "project_closed", "takes no new work")]);

  const kept = Object.fromEntries(
    CARRIED.map((field) => [field, same(from[field], to[field]) ? before[field] : from[field]]),
  ) as Pick<Place, (typeof CARRIED)[number]>;
  const relabelled = !same(from.label_ids, to.label_ids);
  const labels = { project_id: place.id, label_ids: relabelled ? from.label_ids : before.label_ids };
  const { workspaceId } = member;
  const wanted = { project_id: place.id, status_id: kept.status_id };
  const [status, accepted, there] = await Promise.all([
    destinationStatus(tx, workspaceId, wanted, before.status_id),
    kept.milestone_id === null || acceptsTasks(tx, workspaceId, place.id, kept.milestone_id),
    labelsThere(tx, workspaceId, labels, to),
  ]);
  // A label that was deleted since is gone from the Task, and would be gone if it had stayed.
  const labelled = relabelled ? there.left : there.usable;
  requireNone([
    ...CARRIED.filter((field) => !same(from[field], to[field]) && !same(before[field], to[field])).map((field) =>
      movedOn(done, field),
    ),
    ...(same(before.label_ids, labelled) ? [] : [movedOn(done, "label_ids")]),
    ...(status ? [] : [hindered(done, "status_id", "invalid_reference", "cannot be used in that Project any more")]),
    ...(status && isUnreviewed(context, place, status, from.status_id)
      ? [hindered(done, "status_id", "review_required", "was not reviewed in that Project")]
      : []),
    ...(accepted ? [] : [hindered(done, "milestone_id", "invalid_reference", "takes no Tasks of that Project")]),
  ]);
  if (!status) return;
  const { code, position } = from;
  const times = same(from.status_id, to.status_id) ? before : from;
  const { project_id, label_ids } = { project_id: place.id, label_ids: there.usable };
  const rest = { ...kept, ...statusTimes(status.category, times, principal.now) };
  comeBack(context, before, { project_id, code, position, label_ids, ...rest });
}

export const undoMoves: Inverse = async (context, done) => {
  for (const each of done) await undoMove(context, each);
};
