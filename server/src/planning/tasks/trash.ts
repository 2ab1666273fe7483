// The trash, and what is deleted from it for ever. A Status or a Milestone that goes away takes the Tasks in the trash along (see
// planning/lifecycle/store.ts), so that what comes out of it is where it can be.
import * as contract from "@svc/contract/planning/tasks/trash.ts";
import { implement } from "../../platform/kernel/implement.ts";
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

/** What hangs on the Task goes with it by its foreign keys. */
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
