// A Task with its context, and its related Tasks, for the user interface.
import * as contract from "@svc/contract/planning/tasks/context/context.ts";
import { type Access, implement } from "../../../platform/kernel/implement-operation.ts";
import { insideTask, type TaskTarget, task } from "../access.ts";
import { fieldsOf } from "../change.ts";
import { contextOf, relatedOf } from "./rules.ts";
import { materialOf, milestoneTasks, wantedTasks } from "./store.ts";

const readable = task("work:read");
/** The path parameter is called id. */
const named: Access<TaskTarget> = {
  ...readable,
  load: (tx, params, change) => readable.load(tx, { ...params, task_id: params.id as string }, change),
};

export const getTaskContext = implement(contract.getTaskContext, named, async ({ tx }, { target, query }) => {
  const { profile = "compact" } = query;
  return contextOf(profile, { task: fieldsOf(target), ...(await materialOf(tx, target.id, profile)) });
});

export const getRelatedTaskContext = implement(
  contract.getRelatedTaskContext,
  insideTask("work:read"),
  async ({ tx }, { target, query }) => {
    const { profile = "compact" } = query;
    const [found, siblings] = await Promise.all([wantedTasks(tx, target.id), milestoneTasks(tx, target.id, profile)]);
    return relatedOf(profile, target.id, { ...found, siblings });
  },
);
