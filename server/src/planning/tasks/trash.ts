// The trash, and permanent deletion from it. Replacing a Status or deleting a Milestone also updates the Tasks in the
// trash (see planning/lifecycle/store.ts), so that a restored Task is in a valid place.
import * as contract from "@svc/contract/planning/tasks/trash.ts";
import { implement } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { taskCapabilities } from "../projects/access.ts";
import { task } from "./access.ts";
import { changeTask, fieldsOf } from "./change.ts";
import { subjectOf, taskDeleted } from "./events.ts";

export const trashTask = implement(contract.trashTask, task("work:write"), async (context, { target }) => {
  if (target.trashed) return render(target, taskCapabilities(context, target));
  return changeTask(context, target, fieldsOf(target), { trashed_at: context.principal.now });
});

export const restoreTask = implement(contract.restoreTask, task("work:write"), async (context, { target }) => {
  if (!target.trashed) return render(target, taskCapabilities(context, target));
  return changeTask(context, target, fieldsOf(target), { trashed_at: null });
});

const DELETE = "delete from tasks where workspace_id = $1 and id = $2";

/** Foreign keys cascade the deletion to everything that belongs to the Task. */
export const deleteTask = implement(
  contract.deleteTask,
  task("work:manage"),
  async ({ tx, member, record, defer }, { target }) => {
    if (!target.trashed) refuse("task_not_trashed");
    defer(tx.rows(DELETE, [member.workspaceId, target.id]));
    const { code } = fieldsOf(target);
    record(taskDeleted(subjectOf(target), { code }));
  },
);
