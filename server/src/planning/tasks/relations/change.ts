// Changes of a relation, shared by every operation: checks for conflicts, writes the row, and records an event for both
// ends. Neither Task is in the trash, except for a removal.
import { MOST_RELATIONS } from "@svc/contract/planning/tasks/relations/relations.ts";
import { HOLD } from "../../../accounts/workspaces/access.ts";
import { settle } from "../../../platform/kernel/context.ts";
import type { Fact } from "../../../platform/kernel/events.ts";
import type { Context } from "../../../platform/kernel/implement-operation.ts";
import { newId } from "../../../platform/wire/ids.ts";
import { refuse, refuseAt } from "../../../platform/wire/problem.ts";
import type { TaskTarget } from "../access.ts";
import type { RelationTarget } from "./access.ts";
import { relationAdded, relationChanged, relationRemoved } from "./events.ts";
import { type Ends, endsOf, type Type } from "./rules.ts";
import * as store from "./store.ts";

const OTHER = "/body/related_task_id";
const NOT_ITSELF = "must be another Task";
const NOT_SEEN = "must be a Task that you see";
type InPlace = Pick<TaskTarget, "id" | "project_id">;
/** Reports a cycle before a duplicate: blocking in the opposite direction is both, and the cycle is the reason. */
function requireNoHindrance({ exists, parent, chain, most }: store.RelationCheck, pointer: string): void {
  if (chain.circle) refuseAt(pointer, "relation_cycle", "leads back to the Task itself");
  if (exists) refuseAt(pointer, "relation_exists", "is related in this way already");
  if (parent) refuseAt(pointer, "parent_exists", "has a parent already");
  if (chain.length > store.LONGEST_CHAIN)
    refuseAt(pointer, "limit_reached", `leads to more than ${store.LONGEST_CHAIN} Tasks`);
  if (most >= MOST_RELATIONS)
    refuseAt(pointer, "limit_reached", `one of the two has ${MOST_RELATIONS} relations already`);
}

/**
 * Refuses if the two Tasks cannot be related; returns the other Task's Project. Locks both Tasks unless `hold` is
 * false.
 */
export async function requireRelatable(
  { tx }: Context,
  taskId: string,
  type: Type,
  relatedId: string,
  { hold = true, except = [] }: store.Look = {},
) {
  if (relatedId === taskId) refuseAt(OTHER, "invalid_reference", NOT_ITSELF);
  const ends = endsOf(type, taskId, relatedId);
  const [held, looked] = await Promise.all([
    hold ? store.holdEnds(tx, [ends.from, ends.to]) : [taskId],
    store.look(tx, ends, relatedId, { hold, except }),
  ]);
  if (!held.includes(taskId)) refuse("not_found");
  const project = looked.related_project_id ?? refuseAt(OTHER, "invalid_reference", NOT_SEEN);
  requireNoHindrance(looked, OTHER);
  return project;
}

export interface RequestedRelation {
  type: Type;
  related_task_id: string;
  /** JSON pointer of the field in the request. */
  pointer: string;
}
/**
 * Creates several relations of a Task, one after the other, as if requested separately, so that they can conflict with
 * each other too. The Workspace row is locked, and the Task exists. Returns the events to record.
 */
export async function relateAll({ tx }: Context, task: InPlace, wanted: readonly RequestedRelation[]): Promise<Fact[]> {
  for (const { related_task_id, pointer } of wanted)
    if (related_task_id === task.id) refuseAt(pointer, "invalid_reference", NOT_ITSELF);
  const related = wanted.map((each) => ({
    ...each,
    ends: endsOf(each.type, task.id, each.related_task_id),
    id: newId(),
  }));
  const [, ...looks] = await settle([
    store.holdEnds(
      tx,
      related.map(({ related_task_id }) => related_task_id),
    ),
    ...related.map(async ({ id, ends, related_task_id }) => {
      const look = store.look(tx, ends, related_task_id, { hold: false });
      const [looked] = await settle([look, store.addRelation(tx, id, ends, related_task_id)]);
      return looked;
    }),
  ]);
  const unseen = related.filter((_, index) => looks[index]?.related_project_id === null);
  if (unseen.length > 0)
    refuse("invalid_reference", {
      errors: unseen.map(({ pointer }) => ({ pointer, code: "invalid_reference", detail: NOT_SEEN })),
    });
  return related.flatMap(({ id, ends, related_task_id, pointer }, index) => {
    const looked = looks[index] as store.RelationCheck;
    requireNoHindrance(looked, pointer);
    const projectOf = { [task.id]: task.project_id, [related_task_id]: looked.related_project_id as string };
    return relationAdded({ id, projectOf }, ends);
  });
}

/** Replaces the parent `before` that the caller can see by `after`; null means none. Returns the events to record. */
export async function reparent(
  context: Context,
  task: InPlace,
  before: string | null,
  after: string | null,
): Promise<Fact[]> {
  const { tx } = context;
  const wanted = { type: "child_of" as const, related_task_id: after as string, pointer: "/body/parent_id" };
  const [, left, added] = await settle([
    tx.rows(HOLD),
    before === null ? undefined : store.leaveParent(tx, task.id, before),
    after === null ? [] : relateAll(context, task, [wanted]),
  ]);
  if (before === null || !left) return added;
  const projectOf = { [task.id]: task.project_id, [before]: left.project_id };
  return [...relationRemoved({ id: left.id, projectOf }, { kind: "parent_of", from: before, to: task.id }), ...added];
}

/** Inserts a validated relation under this id, as seen from the Task. */
export function relate(
  { tx, record }: Context,
  target: TaskTarget,
  type: Type,
  related: { id: string; project_id: string },
  id: string,
) {
  const ends = endsOf(type, target.id, related.id);
  const projectOf = { [target.id]: target.project_id, [related.id]: related.project_id };
  for (const fact of relationAdded({ id, projectOf }, ends)) record(fact);
  return store.insertRelation(tx, target.id, id, ends);
}

export const storedEnds = ({ kind, from_task_id, to_task_id }: RelationTarget): Ends => ({
  kind,
  from: from_task_id,
  to: to_task_id,
});
const related = ({ id, from_task_id, to_task_id, from_project_id, to_project_id }: RelationTarget) => ({
  id,
  projectOf: { [from_task_id]: from_project_id, [to_task_id]: to_project_id },
});

/** Refuses if the relation cannot be turned into `after`, between the same two Tasks. */
export async function requireTurnable({ tx }: Context, id: string, seenFrom: string, after: Ends, hold = true) {
  const otherId = seenFrom === after.from ? after.to : after.from;
  requireNoHindrance(await store.look(tx, after, otherId, { except: [id], hold }), "/body/type");
}

/** Turns a relation into another, validated one. */
export function turn({ tx, record }: Context, target: RelationTarget, seenFrom: string, after: Ends) {
  for (const fact of relationChanged(related(target), storedEnds(target), after)) record(fact);
  return store.updateRelation(tx, seenFrom, target.id, after);
}

export function unrelate({ tx, record, defer }: Context, target: RelationTarget): void {
  defer(store.deleteRelation(tx, target.id));
  for (const fact of relationRemoved(related(target), storedEnds(target))) record(fact);
}
