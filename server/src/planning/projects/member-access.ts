// Access rules of Project members: only those who manage the Project.
import { type Access, unlessHidden } from "../../platform/kernel/implement-operation.ts";
import { type InProject, inProject, permits, projectOfCaller, projectVisible } from "./access.ts";
import type { ProjectRole } from "./rules.ts";

export interface ProjectMemberTarget extends InProject {
  project_id: string;
  actor_id: string;
  /** Null if the Actor is not in the Project. */
  revision: string | null;
  role: ProjectRole | null;
  /** Whether the person is an active member of the Workspace. */
  active: boolean;
}
// The Actor, in the Project or not: removal is idempotent.
const LOAD = `
select p.id as project_id, a.id as actor_id, ${inProject}, x.revision::text, x.role, exists (
  select from memberships m where m.workspace_id = a.workspace_id and m.user_id = a.user_id and m.actor_id = a.id
    and m.state = 'active') as active
from projects p ${projectOfCaller} join actors a on a.workspace_id = p.workspace_id and a.id = $2
left join project_members x on x.workspace_id = p.workspace_id and x.project_id = p.id and x.actor_id = a.id
where p.workspace_id = current_workspace() and p.id = $1 and ${projectVisible}`;
const LOCK = `select from project_members where workspace_id = current_workspace() and project_id = $1 and actor_id = $2
    for update`;

/**
 * `orActor`: also finds an Actor who is not a member, and ignores archiving, because removing somebody must not require
 * restoring the Project.
 */
export const projectMember = (orActor: boolean): Access<ProjectMemberTarget> => ({
  reach: "membership",
  load: async (tx, { project_id, actor_id }, change) => {
    const values = [project_id, actor_id];
    const [, target] = await Promise.all([
      change && tx.rows(LOCK, values),
      tx.maybe<ProjectMemberTarget>(LOAD, values),
    ]);
    return target && (orActor || target.revision !== null) ? target : undefined;
  },
  permits: (context, target) =>
    unlessHidden(
      permits("work:manage")(context, { ...target, ...(orActor ? { project_archived: false } : {}) }),
      target.revision === null,
    ),
});
