// Undoing what was done to relations of Tasks, and to following them. A relation is told twice, once for each of its ends, and undone once.

import { insideTask } from "../../planning/tasks/access.ts";
import { permitsRelation, type RelationTarget, relation } from "../../planning/tasks/relations/access.ts";
import {
  relate,
  requireRelatable,
  requireTurnable,
  storedEnds,
  turn,
  unrelate,
} from "../../planning/tasks/relations/change.ts";
import { endsOf, type Type, typeSeen } from "../../planning/tasks/relations/rules.ts";
import { decide, ownSubscription } from "../../planning/tasks/subscriptions/change.ts";
import { settle } from "../../platform/kernel/context.ts";
import type { Context } from "../../platform/kernel/implement.ts";
import {
  conflict,
  type Done,
  each,
  gone,
  hindered,
  type Inverse,
  later,
  movedOn,
  reach,
  requireMay,
  withoutHindrance,
} from "./conflict.ts";

interface Payload {
  relation_id: string;
  related_task_id: string;
  type: Type;
  from: Type;
  to: Type;
}
const told = ({ payload }: Pick<Done, "payload">) => payload as unknown as Payload;

/** Whether its Task comes out of the trash together with this. */
const comesBack = ({ id, beside }: Done) => beside.some((other) => other.type === "task.trashed" && other.id === id);
/** The relations that go together with this. */
const going = ({ beside }: Done) =>
  beside.filter(({ type }) => type === "task.relation_added").map((other) => told(other).relation_id);

/** Each relation once, when both ends are known to be told still: of a Task that was deleted nothing is. */
const once =
  (inverse: Inverse): Inverse =>
  async (context, done, change) => {
    const silent = done.filter((effect) => told(effect).relation_id === undefined);
    if (silent.length > 0) conflict(silent.map(gone));
    // As seen from the Task that comes back, where one of the two does.
    const seen = done.toSorted((one, other) => Number(comesBack(one)) - Number(comesBack(other)));
    return inverse(context, [...new Map(seen.map((effect) => [told(effect).relation_id, effect])).values()], change);
  };

/** The relation as it is now, where it is still of this type as seen from the Task. */
async function standing(context: Context, done: Done, type: Type, change: boolean): Promise<RelationTarget> {
  const target = await reach(context, done, relation(), { relation_id: told(done).relation_id }, change);
  if (typeSeen(storedEnds(target), done.id) !== type) conflict([movedOn(done, "type")]);
  return target;
}

export const undoRelationsAdded: Inverse = once(
  each(async (context, done, change) => {
    const target = await standing(context, done, told(done).type, change);
    return () => unrelate(context, target);
  }),
);

export const undoRelationsChanged: Inverse = once(
  each(async (context, done, change) => {
    const { from, to, related_task_id, relation_id } = told(done);
    const ends = endsOf(from, done.id, related_task_id);
    const [target, turnable] = await settle([
      standing(context, done, to, change),
      later(withoutHindrance(done, () => requireTurnable(context, relation_id, done.id, ends, change))),
    ]);
    if (target.trashed) conflict([hindered(done, "", "task_trashed", "one of the two lies in the trash")]);
    turnable();
    return () => context.defer(turn(context, target, done.id, ends));
  }),
);

/** Under the same id, by whoever may change one of the two and sees both. */
export const undoRelationsRemoved: Inverse = once(
  each(async (context, done, change) => {
    const { relation_id, related_task_id, type } = told(done);
    const place = (task_id: string) => insideTask("work:read").load(context.tx, { task_id }, change);
    const [own, other, relatable] = await settle([
      place(done.id),
      place(related_task_id),
      later(
        withoutHindrance(done, () =>
          requireRelatable(context, done.id, type, related_task_id, { hold: change, except: going(done) }),
        ),
      ),
    ]);
    if (!own || !other) return conflict([gone(done)]);
    requireMay(done, permitsRelation(context, [own, other]));
    if ((own.trashed && !comesBack(done)) || other.trashed)
      conflict([hindered(done, "", "task_trashed", "one of the two lies in the trash")]);
    const related = { id: related_task_id, project_id: relatable() };
    return () => context.defer(relate(context, own, type, related, relation_id));
  }),
);

export const undoSubscriptions: Inverse = each(async (context, done, change) => {
  const target = await reach(context, done, ownSubscription, { task_id: done.id }, change);
  const { from, to } = done.payload as Record<"from" | "to", { follows: boolean | null; muted: boolean }>;
  if (target.follows !== to.follows || target.muted !== to.muted) conflict([movedOn(done)]);
  return () => {
    decide(context, target, from.follows, from.muted);
  };
});
