// Undoing what was done to relations of Tasks, and to following them. A relation is told twice, once for each of its ends, and undone once.
import { settle } from "../kernel/context.ts";
import type { Context } from "../kernel/implement.ts";
import { insideTask } from "../tasks/access.ts";
import { permitsRelation, type RelationTarget, relation } from "../tasks/relation-access.ts";
import { relate, storedEnds, turn, unrelate } from "../tasks/relation-change.ts";
import { endsOf, type Type, typeSeen } from "../tasks/relation-rules.ts";
import { decide, ownSubscription } from "../tasks/subscription-change.ts";
import {
  conflict,
  type Done,
  gone,
  hindered,
  type Inverse,
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
const told = ({ payload }: Done) => payload as unknown as Payload;

/** One for each relation, once both ends are known to be told still: of a Task that was deleted nothing is. */
function once(done: readonly Done[]): Done[] {
  const silent = done.filter((each) => told(each).relation_id === undefined);
  if (silent.length > 0) conflict(silent.map(gone));
  return [...new Map(done.map((each) => [told(each).relation_id, each])).values()];
}

/** The relation as it is now, where it is still of this type as seen from the Task. */
async function standing(context: Context, done: Done, type: Type): Promise<RelationTarget> {
  const target = await reach(context, done, relation(), { relation_id: told(done).relation_id });
  if (typeSeen(storedEnds(target), done.id) !== type) conflict([movedOn(done, "type")]);
  return target;
}

export const undoRelationsAdded: Inverse = async (context, done) => {
  for (const each of once(done)) unrelate(context, await standing(context, each, told(each).type));
};

export const undoRelationsChanged: Inverse = async (context, done) => {
  for (const each of once(done)) {
    const { from, to, related_task_id } = told(each);
    const target = await standing(context, each, to);
    if (target.trashed) conflict([hindered(each, "", "task_trashed", "one of the two lies in the trash")]);
    await withoutHindrance(each, () => turn(context, target, each.id, endsOf(from, each.id, related_task_id)));
  }
};

/** Under the same id, by whoever may change one of the two and sees both. */
export const undoRelationsRemoved: Inverse = async (context, done) => {
  for (const each of once(done)) {
    const { relation_id, related_task_id, type } = told(each);
    const place = (task_id: string) => insideTask("work:read").load(context.tx, { task_id }, true);
    const [own, other] = await settle([place(each.id), place(related_task_id)]);
    if (!own || !other) return conflict([gone(each)]);
    requireMay(each, permitsRelation(context, [own, other]));
    await withoutHindrance(each, () => relate(context, own, type, related_task_id, relation_id));
  }
};

export const undoSubscriptions: Inverse = async (context, done) => {
  for (const each of done) {
    const target = await reach(context, each, ownSubscription, { task_id: each.id });
    const { from, to } = each.payload as Record<"from" | "to", { follows: boolean | null; muted: boolean }>;
    if (target.follows !== to.follows || target.muted !== to.muted) conflict([movedOn(each)]);
    decide(context, target, from.follows, from.muted);
  }
};
