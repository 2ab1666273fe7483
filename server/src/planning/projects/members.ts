// Members of a Project. Membership changes only here; a Project role never widens a member's permissions in the
// Workspace.
import * as contract from "@svc/contract/planning/projects/members.ts";
import { projectRoles } from "@svc/contract/types.ts";
import { soughtName } from "../../accounts/workspaces/rules.ts";
import { EXAMINED, filteredPage, isShown, membersByName } from "../../accounts/workspaces/store.ts";
import { differing } from "../../platform/database/sql.ts";
import { type Context, implement, implementList, type ListResult } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { NIL } from "../../platform/wire/ids.ts";
import { lettingThrough } from "../../platform/wire/input/value-filter.ts";
import { refuseAt } from "../../platform/wire/problem.ts";
import { granted, type InProject, insideProject } from "./access.ts";
import { projectMember } from "./member-access.ts";
import { addMember, changeRole, personOfMember, removeMember } from "./member-change.ts";
import { projectMemberView } from "./view.ts";

type Row = { json: string; revision: string };

const LIST = `
select ${projectMemberView} as json, json_build_array(x.actor_id)::text as key
from project_members x ${personOfMember}
where x.workspace_id = current_workspace() and x.project_id = $1 and x.actor_id > $2
order by x.actor_id limit $3`;

const EXAMINE = `
/* reads up to ${2 * EXAMINED}: whose role in the Project fits */
select s.json as json, json_build_array(x.actor_id)::text as key, ${isShown("s.json", "x.actor_id")}
from (
  select * from project_members where workspace_id = current_workspace() and project_id = $1 and actor_id > $2
  order by actor_id limit ${EXAMINED + 1}
) x ${personOfMember}
cross join lateral (select case when x.role = any($3::text[]) then ${projectMemberView} end as json) s
order by x.actor_id`;
const FIND = membersByName(`
select ${projectMemberView} as json
from memberships m join users u on u.id = m.user_id
join project_members x on x.workspace_id = m.workspace_id and x.actor_id = m.actor_id
where x.project_id = $5 and x.role = any($6::text[])`);

export const listProjectMembers = implementList(
  contract.listProjectMembers,
  insideProject("work:read"),
  async (tx, { params, query, page }): Promise<ListResult> => {
    const { q, role } = query;
    const roles = lettingThrough(role, projectRoles);
    if (q !== undefined) {
      const after = page.after ?? ["", NIL];
      return filteredPage(
        await tx.rows(FIND, [soughtName(q), ...after, page.limit, params.project_id, roles]),
        page.limit,
      );
    }
    const from = [params.project_id, page.after?.[0] ?? NIL];
    if (role === undefined) return tx.rows(LIST, [...from, page.limit + 1]);
    return filteredPage(await tx.rows(EXAMINE, [...from, roles, page.limit]), page.limit);
  },
);

export const addProjectMember = implement(
  contract.addProjectMember,
  insideProject("work:manage"),
  async (context, { target, body }) => {
    const row = await addMember(context, { project_id: target.id, actor_id: body.actor_id }, body.role);
    return row ? render(row, memberCapabilities(context, target)) : refuseActor();
  },
);

const memberCapabilities = (context: Context, target: InProject) =>
  granted(context, target, "work:manage", "project_member:update", "project_member:remove");

const refuseActor = (): never =>
  refuseAt("/body/actor_id", "invalid_reference", "must be an active member of the Workspace");

const READ = `
select ${projectMemberView} as json, x.revision::text from project_members x ${personOfMember}
where x.workspace_id = $1 and x.project_id = $2 and x.actor_id = $3`;

export const updateProjectMember = implement(
  contract.updateProjectMember,
  projectMember(false),
  async (context, { target, body }) => {
    const { tx, member } = context;
    const named = [member.workspaceId, target.project_id, target.actor_id];
    const { role } = body;
    if (role === undefined || !differing({ role }, target))
      return render(await tx.one<Row>(READ, named), memberCapabilities(context, target));
    const row = await changeRole(context, target, role);
    const own = target.actor_id === member.actorId;
    return render(row, memberCapabilities(context, own ? { ...target, project_role: role } : target));
  },
);

export const removeProjectMember = implement(
  contract.removeProjectMember,
  projectMember(true),
  async (context, { target }) => {
    if (target.revision !== null) removeMember(context, target);
  },
);
