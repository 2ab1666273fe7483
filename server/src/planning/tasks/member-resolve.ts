// Finds active members and Agents by a name prefix. Scans the index of names in order, never all members.
import {
  resolveMembers as declared,
  MOST_RESOLVED,
  ResolvedMember,
} from "@svc/contract/planning/tasks/member-resolve.ts";
import { pictureUrl } from "../../accounts/account/view.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { soughtName } from "../../accounts/workspaces/rules.ts";
import { nameFits } from "../../accounts/workspaces/store.ts";
import { view } from "../../platform/database/view.ts";
import { implement } from "../../platform/kernel/implement-operation.ts";
import { refuseAt } from "../../platform/wire/problem.ts";
import { projectOfCaller, projectOpenToWorker, projectVisible, workerOf, workerSeen } from "../projects/access.ts";

/** Maximum of candidates examined per source for access to a private Project. */
const EXAMINED = 200;
/** A member has up to eight names in addition to the username, and any of them may match. */
const NAMES = 8;

const rank = "case when part > 0 then 2 when name = lower($1) then 0 else 1 end as rank";
const named = (part: string, rows: number) => `
(select actor_id, ${rank}, name from member_names where workspace_id = current_workspace() and ${part} and ${nameFits}
order by name, actor_id limit ${rows})`;
const ofProject = `
(select n.actor_id, n.rank, n.name from (
  select actor_id from project_members where workspace_id = current_workspace() and project_id = $2 order by actor_id
  limit ${EXAMINED}
) x cross join lateral (
  select actor_id, ${rank}, name from member_names
  where workspace_id = current_workspace() and actor_id = x.actor_id and ${nameFits} offset 0
) n)`;
const sees = `(
  select ${projectOpenToWorker} from projects p where p.workspace_id = current_workspace() and p.id = $2)`;

const findSql = (inProject: boolean) => `
/* reads up to ${10 * EXAMINED}: names that fit, and whether each member sees the Project */
select coalesce(json_agg(person.json order by person.rank, person.name, person.actor_id), '[]')::text as items from (
  select found.rank, found.name, found.actor_id,
    ${view(ResolvedMember, "m", {
      username: "case when u.username is null then m.username else u.username end",
      display_name: "case when u.display_name is null then m.name else u.display_name end",
      has_picture: "u.picture_key is not null",
      picture_url: pictureUrl("current_workspace()"),
    })}::json as json
  from (
    select actor_id, min(rank) as rank, (array_agg(name order by rank, name))[1] as name
    from (${[
      named("part = 0", inProject ? EXAMINED : MOST_RESOLVED),
      named("part > 0", inProject ? EXAMINED : MOST_RESOLVED * NAMES),
      ...(inProject ? [ofProject] : []),
    ].join(" union all ")}) every
    group by actor_id order by 2, 3, 1 ${inProject ? "" : `limit ${MOST_RESOLVED}`}
  ) found
  cross join ${workerOf("current_workspace()", "found.actor_id")}
  left join lateral (select id, username, display_name, picture_key from users where id = m.user_id limit 1) u on true
  where ${inProject ? `${sees} and ` : ""}${workerSeen} order by found.rank, found.name, found.actor_id
  limit ${MOST_RESOLVED}
) person`;
const FIND = findSql(false);
const FIND_IN_PROJECT = findSql(true);
const PROJECT = `
select from projects p ${projectOfCaller}
where p.workspace_id = current_workspace() and p.id = $1 and ${projectVisible}`;

export const resolveMembers = implement(declared, workspace("workspace:read"), async ({ tx }, { query }) => {
  const { project_id } = query;
  const q = soughtName(query.q);
  const [project, found] = await Promise.all([
    project_id === undefined ? null : tx.maybe(PROJECT, [project_id]),
    tx.one<{ items: string }>(...asked(q, project_id)),
  ]);
  if (project === undefined) refuseAt("/query/project_id", "invalid_reference", "must be a Project that you see");
  return { json: `{"items": ${found.items}}` };
});

const asked = (q: string, projectId: string | undefined): [string, string[]] =>
  projectId === undefined ? [FIND, [q]] : [FIND_IN_PROJECT, [q, projectId]];
