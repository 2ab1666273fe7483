// Relations between Tasks: list, create, change the type, remove. No Task blocks or contains itself, not even through a
// chain of others, and Tasks hidden from the caller are neither shown nor named.
import type { Capability } from "@svc/contract/capabilities.ts";
import * as contract from "@svc/contract/planning/tasks/relations/relations.ts";
import { implement, implementList } from "../../../platform/kernel/implement-operation.ts";
import { render } from "../../../platform/kernel/view.ts";
import { NIL, newId } from "../../../platform/wire/ids.ts";
import { refuse, refuseAt } from "../../../platform/wire/problem.ts";
import { insideTask } from "../access.ts";
import { relation } from "./access.ts";
import { relate, requireRelatable, requireTurnable, storedEnds, turn, unrelate } from "./change.ts";
import { endsOf, same } from "./rules.ts";
import * as store from "./store.ts";

/** Only creations and changes return them, so the caller has the permission. */
const relationCapabilities: Capability[] = ["relation:update", "relation:delete"];

export const listTaskRelations = implementList(
  contract.listTaskRelations,
  insideTask("work:read"),
  (tx, { params, page }) => store.listRelations(tx, params.task_id, (page.after?.[0] as string) ?? NIL, page.limit + 1),
);

export const createTaskRelation = implement(
  contract.createTaskRelation,
  insideTask("work:write"),
  async (context, { target, body }) => {
    if (target.trashed) refuse("task_trashed");
    const id = body.related_task_id.toLowerCase();
    const project_id = await requireRelatable(context, target.id, body.type, id);
    const row = await relate(context, target, body.type, { id, project_id }, newId());
    return render(row, relationCapabilities);
  },
);

export const updateTaskRelation = implement(
  contract.updateTaskRelation,
  relation(),
  async (context, { target, body }) => {
    if (target.trashed) refuse("task_trashed");
    const before = storedEnds(target);
    const seenFrom = body.task_id.toLowerCase();
    if (seenFrom !== before.from && seenFrom !== before.to)
      refuseAt("/body/task_id", "invalid_reference", "must be one of the two Tasks");
    const after = endsOf(body.type, seenFrom, seenFrom === before.from ? before.to : before.from);
    const changes = !same(before, after);
    if (changes) await requireTurnable(context, target.id, seenFrom, after);
    const row = changes ? turn(context, target, seenFrom, after) : store.readRelation(context.tx, seenFrom, target.id);
    return render(await row, relationCapabilities);
  },
);

export const deleteTaskRelation = implement(contract.deleteTaskRelation, relation(), async (context, { target }) =>
  unrelate(context, target),
);
