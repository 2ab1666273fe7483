// How Tasks stand to each other: list, relate, turn into another type, remove. Nothing blocks or contains itself, however long the way round,
// and what is hidden from the caller is neither shown nor named.
import * as contract from "@svc/contract/tasks/relations.ts";
import { NIL, newId } from "../kernel/ids.ts";
import { implement, implementList } from "../kernel/implement.ts";
import { refuse, refuseAt } from "../kernel/problem.ts";
import { render } from "../kernel/view.ts";
import { capabilities } from "../projects/access.ts";
import { insideTask } from "./access.ts";
import { type RelationTarget, relation, relationCapabilities } from "./relation-access.ts";
import { relationAdded, relationChanged, relationRemoved } from "./relation-events.ts";
import { type Ends, endsOf, same } from "./relation-rules.ts";
import * as store from "./relation-store.ts";

export const listTaskRelations = implementList(
  contract.listTaskRelations,
  insideTask("work:read"),
  (tx, { params, page }) => store.listRelations(tx, params.task_id, (page.after?.[0] as string) ?? NIL, page.limit + 1),
);

const OTHER = "/body/related_task_id";
/** A circle before a twin: what blocks the other way round is both, and the circle is the reason. */
function requireNoHindrance({ exists, parent, chain, most }: store.Looked, pointer: string): void {
  if (chain.circle) refuseAt(pointer, "relation_cycle", "leads back to the Task itself");
  if (exists) refuseAt(pointer, "relation_exists", "is related in this way already");
  if (parent) refuseAt(pointer, "parent_exists", "has a parent already");
  if (chain.length > store.LONGEST_CHAIN)
    refuseAt(pointer, "limit_reached", `leads to more than ${store.LONGEST_CHAIN} Tasks`);
  if (most >= contract.MOST_RELATIONS)
    refuseAt(pointer, "limit_reached", `one of the two has ${contract.MOST_RELATIONS} relations already`);
}

export const createTaskRelation = implement(
  contract.createTaskRelation,
  insideTask("work:write"),
  async (context, { target, body }) => {
    const { tx, record } = context;
    if (target.trashed) refuse("task_trashed");
    const relatedId = body.related_task_id.toLowerCase();
    if (relatedId === target.id) refuseAt(OTHER, "invalid_reference", "must be another Task");
    const ends = endsOf(body.type, target.id, relatedId);
    const looked = await store.look(tx, ends, relatedId);
    const project = looked.related_project_id ?? refuseAt(OTHER, "invalid_reference", "must be a Task that you see");
    requireNoHindrance(looked, OTHER);
    const id = newId();
    const row = await store.insertRelation(tx, target.id, id, ends);
    const projectOf = { [target.id]: target.project_id, [relatedId]: project };
    for (const fact of relationAdded({ id, projectOf }, ends)) record(fact);
    return render(row, capabilities(context, target));
  },
);

const storedEnds = ({ kind, from_task_id, to_task_id }: RelationTarget): Ends => ({
  kind,
  from: from_task_id,
  to: to_task_id,
});
const related = ({ id, from_task_id, to_task_id, from_project_id, to_project_id }: RelationTarget) => ({
  id,
  projectOf: { [from_task_id]: from_project_id, [to_task_id]: to_project_id },
});

export const updateTaskRelation = implement(
  contract.updateTaskRelation,
  relation(true),
  async (context, { target, body }) => {
    const { tx, record } = context;
    if (target.trashed) refuse("task_trashed");
    const before = storedEnds(target);
    const seenFrom = body.task_id?.toLowerCase() ?? target.made_on_task_id;
    if (seenFrom !== before.from && seenFrom !== before.to)
      refuseAt("/body/task_id", "invalid_reference", "must be one of the two Tasks");
    const otherId = seenFrom === before.from ? before.to : before.from;
    const after = endsOf(body.type, seenFrom, otherId);
    if (same(before, after))
      return render(await store.readRelation(tx, seenFrom, target.id), relationCapabilities(context, target));
    requireNoHindrance(await store.look(tx, after, otherId, target.id), "/body/type");
    const row = await store.updateRelation(tx, seenFrom, target.id, after);
    for (const fact of relationChanged(related(target), before, after)) record(fact);
    return render(row, relationCapabilities(context, target));
  },
);

export const deleteTaskRelation = implement(
  contract.deleteTaskRelation,
  relation(false),
  async ({ tx, record, defer }, { target }) => {
    defer(store.deleteRelation(tx, target.id));
    for (const fact of relationRemoved(related(target), storedEnds(target))) record(fact);
  },
);
