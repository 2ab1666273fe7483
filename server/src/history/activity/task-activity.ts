// Lists the activity of one Task: the Workspace's feed, narrowed to it.
import * as contract from "@svc/contract/history/activity/task-activity.ts";
import { insideTask } from "../../planning/tasks/access.ts";
import { implementList } from "../../platform/kernel/implement-operation.ts";
import { feed } from "./feed.ts";

export const listTaskActivity = implementList(contract.listTaskActivity, insideTask("work:read"), (tx, input) =>
  feed(tx, input, { taskId: input.params.task_id }),
);
