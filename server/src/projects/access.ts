// Who sees a Project, in one predicate that get, list, search, activity and every resource inside a Project share.
import type { Access, Context } from "../kernel/implement.ts";
import { callerManages } from "../workspaces/access.ts";
import { type ProjectRole, type WorkCapability, workCapabilities } from "./rules.ts";
import { projectView } from "./view.ts";

/** Joins the caller's Project membership as pm. */
export const projectOfCaller = `
left join project_members pm on pm.workspace_id = p.workspace_id and pm.project_id = p.id and pm.actor_id = current_actor()`;
export const projectVisible = `(p.visibility = 'workspace' or pm.actor_id is not null or ${callerManages})`;

export interface InProject {
  project_role: ProjectRole | null;
}
/** Whether the caller may do this to something inside a Project that it can see. */
export const permits =
  (capability: WorkCapability) =>
  ({ member }: Context, target: InProject) =>
    workCapabilities(member.role, target.project_role).includes(capability);
export const capabilities = ({ member }: Context, target: InProject) =>
  workCapabilities(member.role, target.project_role);

export interface ProjectTarget extends InProject {
  id: string;
  key: string;
  revision: string;
  /** The wire form, where the Project is read for itself and not to be changed. */
  json: string;
}

const select = (columns: string) => `
select p.id, p.key, p.revision::text, pm.role as project_role${columns}
from projects p ${projectOfCaller}
where p.workspace_id = current_workspace() and p.id = $1 and ${projectVisible}`;
const READ = select(`, ${projectView} as json`);
const CHANGE = `${select("")} for no key update of p`;
const PLACE = select("");

const byId = (capability: WorkCapability, sql: (change: boolean) => string): Access<ProjectTarget> => ({
  reach: "membership",
  load: (tx, params, change) => tx.maybe<ProjectTarget>(sql(change), [params.project_id]),
  permits: permits(capability),
});
export const project = (capability: WorkCapability) => byId(capability, (change) => (change ? CHANGE : READ));
/** Where something inside the Project is listed or made: neither rendered nor locked, so that its writers do not queue. */
export const insideProject = (capability: WorkCapability) => byId(capability, () => PLACE);
