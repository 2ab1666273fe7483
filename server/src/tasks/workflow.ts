// Starting work on a Task by its id.
import * as contract from "@svc/contract/tasks/workflow.ts";
import { implement } from "../kernel/implement.ts";
import { render } from "../kernel/view.ts";
import { capabilities } from "../projects/access.ts";
import { task } from "./access.ts";
import { start } from "./transitions.ts";

export const startTask = implement(contract.startTask, task("work:write"), async (context, { target }) => {
  const { after, reassigned } = await start(context, target);
  const { json, revision } = after ?? render(target, capabilities(context, target));
  return { json: `${json.slice(0, -1)}, "reassigned": ${reassigned}}`, revision: revision ?? target.revision };
});
