// History of a Task: assignments, description revisions, and participants.
import * as contract from "@svc/contract/planning/tasks/context/history.ts";
import { DescriptionRevision, TaskAssignment } from "@svc/contract/planning/tasks/context/history.ts";
import { nameOfActor } from "../../../accounts/workspaces/people-view.ts";
import { untilFull } from "../../../platform/database/sql.ts";
import { view } from "../../../platform/database/view.ts";
import { implement, implementList, type ListRow } from "../../../platform/kernel/implement-operation.ts";
import { LAST_ID, LAST_NUMBER, NIL } from "../../../platform/wire/ids.ts";
import { refuse } from "../../../platform/wire/problem.ts";
import { insideTask, task } from "../access.ts";
import { changeTask, fieldsOf } from "../change.ts";

const ASSIGNMENTS = `
select ${view(TaskAssignment, "a")} as json, json_build_array(a.assigned_at, a.id)::text as key from task_assignments a
where a.workspace_id = current_workspace() and a.task_id = $1 and (a.assigned_at, a.id) < ($2::timestamptz, $3::uuid)
order by a.assigned_at desc, a.id desc limit $4`;

export const listTaskAssignments = implementList(
  contract.listTaskAssignments,
  insideTask("work:read"),
  (tx, { params, page }) =>
    tx.rows<ListRow>(ASSIGNMENTS, [params.task_id, ...(page.after ?? ["infinity", LAST_ID]), page.limit + 1]),
);

const REVISIONS = untilFull({
  rows: `select * from task_description_revisions
    where workspace_id = current_workspace() and task_id = $1 and revision < $2 order by revision desc limit $3`,
  alias: "r",
  text: "description_markdown",
  order: "r.revision desc",
  json: view(DescriptionRevision, "r"),
  key: "json_build_array(r.revision::text)::text",
});

export const listTaskDescriptionRevisions = implementList(
  contract.listTaskDescriptionRevisions,
  insideTask("work:read"),
  (tx, { params, page }) =>
    tx.rows<ListRow>(REVISIONS, [params.task_id, page.after?.[0] ?? LAST_NUMBER, page.limit + 1]),
);

const TEXT = `
select description_markdown as text from task_description_revisions
where workspace_id = $1 and task_id = $2 and revision = $3`;

export const restoreTaskDescription = implement(
  contract.restoreTaskDescription,
  task("work:write"),
  async (context, { target, params }) => {
    const values = [context.member.workspaceId, target.id, params.revision];
    const kept = await context.tx.maybe<{ text: string }>(TEXT, values);
    if (!kept) return refuse("not_found");
    if (target.trashed) refuse("task_trashed");
    return changeTask(context, target, fieldsOf(target), { description_markdown: kept.text });
  },
);

/** Maximum of past assignments that are searched for participants. */
const MOST_ASSIGNMENTS = 400;
const comments = (author: string) => `
select author_actor_id from comments
where workspace_id = current_workspace() and task_id = $1 and deleted_at is null and author_actor_id ${author}`;
const nextAuthor = (after: string) => `(${comments(`> ${after}`)} order by author_actor_id limit 1)`;
// Sorted by the first role of each participant. Looks up pure commenters one by one in the index: as many as the page
// may need if all others have commented too.
const PARTICIPANTS = `
with recursive t as materialized (
  select created_by_actor_id, assignee_actor_id from tasks where workspace_id = current_workspace() and id = $1
), part as (
  select created_by_actor_id as actor_id, 1 as rank, 'creator' as role from t
  union select assignee_actor_id, 2, 'assignee' from t where assignee_actor_id is not null
  union select actor_id, 3, 'former_assignee' from (
    select actor_id from task_assignments where workspace_id = current_workspace() and task_id = $1
    order by assigned_at desc, id desc limit ${MOST_ASSIGNMENTS}
  ) a where actor_id is distinct from (select assignee_actor_id from t)
), known as materialized (
  select actor_id, min(rank) as rank, array_agg(role order by rank) as roles from part group by actor_id
), author as (
  select ${nextAuthor(`case when $2::int = 4 then $3::uuid
    else '00000000-0000-0000-0000-000000000000' end`)} as id, 1 as n
  union all select ${nextAuthor("a.id")}, n + 1 from author a
  where a.id is not null and n < $4 + (select count(*) from known)
), person as (
  select actor_id, rank, case when exists (${comments("= k.actor_id")}) then array_append(roles, 'commenter')
    else roles end as roles from known k
  union all select id, 4, array['commenter'] from author where id is not null and id not in (select actor_id from known)
)
select json_build_object('actor_id', n.actor_id, 'display_name', a.display_name, 'username', a.username,
  'picture_url', a.picture_url, 'roles', n.roles)::text as json,
  json_build_array(n.rank, n.actor_id)::text as key
from (select * from person where (rank, actor_id) > ($2::int, $3::uuid) order by rank, actor_id limit $4) n
left join lateral (${nameOfActor("n.actor_id")}) a on true
order by n.rank, n.actor_id`;

export const listTaskParticipants = implementList(
  contract.listTaskParticipants,
  insideTask("work:read"),
  (tx, { params, page }) =>
    tx.rows<ListRow>(PARTICIPANTS, [params.task_id, ...(page.after ?? [0, NIL]), page.limit + 1]),
);
