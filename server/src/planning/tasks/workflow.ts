// Starts work on a Task, by its id.
import * as contract from "@svc/contract/planning/tasks/workflow.ts";
import { implement } from "../../platform/kernel/implement-operation.ts";
import { extended, render } from "../../platform/kernel/view.ts";
import { taskCapabilities } from "../projects/access.ts";
import { task } from "./access.ts";
import { start } from "./transitions.ts";

export const startTask = implement(contract.startTask, task("work:write"), async (context, { target }) => {
  const { after, reassigned } = await start(context, target);
  return extended(after ?? render(target, taskCapabilities(context, target)), { reassigned });
});
