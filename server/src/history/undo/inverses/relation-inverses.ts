// Inverses of changes to relations of Tasks and to subscriptions. A relation is recorded twice, once for each of its
// ends, and undone once.
import { insideTask } from "../../../planning/tasks/access.ts";
import { permitsRelation, type RelationTarget, relation } from "../../../planning/tasks/relations/access.ts";
import {
  relate,
  requireRelatable,
  requireTurnable,
  storedEnds,
  turn,
  unrelate,
} from "../../../planning/tasks/relations/change.ts";
import { endsOf, type Type, typeSeen } from "../../../planning/tasks/relations/rules.ts";
import { decide, ownSubscription } from "../../../planning/tasks/subscriptions/change.ts";
import { settle } from "../../../platform/kernel/context.ts";
import type { Context } from "../../../platform/kernel/implement-operation.ts";
import {
  conflict,
  each,
  gone,
  hindered,
  type Inverse,
  later,
  movedOn,
  type OrderedEffect,
  reach,
  requireMay,
  withoutHindrance,
} from "../conflict.ts";

interface Payload {
  relation_id: string;
  related_task_id: string;
  type: Type;
  from: Type;
  to: Type;
}
const told = ({ payload }: Pick<OrderedEffect, "payload">) => payload as unknown as Payload;

/** Whether undoing the command also restores this effect's Task from the trash. */
const comesBack = ({ id, beside }: OrderedEffect) =>
  beside.some((other) => other.type === "task.trashed" && other.id === id);
/** The relations that undoing the command also removes. */
const going = ({ beside }: OrderedEffect) =>
  beside.filter(({ type }) => type === "task.relation_added").map((other) => told(other).relation_id);

/** Applies an inverse once per relation. Both ends must still have a payload: events of a deleted Task have none. */
const once =
  (inverse: Inverse): Inverse =>
  async (context, done, change) => {
    const silent = done.filter((effect) => told(effect).relation_id === undefined);
    if (silent.length > 0) conflict(silent.map(gone));
    // Prefers the end whose Task undoing restores.
    const seen = done.toSorted((one, other) => Number(comesBack(one)) - Number(comesBack(other)));
    return inverse(context, [...new Map(seen.map((effect) => [told(effect).relation_id, effect])).values()], change);
  };

/** Loads the relation, which must still be of this type as seen from the Task. */
async function standing(context: Context, done: OrderedEffect, type: Type, change: boolean): Promise<RelationTarget> {
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

/** Restores the relation under the same id, for callers who may change one Task and see both. */
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
