// Who sees a Task: whoever sees its Project. Found by id, or by code with its key in any case.
import type { Access } from "../kernel/implement.ts";
import { caller, type InProject, permits, projectOfCaller, projectVisible } from "../projects/access.ts";
import type { WorkCapability } from "../projects/rules.ts";
import { taskView } from "./view.ts";

export interface TaskTarget extends InProject {
  id: string;
  project_id: string;
  revision: string;
  /** The wire form; empty when the row is loaded to be changed. */
  json: string;
  status_id: string;
  assignee_actor_id: string | null;
  description_markdown: string;
}

const select = (columns: string, where: string) => `
select t.id, t.project_id, t.revision::text, pm.role as project_role, ${columns}
from tasks t join projects p on p.workspace_id = t.workspace_id and p.id = t.project_id ${projectOfCaller}
where t.workspace_id = $1 and ${where} and ${projectVisible}`;

const READ = select(`${taskView} as json`, "t.id = $4");
const CHANGE = `${select("t.status_id, t.assignee_actor_id, t.description_markdown", "t.id = $4")} for no key update of t`;
const READ_BY_CODE = select(`${taskView} as json`, "p.key = $4 and t.number = $5");

/** `lock: false` where something is only added to the Task. */
export const task = (capability: WorkCapability, { lock = true } = {}): Access<TaskTarget> => ({
  reach: "membership",
  load: (context, params, change) =>
    context.tx.maybe<TaskTarget>(change && lock ? CHANGE : READ, [...caller(context), params["task_id"]]),
  permits: permits(capability),
});

export const taskByCode = (capability: WorkCapability): Access<TaskTarget> => ({
  reach: "membership",
  load: (context, params) => {
    const [key, number] = (params["task_code"] as string).toUpperCase().split("-");
    return context.tx.maybe<TaskTarget>(READ_BY_CODE, [...caller(context), key, number]);
  },
  permits: permits(capability),
});
