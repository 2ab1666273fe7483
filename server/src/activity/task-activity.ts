// The activity of one Task: the Workspace's feed, narrowed to it.
import * as contract from "@svc/contract/activity/task-activity.ts";
import { implementList } from "../kernel/implement.ts";
import { insideTask } from "../tasks/access.ts";
import { feed } from "./feed.ts";

export const listTaskActivity = implementList(contract.listTaskActivity, insideTask("work:read"), (tx, input) =>
  feed(tx, input, { taskId: input.params.task_id }),
);
