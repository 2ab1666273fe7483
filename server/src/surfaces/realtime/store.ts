// SQL of baselines: what the caller sees of a scope as ids and revisions, and whether it has changed since a snapshot.

import { visibleSubject } from "../../history/inbox/access.ts";
import { listCommentsAs } from "../../planning/comments/store.ts";
import { openToCaller, projectOfCaller, projectVisible } from "../../planning/projects/access.ts";
import { listProjectsAs } from "../../planning/projects/store.ts";
import type { Queries } from "../../platform/database/db.ts";
import type { ListRow } from "../../platform/kernel/implement-operation.ts";

const identity = (kind: string, alias: string, more = "") =>
  `json_build_object('kind', ${kind}, 'id', ${alias}.id, 'revision', ${alias}.revision::text${more})::text`;
type Item = { json: string };

const WORKSPACE = `
select ${identity("'workspace'", "w")} as json from workspaces w where w.id = current_workspace()
union all
select ${identity("'member'", "m")} from memberships m
where m.workspace_id = current_workspace() and m.actor_id = current_actor()`;
export const workspaceItems = (tx: Queries) => tx.rows<Item>(WORKSPACE);

const ACCOUNT = `select ${identity("'account'", "u")} as json from users u where u.id = current_account()`;
export const accountItems = (tx: Queries) => tx.rows<Item>(ACCOUNT);

const DISCUSS = `
select ${identity("'discuss_message'", "m")} as json from discuss_messages m
where m.workspace_id = current_workspace() and m.actor_id = current_actor() order by m.sequence desc limit $1`;
export const discussItems = (tx: Queries, rows: number) => tx.rows<Item>(DISCUSS, [rows]);

// Credentials and sign-in methods of this person, as their own lists show them.
const SECURITY = `
select x.json from (
  (select ${identity("case c.kind when 'session' then 'session' else 'api_token' end", "c")} as json from credentials c
  where c.user_id = current_account() and c.kind in ('session', 'personal') and c.revoked_at is null
    and c.expires_at > now() limit $1)
  union all
  (select ${identity("case g.family when 'native' then 'mobile_credential' else g.family || '_grant' end", "g")}
  from oauth_grants g
  where g.user_id = current_account() and g.revoked_at is null limit $1)
  union all (select ${identity("'passkey'", "k")} from passkeys k where k.user_id = current_account() limit $1)
  union all (select ${identity("'identity'", "i")} from identities i where i.user_id = current_account() limit $1)
) x limit $1`;
export const securityItems = (tx: Queries, rows: number) => tx.rows<Item>(SECURITY, [rows]);

/** Items examined for visible ones. */
const MOST_EXAMINED = 500;
const INBOX = `
/* reads up to ${8 * MOST_EXAMINED}: so many items, and whether each can be seen */
select ${identity("'inbox_item'", "i")} as json from (
  select i.* from unnest(array['unread', 'read']) states(state) cross join lateral (
    select * from inbox_items i
    where i.workspace_id = current_workspace() and i.actor_id = current_actor() and i.listed and i.state = states.state
    order by i.newest_at desc, i.id desc limit ${MOST_EXAMINED}
  ) i order by i.newest_at desc, i.id desc limit ${MOST_EXAMINED}
) i ${visibleSubject("cross")} order by i.newest_at desc, i.id desc limit $1`;
export const inboxItems = (tx: Queries, rows: number) => tx.rows<Item>(INBOX, [rows]);

const own = (table: string) => `
select json_build_object('kind', '${table}', 'id', current_actor(), 'revision', coalesce((
  select revision from ${table} where workspace_id = current_workspace() and actor_id = current_actor()),
    0)::text)::text as json`;
const PERSONAL = `${own("project_shortcuts")} union all ${own("project_display_preferences")}`;
export const personalItems = (tx: Queries) => tx.rows<Item>(PERSONAL);

const listed = listProjectsAs(identity("'project'", "p"));
export const projectItems = (tx: Queries, after: readonly unknown[] | null, rows: number): Promise<ListRow[]> =>
  listed(tx, { order: "key", hidden: true }, after, rows);

// Null, and so no comments, if the caller does not see the Task.
const SEEN = `(select t.id from tasks t
  join projects p on p.workspace_id = t.workspace_id and p.id = t.project_id ${projectOfCaller}
  where t.workspace_id = current_workspace() and t.id = $1 and ${projectVisible})`;
const comments = listCommentsAs(identity("'comment'", "c", ", 'task_id', c.task_id"), SEEN, 1);
export const commentItems = (tx: Queries, taskId: string, after: readonly unknown[] | null, limit: number) =>
  comments(tx, [taskId], "asc", { after, limit });
const TASK_SEEN = `select ${SEEN} is not null as seen`;
export const seesTask = async (tx: Queries, taskId: string) =>
  (await tx.one<{ seen: boolean }>(TASK_SEEN, [taskId])).seen;

/**
 * Text of the snapshot, for later comparison; with very many open transactions an approximation that treats them all as
 * ended since.
 */
const SNAPSHOT = `
select case when length(s::text) <= 2000 then s::text else format('%1$s:%1$s:', pg_snapshot_xmin(s)) end as snapshot
from pg_current_snapshot() s`;
export const snapshotOf = async (tx: Queries) => (await tx.one<{ snapshot: string }>(SNAPSHOT)).snapshot;

/** Events examined since a snapshot; if there are more, one of them is assumed to be relevant. */
const MOST_LOOKED_AT = 5_000;
const changedSince = (from: string, isOne: string) => `
/* reads up to ${6 * MOST_LOOKED_AT}: so much of what happened meanwhile, and of each whether the caller sees it */
with since as (
  select * from domain_events e where e.workspace_id = current_workspace() and e.tx >= pg_snapshot_xmin($1::pg_snapshot)
  order by e.tx, e.id limit ${MOST_LOOKED_AT}
)
select (select count(*) from since) = ${MOST_LOOKED_AT} or exists (
  select from since e ${from} where not pg_visible_in_snapshot(e.tx, $1::pg_snapshot) and ${isOne}) as changed`;
// The caller's own role, and membership in a private Project, decide what they see. Changes of what they did not and do
// not see are not reported.
const PROJECTS_CHANGED = changedSince(
  `left join projects p on p.workspace_id = e.workspace_id and p.id = e.project_id ${projectOfCaller}`,
  `case
    when e.type like 'member.%' then e.payload ->> 'user_id' = current_account()::text
    when e.type like 'project.member\\_%' then e.resource_id = current_actor()
    when e.type = 'project.configured' and e.payload @? '$.**.visibility' then true
    when e.type in ('project.moved', 'project.completion_policy_replaced') then false
    else e.resource_kind = 'project' and ${openToCaller}
  end`,
);
const COMMENTS_CHANGED = changedSince(
  "",
  "e.task_id = $2 and e.resource_kind = 'comment' and e.type not like '%.reaction\\_%'",
);
const asked = async (found: Promise<{ changed: boolean }>) => (await found).changed;
export const projectsChanged = (tx: Queries, snapshot: string) =>
  asked(tx.one<{ changed: boolean }>(PROJECTS_CHANGED, [snapshot]));
export const commentsChanged = (tx: Queries, snapshot: string, taskId: string) =>
  asked(tx.one<{ changed: boolean }>(COMMENTS_CHANGED, [snapshot, taskId]));
