// SQL of published Documents. A public name resolves to a Workspace, which is then read without a caller: only what
// these statements select is public.
import type { Queries } from "../../../platform/database/db.ts";
import { checked } from "../../../platform/database/sql.ts";

const FIND = `
select b.workspace_id, b.resource_id as id from publications b
join workspaces w on w.id = b.workspace_id and w.archived_at is null
where b.public_id = $1 and b.kind = 'document'`;
export const findPublication = (tx: Queries, publicId: string) =>
  tx.maybe<{ workspace_id: string; id: string }>(FIND, [publicId]);

/**
 * Whether the content of Project p can be public. A Project that turns private hides its publications until it is open
 * again.
 */
const open = "p.deleted_at is null and p.visibility = 'workspace'";

/** $1 the Document, $2 its current public name. */
const published = `
documents d join document_revisions r on r.workspace_id = d.workspace_id and r.document_id = d.id
  and r.revision = d.content_revision
left join projects p on p.workspace_id = d.workspace_id and p.id = d.project_id
where d.workspace_id = current_workspace() and d.id = $1 and d.public_id = $2 and ${checked("d.trashed_at is null")}
  and (d.project_id is null or ${open})`;

export interface Published {
  title: string;
  icon: string | null;
  locale: string;
  published_at: string;
  updated_at: string;
  content: string;
}
const READ = `
select d.title, d.icon, coalesce((select s.locale from workspace_settings s where s.workspace_id = d.workspace_id),
  'en') as locale,
  wire_time(d.published_at) as published_at, wire_time(r.created_at) as updated_at, r.content::text as content
    from ${published}`;
export const readPublished = (tx: Queries, id: string, publicId: string) => tx.maybe<Published>(READ, [id, publicId]);

/** A code names its Project, so codes of private Projects are not public. */
const inProject = (table: string, code: string) => `
select p.key || '${code}' || x.number, null from ${table} x
join projects p on p.workspace_id = x.workspace_id and p.id = x.project_id
where x.workspace_id = current_workspace() and x.id = l.target_id and ${open} limit 1`;
const named: Record<string, string> = {
  task: inProject("tasks", "-"),
  milestone: inProject("milestones", "-M"),
  project: `select p.key, null from projects p
    where p.workspace_id = current_workspace() and p.id = l.target_id and ${open} limit 1`,
  // Only published Documents are named: a path contains the title.
  document: `select o.title, o.public_id from documents o
  left join projects p on p.workspace_id = o.workspace_id and p.id = o.project_id
where o.workspace_id = current_workspace() and o.id = l.target_id and o.public_id is not null
  and ${checked("o.trashed_at is null")}
  and (o.project_id is null or ${open}) limit 1`,
};
const NAMES = `
select l.target_kind || '/' || l.target_id as key, n.code, n.public_id from document_links l cross join lateral (
  ${Object.entries(named)
    .map(([kind, sql]) => `select * from (${sql}) n(code, public_id) where l.target_kind = '${kind}'`)
    .join("\n  union all ")}
) n where l.workspace_id = current_workspace() and l.document_id = $1 and l.origin = 'content'`;
/** Public names of the resources that the content of a Document refers to. */
export const namesOutside = (tx: Queries, id: string) =>
  tx.rows<{ key: string; code: string; public_id: string | null }>(NAMES, [id]);

export interface PublicFile {
  id: string;
  filename: string;
  content_type: string;
  scan_state: "pending" | "clean" | "infected" | "not_scanned" | "failed";
  has_thumbnail: boolean;
  undrawable: boolean;
}
const FILE = `
select a.id, a.filename, a.content_type, a.scan_state, a.has_thumbnail, a.undrawable
from (select d.workspace_id, d.id, r.markdown from ${published}) d
join attachments a on a.workspace_id = d.workspace_id and a.id = $3 and a.document_id = d.id and a.state = 'stored'
where strpos(d.markdown, 'attachment:' || a.id) > 0`;
/** Finds a file in the current content of the Document. */
export const readFile = (tx: Queries, id: string, publicId: string, attachmentId: string) =>
  tx.maybe<PublicFile>(FILE, [id, publicId, attachmentId.toLowerCase()]);
