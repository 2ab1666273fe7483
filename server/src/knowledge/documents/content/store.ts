// SQL of Document contents. A content changes in only one way: a new revision with the links that it contains, and one
// event.
import type { Queries } from "../../../platform/database/db.ts";
import { event } from "../../../platform/kernel/events.ts";
import type { Context } from "../../../platform/kernel/implement-operation.ts";
import { subjectOf } from "../events.ts";
import { named } from "../store.ts";
import { revisionView } from "./view.ts";

export type VersionReason = "write" | "session" | "restore" | "sync";
const documentContentUpdated = event("document.content_updated", { activity: "document" });

/** `w` selects the content to write: content, markdown, text. $1 Workspace, $2 Document, $3 reason, $4 authors. */
const write = (w: string) => `
with w as (${w}), d as (
  update documents d set content_revision = d.content_revision + 1, updated_at = now() from w
  where d.workspace_id = $1 and d.id = $2 returning d.content_revision
), r as (
  insert into document_revisions (workspace_id, document_id, revision, content, markdown, text, reason,
    author_actor_ids, size)
  select $1, $2, d.content_revision, w.content, w.markdown, w.text, $3, $4::uuid[], length(w.markdown) from d
  cross join w
), named as (${named}), gone as (
  delete from document_links l where l.workspace_id = $1 and l.document_id = $2 and l.origin = 'content'
    and not exists (select from named n where n.kind = l.target_kind and n.id = l.target_id)
), linked as (
  insert into document_links (workspace_id, document_id, target_kind, target_id, origin, created_by_actor_id)
  select $1, $2, n.kind, n.id, 'content', ($4::uuid[])[1] from named n on conflict do nothing
)
select d.content_revision::text from d`;
const WRITE = write("select $5::jsonb as content, $6::text as markdown, $7::text as text");
const RESTORE = write(`
  select o.content, o.markdown, o.text from document_revisions o
  where o.workspace_id = $1 and o.document_id = $2 and o.revision = $5`);

interface Written {
  content_revision: string;
}
interface Writing {
  document: { id: string; project_id: string | null };
  reason: VersionReason;
  /** The last author first. */
  authors: readonly string[];
}
type Here = Pick<Context, "tx" | "record"> & { member: { workspaceId: string } };

/** Requires a locked Document. `content` is JSON text. */
export async function writeContent(
  { tx, member, record }: Here,
  { document, reason, authors, ...forms }: Writing & { content: string; markdown: string; text: string },
): Promise<Written> {
  const { content, markdown, text } = forms;
  const values = [member.workspaceId, document.id, reason, authors, content, markdown, text];
  const row = await tx.one<Written>(WRITE, values);
  const from = String(BigInt(row.content_revision) - 1n);
  record(documentContentUpdated(subjectOf(document), { from, to: row.content_revision, reason }));
  return row;
}
/**
 * Writes an older revision as the newest. Requires a locked Document at a known revision: the event, which names the
 * next one, is recorded before the write.
 */
export function restoreContent(
  { tx, member, record }: Here,
  newest: string,
  revision: string,
  { document, reason, authors }: Writing,
): Promise<Written> {
  const to = String(BigInt(newest) + 1n);
  record(documentContentUpdated(subjectOf(document), { from: newest, to, reason }));
  return tx.one<Written>(RESTORE, [member.workspaceId, document.id, reason, authors, revision]);
}

const of = (where: string) =>
  `from document_revisions r where r.workspace_id = current_workspace() and r.document_id = $1 and ${where}`;

const LIST = `
select ${revisionView} as json, json_build_array(r.revision::text)::text as key
${of("($2::bigint is null or r.revision < $2)")} order by r.revision desc limit $3`;
export const listRevisions = (tx: Queries, id: string, after: string | null, limit: number) =>
  tx.rows<{ json: string; key: string }>(LIST, [id, after, limit]);

const DIGEST = `select md5(r.markdown) as digest ${of("r.revision = $2")}`;
export const digestOf = (tx: Queries, id: string, revision: string) =>
  tx.maybe<{ digest: string }>(DIGEST, [id, revision]);

const BOTH = `select r.revision::text as name, r.content::text as content,
  r.markdown ${of("r.revision = any($2::bigint[])")}`;
export const readBoth = (tx: Queries, id: string, revisions: readonly string[]) =>
  tx.rows<{ name: string; content: string; markdown: string }>(BOTH, [id, revisions]);
