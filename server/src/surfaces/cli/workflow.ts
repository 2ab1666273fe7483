// Starts, finishes and reopens a Task from the command line: the transitions of the API, shown without ids.
import * as contract from "@svc/contract/surfaces/cli/workflow.ts";
import { taskCapabilities } from "../../planning/projects/access.ts";
import { type TaskTarget, taskByCode } from "../../planning/tasks/access.ts";
import { complete, reopen, start } from "../../planning/tasks/transitions.ts";
import { type Context, implement } from "../../platform/kernel/implement-operation.ts";
import { extended, render } from "../../platform/kernel/view.ts";
import { readTask } from "./store.ts";

/** Present state of the Task: its change was sent to the database before. */
const shown = async (context: Context, target: TaskTarget) =>
  render(await readTask(context.tx, target.id), taskCapabilities(context, target));

export const startCliTask = implement(contract.startCliTask, taskByCode("work:write"), async (context, { target }) => {
  const { reassigned } = await start(context, target);
  return extended(await shown(context, target), { reassigned });
});

export const completeCliTask = implement(
  contract.completeCliTask,
  taskByCode("work:write"),
  async (context, { target, query }) => {
    await complete(context, target, query.target_status_id);
    return shown(context, target);
  },
);

export const reopenCliTask = implement(
  contract.reopenCliTask,
  taskByCode("work:write"),
  async (context, { target }) => {
    await reopen(context, target);
    return shown(context, target);
  },
);
