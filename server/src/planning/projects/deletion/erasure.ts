// Erases the contents of Projects that were deleted 30 days ago, one page at a time, and leaves the row that reserves
// the key. Every step queries what is left, so that it can be interrupted anywhere and restarted.
import { NIL } from "../../../platform/wire/ids.ts";

interface Client {
  query<R>(sql: string, values?: unknown[]): Promise<{ rows: R[]; rowCount: number | null }>;
}

/** Maximum of rows per statement; events are mostly only scanned, so their page is larger. */
const PAGE = 1_000;
const EVENTS = 5_000;

// Covers all Workspaces: background jobs act as the owner of the tables.
const DUE = `
select workspace_id, array_agg(id order by id) as ids from projects
where deleted_at < now() - interval '30 days' and erased_at is null group by workspace_id`;

/** Deletes a page of rows in Workspace $1 that belong to one of $2. */
const page = (table: string, column: string) => {
  const theirs = `workspace_id = $1 and ${column} = any($2::uuid[])`;
  return `delete from ${table}
    where ${theirs} and ctid = any(array(select ctid from ${table} where ${theirs} limit ${PAGE}))`;
};
const TASKS = `select id from tasks where workspace_id = $1 and project_id = any($2) limit 200`;
const COMMENTS = `select id from comments where workspace_id = $1 and task_id = any($2) limit ${PAGE}`;
const OF_COMMENTS = [
  page("comment_revisions", "comment_id"),
  page("comment_reactions", "comment_id"),
  page("comments", "id"),
];
const OF_TASKS = [
  page("task_assignments", "task_id"),
  page("task_description_revisions", "task_id"),
  page("tasks", "id"),
];
// Documents with their revisions and links. The attachment sweep finds their files as attached to nothing.
const OF_DOCUMENTS = [
  page("document_revisions", "document_id"),
  page("document_former_paths", "document_id"),
  page("publications", "resource_id"),
  page("documents", "id"),
];
const DOCUMENTS = `select id from documents where workspace_id = $1 and project_id = any($2) limit 200`;
// Storage objects are deleted before their row: the attachment sweep finds these files, like those of the Tasks, as
// attached to nothing.
const DETACH = `
update attachments set project_id = null where workspace_id = $1 and project_id = any($2::uuid[])
  and ctid = any(array(select ctid from attachments where workspace_id = $1 and project_id = any($2::uuid[])
    limit ${PAGE}))`;
// Bumps the revisions of the affected timesheets, and of reports of Tasks that had moved elsewhere, so that a
// pagination started before is refused.
const TIME = `
with gone as (${page("time_entries", "project_id")} returning actor_id, task_id), told as (
  insert into time_reports (workspace_id, subject_id)
  select $1, id from (select actor_id as id from gone union select task_id from gone where task_id is not null
    order by 1) changed
  on conflict (workspace_id, subject_id) do update set revision = time_reports.revision + 1
)
select from gone`;
// Links from Documents elsewhere. Links to Tasks and Documents are deleted with these.
const LINKS = `
delete from document_links where workspace_id = $1 and ctid = any(array(
  select l.ctid from unnest($2::uuid[]) p(id)
  cross join lateral (select 'project' as kind, p.id union all select 'milestone', m.id from milestones m
    where m.workspace_id = $1 and m.project_id = p.id) t
  cross join lateral (select ctid from document_links
    where workspace_id = $1 and target_kind = t.kind and target_id = t.id offset 0) l
  limit ${PAGE}))`;
const OF_PROJECTS = [
  DETACH,
  LINKS,
  page("inbox_items", "project_id"),
  page("label_overrides", "project_id"),
  page("label_definitions", "project_id"),
  TIME,
  page("milestones", "project_id"),
  page("project_completion_policies", "project_id"),
  page("statuses", "project_id"),
  page("project_members", "project_id"),
  page("task_counters", "project_id"),
];

// Blanks the payload of events, which may contain e.g. a title; type and resource stay. Event ids are in time order.
const SPOKEN = `
with page as materialized (
  select id, project_id from domain_events where workspace_id = $1 and id > $3 order by id limit ${EVENTS}
), blanked as (
  update domain_events e set payload = '{}' from page
  where e.workspace_id = $1 and e.id = page.id and page.project_id = any($2) and e.payload <> '{}'
)
select id from page order by id desc limit 1`;
const FINISH = `
update projects set erased_at = now(), name = '', description_markdown = '', icon = null, color = null,
  start_date = null, target_date = null,
  label_ids = '{}'
where workspace_id = $1 and id = any($2)`;

export async function eraseDeletedProjects(client: Client): Promise<void> {
  const { rows } = await client.query<{ workspace_id: string; ids: string[] }>(DUE);
  for (const { workspace_id, ids } of rows) await erase(client, workspace_id, ids);
}

async function erase(client: Client, workspaceId: string, projectIds: string[]): Promise<void> {
  const all = async (statements: readonly string[], of: string[]) => {
    for (const sql of statements) while ((await client.query(sql, [workspaceId, of])).rowCount === PAGE);
  };
  /** Deletes dependent rows before their parent. */
  const each = async (find: string, of: string[], work: (found: string[]) => Promise<void>) => {
    for (;;) {
      const { rows } = await client.query<{ id: string }>(find, [workspaceId, of]);
      if (rows.length === 0) return;
      await work(rows.map(({ id }) => id));
    }
  };
  await each(TASKS, projectIds, async (tasks) => {
    await each(COMMENTS, tasks, (comments) => all(OF_COMMENTS, comments));
    await all(OF_TASKS, tasks);
  });
  await each(DOCUMENTS, projectIds, (documents) => all(OF_DOCUMENTS, documents));
  await all(OF_PROJECTS, projectIds);
  for (let last: string | undefined = NIL; last !== undefined; ) {
    const values: unknown[] = [workspaceId, projectIds, last];
    last = (await client.query<{ id: string }>(SPOKEN, values)).rows[0]?.id;
  }
  await client.query(FINISH, [workspaceId, projectIds]);
}
