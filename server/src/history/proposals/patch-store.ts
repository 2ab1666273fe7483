// SQL of Document patches: drafts that only their author can access, and only while the Document is visible to them.

import type { BlockDifference } from "@svc/contract/knowledge/documents/content/revisions.ts";
import type { Static } from "typebox";
import { documentVisible, projectOfDocument } from "../../knowledge/documents/access.ts";
import type { Edit } from "../../knowledge/documents/content/patch-rules.ts";
import type { Queries } from "../../platform/database/db.ts";

/** The content of a Document at two revisions: the requested one and the base revision of a patch. */
export interface PatchContent {
  current_revision: string;
  content: string | null;
  markdown: string | null;
  before: string | null;
}
const said = (revision: string, form: string) =>
  `(select r.${form} from document_revisions r
    where r.workspace_id = d.workspace_id and r.document_id = d.id and r.revision = ${revision})`;
const SAID = `
select d.content_revision::text as current_revision, ${said("$2", "content::text")} as content,
  ${said("$2", "markdown")} as markdown, ${said("$3", "content::text")} as before
from documents d ${projectOfDocument} where d.workspace_id = current_workspace() and d.id = $1 and ${documentVisible}`;
export const readSaid = (tx: Queries, documentId: string, revision: string, before: string | null) =>
  tx.maybe<PatchContent>(SAID, [documentId, revision, before]);

/** Version v of an own patch x, of Document d. */
const OWN = `
from document_patches x join document_patch_versions v on v.workspace_id = x.workspace_id and v.patch_id = x.id
join documents d on d.workspace_id = x.workspace_id and d.id = x.document_id ${projectOfDocument}
where x.workspace_id = current_workspace() and x.id = $1 and x.actor_id = current_actor() and ${documentVisible}`;

export interface PatchTarget {
  id: string;
  document_id: string;
  newest: number;
  base_revision: string;
  edits: Edit[];
}
const NEWEST = `
select x.id, x.document_id, x.version as newest, v.base_revision::text, v.edits ${OWN} and v.version = x.version`;
export const newestPatch = (tx: Queries, id: string) => tx.maybe<PatchTarget>(NEWEST, [id]);

const VIEW = `
select json_build_object('id', x.id, 'version', v.version, 'latest_version', x.version, 'newest_version', x.version,
  'document_id', x.document_id,
  'base_revision', v.base_revision::text, 'current_revision', d.content_revision::text, 'moved_on',
  d.content_revision <> v.base_revision,
  'edits', v.edits, 'markdown', v.markdown, 'blocks', v.blocks, 'markdown_diff', v.markdown_diff, 'created_at',
  wire_time(v.created_at))::text as json
${OWN} and v.version = $2`;
export const readPatch = (tx: Queries, id: string, version: number) => tx.maybe<{ json: string }>(VIEW, [id, version]);

/** The part of a patch that a ChangeSet writes. */
export interface WrittenPatch {
  id: string;
  version: number;
  document_id: string;
  base_revision: string;
  content: string;
  markdown: string;
  text: string;
}
const WRITTEN = `
select n.id, n.version, f.* from unnest($1::uuid[], $2::integer[]) n(id, version) cross join lateral (
  select x.document_id, v.base_revision::text, v.content::text, v.markdown, v.text ${OWN.replace("$1", "n.id")}
    and v.version = n.version limit 1) f`;
export const writtenPatches = (tx: Queries, pins: readonly { id: string; version: number }[]) =>
  tx.rows<WrittenPatch>(WRITTEN, [pins.map(({ id }) => id), pins.map(({ version }) => version)]);
const DIFFS = `
select n.id, n.version, f.* from unnest($1::uuid[], $2::integer[]) n(id, version) cross join lateral (
  select v.blocks, v.markdown_diff ${OWN.replace("$1", "n.id")} and v.version = n.version limit 1) f`;
type Block = Static<typeof BlockDifference>;
/** The differences between patches and their base revisions. */
export const patchDiffs = (tx: Queries, pins: readonly { id: string; version: number }[]) =>
  tx.rows<{ id: string; version: number; blocks: Block[]; markdown_diff: string }>(DIFFS, [
    pins.map(({ id }) => id),
    pins.map(({ version }) => version),
  ]);

export interface Draft {
  id: string;
  documentId: string;
  version: number;
  base_revision: string;
  edits: readonly Edit[];
  content: string;
  markdown: string;
  text: string;
  blocks: unknown;
  markdown_diff: string;
}
const FIRST = `
insert into document_patches (workspace_id, id, document_id, actor_id, version)
select d.workspace_id, $1, d.id, current_actor(), $3 from documents d ${projectOfDocument}
where d.workspace_id = current_workspace() and d.id = $2 and ${documentVisible}
returning id`;
const NEXT = `
update document_patches x set version = $3
where x.workspace_id = current_workspace() and x.id = $1 and x.document_id = $2 and x.actor_id = current_actor()
  and x.version = $3::integer - 1 returning x.id`;
const keep = (header: string) => `
with x as (${header})
insert into document_patch_versions (workspace_id, patch_id, version, base_revision, edits, content, markdown, text,
  blocks, markdown_diff)
select current_workspace(), x.id, $3, $4, $5::jsonb, $6::jsonb, $7, $8, $9::jsonb, $10 from x`;
const KEEP_FIRST = keep(FIRST);
const KEEP_NEXT = keep(NEXT);
/** Returns the patch as stored; undefined if the Document is no longer visible, or another version came first. */
export async function keepDraft(tx: Queries, draft: Draft): Promise<{ json: string } | undefined> {
  const { id, documentId, version, base_revision, edits, content, markdown, text, blocks, markdown_diff } = draft;
  const values = [id, documentId, version, base_revision, JSON.stringify(edits), content, markdown, text];
  const [, kept] = await Promise.all([
    tx.rows(version === 1 ? KEEP_FIRST : KEEP_NEXT, [...values, JSON.stringify(blocks), markdown_diff]),
    readPatch(tx, id, version),
  ]);
  return kept;
}
