// The people in a Project. Who is in it is added and removed here and nowhere else; a role in it never widens what somebody may do in the
// Workspace.
import * as contract from "@svc/contract/projects/members.ts";
import { projectRoles } from "@svc/contract/types.ts";
import { differing } from "../database/sql.ts";
import { type Access, type Context, implement, implementList, type Listed, unlessHidden } from "../kernel/implement.ts";
import { render } from "../kernel/view.ts";
import { NIL } from "../wire/ids.ts";
import { refuseAt } from "../wire/problem.ts";
import { soughtName } from "../workspaces/rules.ts";
import { EXAMINED, filteredPage, isShown, membersByName } from "../workspaces/store.ts";
import {
  granted,
  type InProject,
  inProject,
  insideProject,
  permits,
  projectOfCaller,
  projectVisible,
} from "./access.ts";
import { projectMemberAdded, projectMemberChanged, projectMemberRemoved } from "./events.ts";
import type { ProjectRole } from "./rules.ts";
import { projectMemberView } from "./view.ts";

type Row = { json: string; revision: string };

/** The membership in the Workspace as m and the person as u, found through the Actor of x. */
const person = `
join actors a on a.workspace_id = x.workspace_id and a.id = x.actor_id
join memberships m on m.workspace_id = a.workspace_id and m.user_id = a.user_id
join users u on u.id = a.user_id`;

const LIST = `
select ${projectMemberView} as json, json_build_array(x.actor_id)::text as key
from project_members x ${person}
where x.workspace_id = current_workspace() and x.project_id = $1 and x.actor_id > $2
order by x.actor_id limit $3`;

const EXAMINE = `
/* reads up to ${2 * EXAMINED}: whose role in the Project fits */
select s.json as json, json_build_array(x.actor_id)::text as key, ${isShown("s.json", "x.actor_id")}
from (
  select * from project_members where workspace_id = current_workspace() and project_id = $1 and actor_id > $2
  order by actor_id limit ${EXAMINED + 1}
) x ${person}
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
  async (tx, { params, query, page }): Promise<Listed> => {
    const { q, role } = query;
    const roles = role?.split(",") ?? projectRoles;
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

const ADD = `
with x as (
  insert into project_members (workspace_id, project_id, actor_id, role)
  select a.workspace_id, $2, a.id, $4
  from actors a join memberships m on m.workspace_id = a.workspace_id and m.user_id = a.user_id and m.actor_id = a.id and m.state = 'active'
  where a.workspace_id = $1 and a.id = $3 returning *
)
select ${projectMemberView} as json, x.revision::text from x ${person}`;

export const addProjectMember = implement(
  contract.addProjectMember,
  insideProject("work:manage"),
  async (context, { target, body }) => {
    const { tx, member, record } = context;
    const row = await tx.maybe<Row>(ADD, [member.workspaceId, target.id, body.actor_id, body.role]);
    if (!row) return refuseActor();
    record(projectMemberAdded(subject(body.actor_id, target.id), { role: body.role }));
    return render(row, memberCapabilities(context, target));
  },
);

const memberCapabilities = (context: Context, target: InProject) =>
  granted(context, target, "work:manage", "project_member:update", "project_member:remove");

const subject = (actorId: string, projectId: string) => ({ kind: "project_member", id: actorId, projectId });
const refuseActor = (): never =>
  refuseAt("/body/actor_id", "invalid_reference", "must be an active member of the Workspace");

interface MemberTarget extends InProject {
  project_id: string;
  actor_id: string;
  /** Null where the Actor is not in the Project. */
  revision: string | null;
  role: ProjectRole | null;
}
// The Actor, in the Project or not: removing somebody twice is no fault.
const LOAD = `
select p.id as project_id, a.id as actor_id, ${inProject}, x.revision::text, x.role
from projects p ${projectOfCaller} join actors a on a.workspace_id = p.workspace_id and a.id = $2
left join project_members x on x.workspace_id = p.workspace_id and x.project_id = p.id and x.actor_id = a.id
where p.workspace_id = current_workspace() and p.id = $1 and ${projectVisible}`;
const LOCK =
  "select from project_members where workspace_id = current_workspace() and project_id = $1 and actor_id = $2 for update";

/** `orActor`: to be removed, which nobody has to restore an archived Project for. */
const projectMember = (orActor: boolean): Access<MemberTarget> => ({
  reach: "membership",
  load: async (tx, params) => {
    const values = [params.project_id, params.actor_id];
    const [, target] = await Promise.all([tx.rows(LOCK, values), tx.maybe<MemberTarget>(LOAD, values)]);
    return target && (orActor || target.revision !== null) ? target : undefined;
  },
  permits: (context, target) =>
    unlessHidden(
      permits("work:manage")(context, { ...target, ...(orActor ? { project_archived: false } : {}) }),
      target.revision === null,
    ),
});

const CHANGE = `
with x as (
  update project_members set role = $4, revision = revision + 1, updated_at = now()
  where workspace_id = $1 and project_id = $2 and actor_id = $3 returning *
)
select ${projectMemberView} as json, x.revision::text from x ${person}`;
const READ = `
select ${projectMemberView} as json, x.revision::text from project_members x ${person}
where x.workspace_id = $1 and x.project_id = $2 and x.actor_id = $3`;

export const updateProjectMember = implement(
  contract.updateProjectMember,
  projectMember(false),
  async (context, { target, body }) => {
    const { tx, member, record } = context;
    const named = [member.workspaceId, target.project_id, target.actor_id];
    if (!differing(body, target)) return render(await tx.one<Row>(READ, named), memberCapabilities(context, target));
    const row = await tx.one<Row>(CHANGE, [...named, body.role]);
    record(projectMemberChanged(subject(target.actor_id, target.project_id), { role: body.role }));
    const own = target.actor_id === member.actorId;
    return render(row, memberCapabilities(context, own ? { ...target, project_role: body.role ?? null } : target));
  },
);

const REMOVE = "delete from project_members where workspace_id = $1 and project_id = $2 and actor_id = $3";

export const removeProjectMember = implement(
  contract.removeProjectMember,
  projectMember(true),
  async ({ tx, member, record, defer }, { target }) => {
    if (target.revision === null) return;
    defer(tx.rows(REMOVE, [member.workspaceId, target.project_id, target.actor_id]));
    record(projectMemberRemoved(subject(target.actor_id, target.project_id)));
  },
);
