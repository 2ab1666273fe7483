// SQL of the feed: reads the events of a Workspace's journal after a position, the access of its subscribers, and which
// Workspaces changed at all. A read and its access questions share one snapshot.

import { projectOpenTo } from "../../planning/projects/access.ts";
import type { Connection, Pool, Queries } from "../../platform/database/db.ts";
import type { JournalPosition } from "../../platform/database/journal.ts";
import type { FeedEvent, Own, SubscriberAccess } from "./rules.ts";

/** The table with the revision of each resource kind. */
const TABLES = {
  project: "projects",
  comment: "comments",
  label: "label_definitions",
  milestone: "milestones",
  status: "statuses",
  project_state: "project_states",
  time_entry: "time_entries",
  invitation: "invitations",
  lifecycle_definition: "lifecycle_definitions",
  lifecycle_migration: "lifecycle_migrations",
  member: "memberships",
  agent: "agents",
  agent_definition: "agent_definitions",
  agent_request: "agent_requests",
  agent_run: "agent_runs",
  integration_installation: "integration_installations",
  integration_request: "integration_requests",
  integration_binding: "integration_bindings",
  integration_subscription: "integration_subscriptions",
  rich_entity: "rich_entities",
  webhook_endpoint: "webhook_endpoints",
};
const revisionIn = (table: string, where: string) =>
  `(select x.revision from ${table} x where x.workspace_id = e.workspace_id and ${where})`;
const REVISION = `case e.resource_kind
    when 'task' then t.revision when 'document' then d.revision when 'attachment' then a.revision
    ${Object.entries(TABLES)
      .map(([kind, table]) => `when '${kind}' then ${revisionIn(table, "x.id = e.resource_id")}`)
      .join("\n    ")}
    when 'project_member' then
      ${revisionIn("project_members", "x.project_id = e.project_id and x.actor_id = e.resource_id")}
    when 'workspace' then (select w.revision from workspaces w where w.id = e.workspace_id)
    when 'actor' then case split_part(e.type, '.', 1)
      when 'project_shortcuts' then ${revisionIn("project_shortcuts", "x.actor_id = e.resource_id")}
      when 'project_display_preferences'
        then ${revisionIn("project_display_preferences", "x.actor_id = e.resource_id")} end
  end`;

const PAGE = 200;
// A resource of a Task, and an attachment of a Document, has the place of its parent.
const told = (events: string, more = "") => `
/* reads up to ${10 * PAGE}: a page, and of each event its resource and what that is in */
select e.tx::text as tx, e.id, e.type, e.resource_kind as kind, e.resource_id, e.project_id, e.task_id,
  (${REVISION})::text as revision, d.content_revision::text as content_revision,
  case when e.task_id is not null then t.project_id when e.resource_kind = 'document' then d.project_id
    when a.document_id is not null then (select f.project_id from documents f
      where f.workspace_id = a.workspace_id and f.id = a.document_id)
    else e.project_id end as place_id,
  case when e.task_id is not null then t.id is null when e.resource_kind = 'document' then d.id is null
    when e.resource_kind = 'attachment' then a.id is null else false end as gone,
  case when e.type in ('task.moved', 'document.moved') then (e.payload #>> '{from,project_id}')::uuid end as left_id,
  case e.type when 'project.configured' then e.payload #>> '{to,visibility}' = 'private'
    when 'document.moved' then e.payload ? 'from' and e.payload #>> '{from,project_id}' is null
    else false end as closes,
  case when e.resource_kind in ('project_member', 'actor') then e.resource_id when e.resource_kind = 'time_entry' then (
    select x.actor_id from time_entries x where x.workspace_id = e.workspace_id and x.id = e.resource_id)
      when e.resource_kind = 'agent_run' then (
    select x.initiator_actor_id from agent_runs x
    where x.workspace_id = e.workspace_id and x.id = e.resource_id) end as owner_id,
  case when e.resource_kind = 'member' then (e.payload ->> 'user_id')::uuid end as user_id${more}
from (
  select * from domain_events e where e.workspace_id = current_workspace() and ${events}
) e
left join tasks t on t.workspace_id = e.workspace_id and t.id = e.task_id
left join documents d on d.workspace_id = e.workspace_id and d.id = e.resource_id and e.resource_kind = 'document'
left join attachments a on a.workspace_id = e.workspace_id and a.id = e.resource_id and e.resource_kind = 'attachment'
order by e.tx, e.id`;
const EVENTS = told(
  `(e.tx, e.id) > ($1::xid8, $2::uuid) and e.tx < pg_snapshot_xmin(pg_current_snapshot()) order by e.tx, e.id
    limit ${PAGE}`,
);
const NAMED = told("e.id = any($1::uuid[])", ", e.actor_id, wire_time(e.occurred_at) as occurred_at");

/**
 * `pending`: a commit exists that an older transaction still holds back. The bound is a sub-select: behind row-level
 * security, PostgreSQL 15 uses no index for a function of another row's column.
 */
const HERE = `
select journal_epoch() as epoch, pg_snapshot_xmin(s)::text as position, clock_timestamp()::text as at,
  journal_proof(current_workspace(), pg_snapshot_xmin(s)) as proof,
  exists (select from domain_events e
    where e.workspace_id = current_workspace() and e.tx >= (select pg_snapshot_xmin(s)))
  or exists (select from private_changes c
    where c.workspace_id = current_workspace() and c.tx >= (select pg_snapshot_xmin(s))) as pending
from pg_current_snapshot() s`;
const TENANT =
  "select set_config('svc.workspace', $1, true), set_config('svc.actor', '', true), set_config('svc.role', '', true)";

/** A read position: after this event of this transaction. */
export interface Point {
  tx: string;
  id: string;
}
export interface FeedPage {
  events: FeedEvent[];
  /** Position of the snapshot. */
  here: JournalPosition & { pending: boolean };
  /** Whether more events precede that position. */
  more: boolean;
}

/** Runs `work` in one snapshot of one Workspace. */
export const inSnapshot = <T>(reader: Pool, workspaceId: string, work: (tx: Connection) => Promise<T>): Promise<T> =>
  reader.use(async (tx) => {
    const [, , result] = await Promise.all([tx.snapshot(), tx.rows(TENANT, [workspaceId]), work(tx)]);
    return result;
  });

export async function readPage(tx: Queries, from: Point): Promise<FeedPage> {
  const [here, events] = await Promise.all([
    tx.one<FeedPage["here"]>(HERE),
    tx.rows<FeedEvent>(EVENTS, [from.tx, from.id]),
  ]);
  return { here, events, more: events.length === PAGE };
}

/** The current state of these events, at most a page of them. */
export const readEvents = (tx: Queries, ids: readonly string[]) =>
  tx.rows<FeedEvent & { actor_id: string | null; occurred_at: string }>(NAMED, [ids]);

// These connections have no caller, so the owners are a parameter.
const OWN = `
/* reads up to 5000: what is whose of those who follow */
select c.tx::text as tx, c.owner_id, c.kind, c.id, c.action, c.revision::text as revision from private_changes c
where c.workspace_id = current_workspace() and c.tx >= $1::xid8
  and c.tx < case when $2::xid8 is null then pg_snapshot_xmin(pg_current_snapshot()) else $2::xid8 end
  and c.owner_id = any($3::uuid[])
order by c.tx`;
/** Private changes of these owners from one transaction to another, or to the end of the snapshot. */
export const readOwn = (tx: Queries, from: string, to: string | null, owners: readonly string[]) =>
  tx.rows<Own>(OWN, [from, to, owners]);

const PROJECTS = `
select p.id, p.deleted_at is not null as deleted, p.visibility = 'workspace' as open,
  case when p.visibility <> 'workspace' then array(
  select m.actor_id::text from memberships m
  where m.workspace_id = p.workspace_id and m.actor_id = any($2::uuid[]) and m.state = 'active'
    and ${projectOpenTo}) end as seen_by
from projects p where p.workspace_id = current_workspace() and p.id = any($1::uuid[])`;
/** Returns only Actors who are not active members and those who manage: they are few. */
const STANDING = `
/* reads up to 10000: the members who follow */
select f.id, m.role from unnest($1::uuid[]) f(id)
left join memberships m on m.workspace_id = current_workspace() and m.actor_id = f.id and m.state = 'active'
where m.actor_id is null or m.role in ('owner', 'admin')`;
const TASKS =
  "select t.id, t.project_id from tasks t where t.workspace_id = current_workspace() and t.id = any($1::uuid[])";
export const readProjects = (tx: Queries, ids: readonly string[], actors: readonly string[]) =>
  tx.rows<SubscriberAccess["projects"][number]>(PROJECTS, [ids, actors]);
export const readStanding = (tx: Queries, actors: readonly string[]) =>
  tx.rows<{ id: string; role: string | null }>(STANDING, [actors]);
export const readTasks = (tx: Queries, ids: readonly string[]) =>
  tx.rows<{ id: string; project_id: string }>(TASKS, [ids]);

const MOVED = "select journal_moved($1::uuid[], $2::xid8) as id";
const XMIN = `
select pg_snapshot_xmin(s)::text as position, pg_snapshot_xmin(s) < pg_snapshot_xmax(s) as running,
  journal_timeline() as timeline
from pg_current_snapshot() s`;
/** The Workspaces among these that changed since a position, the current position, and the timeline of the cluster. */
export async function lookAround(reader: Pool, workspaces: readonly string[], since: string | null) {
  return reader.use(async (tx) => {
    const [here, moved] = await Promise.all([
      tx.one<{ position: string; running: boolean; timeline: string }>(XMIN),
      since === null ? [] : tx.rows<{ id: string }>(MOVED, [workspaces, since]),
    ]);
    return { ...here, moved: moved.map(({ id }) => id) };
  });
}
