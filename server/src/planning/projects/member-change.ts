// Adds, changes and removes Project members, for every operation. The caller has checked the permission.
import type { Context } from "../../platform/kernel/implement-operation.ts";
import { projectMemberAdded, projectMemberChanged, projectMemberRemoved } from "./events.ts";
import type { ProjectMemberTarget } from "./member-access.ts";
import type { ProjectRole } from "./rules.ts";
import { projectMemberView } from "./view.ts";

type Row = { json: string; revision: string };
type Named = Pick<ProjectMemberTarget, "project_id" | "actor_id">;
const subjectOf = ({ project_id, actor_id }: Named) => ({
  kind: "project_member",
  id: actor_id,
  projectId: project_id,
});
const values = ({ member }: Context, { project_id, actor_id }: Named) => [member.workspaceId, project_id, actor_id];

/** Joins the Workspace membership as m and the user as u, through the Actor of x. */
export const personOfMember = `
join actors a on a.workspace_id = x.workspace_id and a.id = x.actor_id
join memberships m on m.workspace_id = a.workspace_id and m.user_id = a.user_id
join users u on u.id = a.user_id`;

const ADD = `
with x as (
  insert into project_members (workspace_id, project_id, actor_id, role)
  select a.workspace_id, $2, a.id, $4
  from actors a join memberships m on m.workspace_id = a.workspace_id and m.user_id = a.user_id and m.actor_id = a.id
    and m.state = 'active'
  where a.workspace_id = $1 and a.id = $3 returning *
)
select ${projectMemberView} as json, x.revision::text from x ${personOfMember}`;
/** Undefined if the Actor is not an active member of the Workspace. */
export function addMember(context: Context, named: Named, role: ProjectRole) {
  context.record(projectMemberAdded(subjectOf(named), { role }));
  return context.tx.maybe<Row>(ADD, [...values(context, named), role]);
}

const CHANGE = `
with x as (
  update project_members set role = $4, revision = revision + 1, updated_at = now()
  where workspace_id = $1 and project_id = $2 and actor_id = $3 returning *
)
select ${projectMemberView} as json, x.revision::text from x ${personOfMember}`;
export function changeRole(context: Context, target: ProjectMemberTarget, role: ProjectRole) {
  context.record(projectMemberChanged(subjectOf(target), { from: target.role, to: role }));
  return context.tx.one<Row>(CHANGE, [...values(context, target), role]);
}

const REMOVE = "delete from project_members where workspace_id = $1 and project_id = $2 and actor_id = $3";
export function removeMember(context: Context, target: ProjectMemberTarget): void {
  context.defer(context.tx.rows(REMOVE, values(context, target)));
  context.record(projectMemberRemoved(subjectOf(target), { role: target.role }));
}
