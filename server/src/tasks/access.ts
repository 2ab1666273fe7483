// Who sees a Task: whoever sees its Project. Found by id, or by code with its key in any case.
import type { Access } from "../kernel/implement.ts";
import { type InProject, permits, projectOfCaller, projectVisible } from "../projects/access.ts";
import type { WorkCapability } from "../projects/rules.ts";
import { taskView } from "./view.ts";

export interface TaskTarget extends InProject {
  id: string;
  project_id: string;
  project_key: string;
  revision: string;
  trashed: boolean;
  /** The wire form; empty where something is only listed or made inside the Task. */
  json: string;
}

const select = (columns: string, where: string) => `
select t.id, t.project_id, p.key as project_key, t.revision::text, t.trashed_at is not null as trashed, pm.role as project_role${columns}
from tasks t join projects p on p.workspace_id = t.workspace_id and p.id = t.project_id ${projectOfCaller}
where t.workspace_id = current_workspace() and ${where} and ${projectVisible}`;

const READ = select(`, ${taskView()} as json`, "t.id = $1");
const READ_BY_CODE = select(`, ${taskView()} as json`, "p.key = $1 and t.number = $2");
const PLACE = select(", '' as json", "t.id = $1");
const CHANGE = `${READ} for no key update of t`;

const byId = (capability: WorkCapability, sql: (change: boolean) => string): Access<TaskTarget> => ({
  reach: "membership",
  load: (tx, params, change) => tx.maybe<TaskTarget>(sql(change), [params.task_id]),
  permits: permits(capability),
});
export const task = (capability: WorkCapability) => byId(capability, (change) => (change ? CHANGE : READ));
/** Where something inside the Task is listed or made: neither rendered nor locked. */
export const insideTask = (capability: WorkCapability) => byId(capability, () => PLACE);

export const taskByCode = (capability: WorkCapability): Access<TaskTarget> => ({
  reach: "membership",
  load: (tx, params) => {
    const [key, number] = (params.task_code as string).toUpperCase().split("-");
    return tx.maybe<TaskTarget>(READ_BY_CODE, [key, number]);
  },
  permits: permits(capability),
});
