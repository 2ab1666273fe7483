// SQL of the tree of Documents: places, moves and their effect on descendants. Writers lock the tree (access.ts), so
// that what they read is still true when they write.
import { MOST_AT_ONCE } from "@svc/contract/knowledge/documents/documents.ts";
import { projectOfCaller, projectVisible } from "../../planning/projects/access.ts";
import type { Queries } from "../../platform/database/db.ts";
import { ordering } from "../../platform/database/order.ts";
import { cachedSql, changes } from "../../platform/database/sql.ts";
import { documentVisible, type InPlace, inPlace, projectOfDocument } from "./access.ts";
import type { Lost } from "./rules.ts";
import { archivedness, documentView } from "./view.ts";

interface Row {
  json: string;
  revision: string;
}

/** The order below one parent, or at the top of a Project or of the Workspace. */
const { lastPlace, placeBeside } = ordering({
  table: "documents",
  columns: ["place_id"],
  where: `${archivedness("t")} = 0 and t.trashed_at is null`,
});

export { placeBeside };

/** A place in the tree: a parent, or the top of a Project or of the Workspace. */
export interface DocumentPlace extends InPlace {
  parent_id: string | null;
  project_id: string | null;
  depth: number;
  trashed: boolean;
  /** The slugs from the top down to the parent, each followed by a slash. */
  slugs: string;
  /** The ancestors, including the parent. */
  line: string[];
}
export const placeId = (
  workspaceId: string,
  { parent_id, project_id }: Pick<DocumentPlace, "parent_id" | "project_id">,
) => parent_id ?? project_id ?? workspaceId;

const TOP: DocumentPlace = {
  parent_id: null,
  project_id: null,
  depth: 0,
  trashed: false,
  slugs: "",
  line: [],
  project_role: null,
  project_archived: false,
  project_private: false,
};
const TOP_OF_PROJECT = `
select null as parent_id, p.id as project_id, 0 as depth, false as trashed, '' as slugs, '{}'::uuid[] as line,
  ${inPlace}
from projects p ${projectOfCaller} where p.workspace_id = current_workspace() and p.id = $1 and ${projectVisible}`;
const BELOW = `
with recursive up as (
  select d.id, d.parent_id, d.slug || '/' as slugs, 1 as level from documents d
  where d.workspace_id = current_workspace() and d.id = $1
  union all
  select u.id, u.parent_id, u.slug || '/' || up.slugs, up.level + 1 from up cross join lateral (
    select * from documents u where u.workspace_id = current_workspace() and u.id = up.parent_id limit 1) u
)
select d.id as parent_id, d.project_id, d.depth, d.trashed_at is not null as trashed,
  (select slugs from up order by level desc limit 1) as slugs,
  array(select id from up) as line, ${inPlace}
from documents d ${projectOfDocument} where d.workspace_id = current_workspace() and d.id = $1 and ${documentVisible}`;
/**
 * The place below this Document, or at the top of this Project or of the Workspace; undefined if the caller does not
 * see it.
 */
export async function placeOf(tx: Queries, parentId: string | null, projectId: string | null) {
  if (parentId !== null) return tx.maybe<DocumentPlace>(BELOW, [parentId]);
  return projectId === null ? TOP : tx.maybe<DocumentPlace>(TOP_OF_PROJECT, [projectId]);
}

// Like BELOW, but also for a Document without a parent.
const STANDING = `
with recursive up as (
  select u.id, u.parent_id, u.trashed_at, u.slug || '/' as slugs, 1 as level from documents d cross join lateral (
    select * from documents u where u.workspace_id = current_workspace() and u.id = d.parent_id limit 1) u
  where d.workspace_id = current_workspace() and d.id = $1
  union all
  select u.id, u.parent_id, u.trashed_at, u.slug || '/' || up.slugs, up.level + 1 from up cross join lateral (
    select * from documents u where u.workspace_id = current_workspace() and u.id = up.parent_id limit 1) u
)
select d.parent_id, d.project_id, (select count(*)::int from up) as depth,
  exists (select from up where trashed_at is not null) as trashed,
  coalesce((select slugs from up order by level desc limit 1), '') as slugs, array(select id from up) as line,
  ${inPlace}, d.trashed_with_id as with_id,
  ${lastPlace(
    "d.workspace_id",
    `(case when d.project_id is null then d.workspace_id
    else d.project_id end)`,
  )} as last_at_top
from documents d ${projectOfDocument} where d.workspace_id = current_workspace() and d.id = $1 and ${documentVisible}`;
/**
 * The current place of a Document; for one in the trash also the Document that it was trashed with, and the last
 * position at the top.
 */
export interface CurrentDocumentPlace extends DocumentPlace {
  with_id: string;
  last_at_top: number;
}
export const standing = (tx: Queries, id: string) => tx.maybe<CurrentDocumentPlace>(STANDING, [id]);

const PAGE = `/* reads all that it adds up: what is below a Document, of which at most ${MOST_AT_ONCE} go along */`;
// Reads at most one Document more than a change may affect, and the Document itself.
const EXTENT = `
with recursive below as (
  select d.id, 0 as level from documents d where d.workspace_id = current_workspace() and d.id = $1
  union all
  select c.id, b.level + 1 from below b cross join lateral (
    select c.id from documents c where c.workspace_id = current_workspace() and c.parent_id = b.id offset 0) c
)
select ${PAGE} count(*)::int - 1 as below, max(level)::int as levels
from (select * from below limit ${MOST_AT_ONCE + 2}) b`;
/**
 * Number of descendants, including trashed ones, and of their levels. Counts at most one more than a change may affect.
 */
export const extentOf = (tx: Queries, id: string) => tx.one<{ below: number; levels: number }>(EXTENT, [id]);

const LAST = `select ${lastPlace("$1", "$2")} as position`;
/** The position after all others at that place. */
export const lastPosition = async (
  tx: Queries,
  workspaceId: string,
  place: Pick<DocumentPlace, "parent_id" | "project_id">,
) => (await tx.one<{ position: number }>(LAST, [workspaceId, placeId(workspaceId, place)])).position;

const LOST = `
with recursive below as (
  select d.id, d.label_ids from documents d where d.workspace_id = $1 and d.id = $2
  union all
  select c.id, c.label_ids from below b cross join lateral (
    select c.id, c.label_ids from documents c where c.workspace_id = $1 and c.parent_id = b.id offset 0) c
)
select ${PAGE} b.id, b.label_ids as from, l.kept as to
from (select * from below limit ${MOST_AT_ONCE + 2}) b
cross join lateral (select labels_in_project($1, b.label_ids, 'document', $3) as kept) l
where b.label_ids <> '{}' and b.label_ids <> l.kept`;
/** The Documents among this one and its descendants that would lose labels in another Project. */
export const lostIn = (tx: Queries, workspaceId: string, id: string, projectId: string | null) =>
  tx.rows<Lost[number]>(LOST, [workspaceId, id, projectId]);

/** A free slug for Document $2 of Workspace $1 after these slugs. */
const freeSlug = (slugs: string, slug: string, suffix: string) => `case when exists (
  select from documents o where o.workspace_id = $1 and o.path = document_path(${slugs} || ${slug}, $2)
    and o.trashed_at is null and o.id <> $2
) then ${slug} || '-' || ${suffix} else ${slug} end`;

// A reference with an id makes a link; an unresolved one does not. Texts without references, which most are, are not
// searched.
const mentions = `
select distinct n #>> '{attrs,kind}' as kind, (n #>> '{attrs,id}')::uuid as id
from w cross join lateral jsonb_path_query(w.content, 'strict $.** ? (@.type == "mention")') n
where strpos(w.markdown, '(svc:') > 0 and n #>> '{attrs,id}' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'`;
const isThere = (table: string) =>
  `(select true from ${table} o where o.workspace_id = $1 and o.id = n.id limit 1) is true`;
/**
 * The resources that `w` (content, markdown) refers to in Workspace $1, without Tasks and Documents that were deleted
 * for good.
 */
export const named = `
select n.kind, n.id from (${mentions}) n
where case n.kind when 'task' then ${isThere("tasks")} when 'document' then ${isThere("documents")} else true end`;

const CREATE = `
with w as (select $14::jsonb as content, $15::text as markdown), d as (
  insert into documents (workspace_id, id, project_id, parent_id, depth, title, icon, slug, path, position, label_ids,
    created_by_actor_id)
  select $1, $2, $3, $4, $5, $6, $7, s.slug, document_path($8 || s.slug, $2), ${lastPlace("$1", "$9")}, $10, $11
  from (select ${freeSlug("$8::text", "$12::text", "$13::text")} as slug) s
  on conflict (workspace_id, path) where trashed_at is null do nothing
  returning *
), first as (
  insert into document_revisions (workspace_id, document_id, revision, content, markdown, text, reason,
    author_actor_ids, size)
  select $1, $2, 1, w.content, w.markdown, $16, 'write', array[$11::uuid], length(w.markdown) from d cross join w
), linked as (
  insert into document_links (workspace_id, document_id, target_kind, target_id, origin, created_by_actor_id)
  select $1, $2, n.kind, n.id, 'content', $11 from d cross join (${named}) n
)
select ${documentView} as json, d.revision::text from d`;
/** The content of a Document in its three forms. */
export interface StoredContent {
  /** JSON text. */
  content: string;
  markdown: string;
  text: string;
}
export interface NewDocument {
  id: string;
  title: string;
  icon: string | null;
  slug: string;
  suffix: string;
  labelIds: readonly string[];
  content: StoredContent;
}
/** Returns no row if a concurrent insert has taken the path. */
export function createDocument(
  tx: Queries,
  by: { workspaceId: string; actorId: string },
  made: NewDocument,
  to: DocumentPlace,
) {
  const { id, title, icon, slug, suffix, labelIds, content } = made;
  const { workspaceId, actorId } = by;
  return tx.maybe<Row>(CREATE, [
    ...[workspaceId, id, to.project_id, to.parent_id, to.depth + 1, title, icon, to.slugs, placeId(workspaceId, to)],
    ...[labelIds, actorId, slug, suffix, content.content, content.markdown, content.text],
  ]);
}

const updateSql = cachedSql(
  (assignments: string) => `
update documents d set ${assignments}${assignments && ", "}revision = revision + 1, updated_at = now()
where d.workspace_id = $1 and d.id = $2`,
);
/** Requires that the load has locked the row. */
export function updateDocument(tx: Queries, workspaceId: string, id: string, changed: Record<string, unknown>) {
  const { assignments, values } = changes(changed, 2);
  return tx.rows(updateSql(assignments), [workspaceId, id, ...values]);
}
const READ = `select ${documentView} as json, d.revision::text from documents d
  where d.workspace_id = current_workspace() and d.id = $1`;
/** Reads the row as just written. */
export const read = (tx: Queries, id: string) => tx.one<Row>(READ, [id]);

const PUBLISH = "insert into publications (public_id, workspace_id, kind, resource_id) values ($1, $2, 'document', $3)";
export const publish = (tx: Queries, workspaceId: string, id: string, publicId: string) =>
  tx.rows(PUBLISH, [publicId, workspaceId, id]);
const UNPUBLISH = "delete from publications where workspace_id = $1 and kind = 'document' and resource_id = $2";
export const unpublish = (tx: Queries, workspaceId: string, id: string) => tx.rows(UNPUBLISH, [workspaceId, id]);

/**
 * The Document $2 of Workspace $1 with its descendants. `which` is a condition on descendants, as c; it must be outside
 * of their lookup, or the planner may choose another index. $3 are the slugs before the Document's, $4 is its depth.
 */
const branch = (which: string) => `
with recursive branch as (
  select d.id, d.path as was, $3::text || d.slug as slugs, $4::int as depth, d.label_ids, d.trashed_at
  from documents d where d.workspace_id = $1 and d.id = $2
  union all
  select c.id, c.path, b.slugs || '/' || c.slug, b.depth + 1, c.label_ids, c.trashed_at
  from branch b cross join lateral (select * from documents c where c.workspace_id = $1 and c.parent_id = b.id
    offset 0) c ${which}
)`;
/** Records former paths, which still find the Document. */
const former = (where: string) => `
insert into document_former_paths as f (workspace_id, path, document_id) select $1, b.was, b.id from branch b
where ${where}
on conflict (workspace_id, path, document_id) do update set left_at = now()`;
const WITHDRAW = `delete from publications
    where workspace_id = $1 and kind = 'document' and resource_id = any(array(select id from branch))`;

const place = (set: string) => `
update documents d set path = document_path(b.slugs, d.id), depth = b.depth${set} from branch b
where d.workspace_id = $1 and d.id = b.id returning d.id`;
const LEFT = "b.trashed_at is null and b.was <> document_path(b.slugs, b.id)";

const SETTLE = `${branch("")}, former as (${former(LEFT)}), placed as (${place("")}) select ${PAGE} count(*)
  from placed`;
// A move to another Project ends publications, and removes labels that only the former Project has.
const CARRY = `${branch("")}, former as (${former(LEFT)}), withdrawn as (${WITHDRAW}), placed as (${place(`,
  project_id = $5, public_id = null, published_at = null,
  label_ids = case when d.label_ids = '{}' then d.label_ids
    else labels_in_project($1, d.label_ids, 'document', $5) end`)})
select ${PAGE} count(*) from placed`;
const RETURN = `${branch("where c.trashed_with_id = $5")},
  placed as (${place(", trashed_at = null, trashed_with_id = null")})
select ${PAGE} count(*) from placed`;

/** Updates the paths of the Document and its descendants after its slug or parent has changed. */
export const settleBelow = (tx: Queries, workspaceId: string, id: string, to: DocumentPlace) =>
  tx.rows(SETTLE, [workspaceId, id, to.slugs, to.depth + 1]);
/** The same for a move to another Project. */
export const carryBelow = (tx: Queries, workspaceId: string, id: string, to: DocumentPlace) =>
  tx.rows(CARRY, [workspaceId, id, to.slugs, to.depth + 1, to.project_id]);
/** The same for a restore from the trash, with everything trashed along with `withId`. */
export const returnBelow = (tx: Queries, workspaceId: string, id: string, to: DocumentPlace, withId: string) =>
  tx.rows(RETURN, [workspaceId, id, to.slugs, to.depth + 1, withId]);

const ENTER = `
update documents d set slug = ${freeSlug("$3::text", "$4::text", "$5::text")}, parent_id = $6, project_id = $7
where d.workspace_id = $1 and d.id = $2`;
/** Sets the parent, and a slug that is free there. One of the functions above must follow for the descendants. */
export const enter = (tx: Queries, workspaceId: string, id: string, to: DocumentPlace, slug: string, suffix: string) =>
  tx.rows(ENTER, [workspaceId, id, to.slugs, slug, suffix, to.parent_id, to.project_id]);

const RELABEL = `
update documents d set label_ids = labels_in_project($1, l.from, 'document', $3), revision = d.revision + 1,
  updated_at = now()
from jsonb_to_recordset($2::jsonb) as l(id uuid, "from" uuid[], "to" uuid[])
where d.workspace_id = $1 and d.id = any($4::uuid[]) and d.id = l.id and d.label_ids = l.to`;
/** Restores labels that a move removed, unless they have changed since. */
export const relabel = (tx: Queries, workspaceId: string, lost: Lost, projectId: string | null) =>
  tx.rows(RELABEL, [workspaceId, JSON.stringify(lost), projectId, lost.map(({ id }) => id)]);

// Descendants that are already in the trash stay unchanged.
const TRASH = `${branch("where c.trashed_at is null")}, former as (${former("true")}), withdrawn as (${WITHDRAW}),
  gone as (
  update documents d set trashed_at = $5, trashed_with_id = $2, public_id = null, published_at = null,
    revision = d.revision + case when d.id = $2 then 1 else 0 end,
    updated_at = case when d.id = $2 then now() else d.updated_at end
  from branch b where d.workspace_id = $1 and d.id = b.id returning d.id
)
select ${PAGE} count(*) from gone`;
/** Moves the Document and its descendants to the trash. */
export const trash = (tx: Queries, workspaceId: string, id: string, at: string) =>
  tx.rows(TRASH, [workspaceId, id, "", 1, at]);

const DELETE = `${branch("where c.trashed_with_id = $5")}, gone as (
  delete from documents d where d.workspace_id = $1 and d.id = any(array(select b.id from branch b)) returning d.id
)
select ${PAGE} count(*)::int as count from gone`;
/**
 * Deletes the Document and everything trashed along with it, and returns their number. Descendants trashed before stay
 * in the trash, at the top.
 */
export const deleteBelow = (tx: Queries, workspaceId: string, id: string, withId: string) =>
  tx.one<{ count: number }>(DELETE, [workspaceId, id, "", 1, withId]);
