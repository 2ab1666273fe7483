// SQL that follows the journal for changes that the knowledge repository exports.
import type { Pool, Queries } from "../../platform/database/db.ts";
import { SEEN } from "./run-store.ts";

const BACKLOG = "select workspace_id, held from repository_backlog($1::uuid[])";
/**
 * Workspaces, among the named or all, that export and have unread events; `held`: an older transaction must end first.
 */
export const backlogOf = (writer: Pool, named: readonly string[] | null) =>
  writer.use((tx) => tx.rows<{ workspace_id: string; held: boolean }>(BACKLOG, [named]));

export interface ExportPosition {
  /** Null if it belongs to another journal, as after a restore. */
  from: string | null;
  to: string;
  /** Whether a run may have read the Documents before the last events. */
  running: boolean;
}
/** Locks the position: of two processes that read for a Workspace, one proceeds. */
const POSITION = `
select case when k.followed_epoch = journal_epoch() then k.followed_tx end::text as from,
  pg_snapshot_xmin(pg_current_snapshot())::text as to,
  exists (select from repository_runs r where r.workspace_id = $1 and r.state = 'running') as running
from knowledge_repositories k where k.workspace_id = $1 and k.state = 'active' for no key update of k`;
export const lockPosition = (tx: Queries, workspaceId: string) => tx.maybe<ExportPosition>(POSITION, [workspaceId]);
const MOVE =
  "update knowledge_repositories set followed_epoch = journal_epoch(), followed_tx = $2::xid8 where workspace_id = $1";
export const movePosition = (tx: Queries, workspaceId: string, to: string) => tx.rows(MOVE, [workspaceId, to]);

/** Number of events examined; more count as a change. */
export const MOST_EVENTS = 500;
const ALWAYS = [
  ...["project.deleted", "project.restored", "workspace.knowledge_repository_updated"],
  "document.repository_conflict_resolved",
];
/**
 * Whether an event between the positions changed what is exported: a setting, the visibility of a Project, or a
 * Document that differs from its file.
 */
const CHANGED = `
/* reads up to ${40 * MOST_EVENTS}: a page of events, and of each its Document, those above it, and its file */
with recursive page as materialized (
  select e.type, e.resource_kind, e.resource_id, e.payload from domain_events e
  where e.workspace_id = $1 and e.tx >= $2::xid8 and e.tx < $3::xid8 order by e.tx, e.id limit ${MOST_EVENTS}
), named as materialized (
  select distinct resource_id as id from page where resource_kind = 'document'
), above (named_id, id) as (
  select n.id, d.parent_id from named n cross join lateral (
    select * from documents d where d.workspace_id = $1 and d.id = n.id limit 1) d where d.parent_id is not null
  union all select a.named_id, d.parent_id from above a cross join lateral (
    select * from documents d where d.workspace_id = $1 and d.id = a.id limit 1) d where d.parent_id is not null
), root as (
  select k.root_document_id as id from knowledge_repositories k where k.workspace_id = $1
)
select (select count(*) from page) = ${MOST_EVENTS}
  or exists (select from page
    where type = any($4) or (type = 'project.configured' and payload #> '{to,visibility}' is not null))
  or exists (
    select from named n
    left join lateral (select * from documents d where d.workspace_id = $1 and d.id = n.id limit 1) d on true
    left join lateral (select * from projects p where p.workspace_id = $1 and p.id = d.project_id limit 1) p on true
    left join lateral (select * from repository_files f where f.workspace_id = $1 and f.document_id = n.id limit 1) f
      on true
    cross join lateral (select d.id is not null and ${SEEN} and exists (
      select from root where root.id is null
        or exists (select from above a where a.named_id = n.id and a.id = root.id)) as exported) e
    where case when e.exported then f.document_id is null or f.revision <> d.revision
      or f.content_revision <> d.content_revision
      or (f.oid is not null and not f.marked) else f.document_id is not null end) as changed`;
export const hasChanged = async (tx: Queries, workspaceId: string, from: string, to: string) =>
  (await tx.one<{ changed: boolean }>(CHANGED, [workspaceId, from, to, ALWAYS])).changed;
