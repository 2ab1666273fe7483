// SQL of links, from both ends. A link has one row per origin and is shown once, if the reader sees its target: a page
// scans one bounded range of an index after another until it is full.
import { DocumentLink, LinkedDocument } from "@svc/contract/knowledge/documents/links/links.ts";
import { nameOfActor } from "../../../accounts/workspaces/people-view.ts";
import { projectOfCaller, projectVisible } from "../../../planning/projects/access.ts";
import type { Queries } from "../../../platform/database/db.ts";
import { filled, foundIn, type PageBounds } from "../../../platform/database/scan-page.ts";
import { checked } from "../../../platform/database/sql.ts";
import { view } from "../../../platform/database/view.ts";
import { LAST_ID, NIL } from "../../../platform/wire/ids.ts";
import { documentVisible, projectOfDocument } from "../access.ts";
import { documentColumns } from "../view.ts";
import type { Linkable } from "./access.ts";

/** Number of links per range. */
const EXAMINED = 300;
const READS = `/* reads up to ${10 * EXAMINED}: of so many links, and what they lead to, those that the caller sees */`;
interface Read {
  json: string | null;
  key: string;
}

/** If a link has both origins, the manual one represents both. */
const once = `(l.origin = 'manual' or not exists (
  select from document_links o
  where o.workspace_id = l.workspace_id and o.document_id = l.document_id and o.target_kind = l.target_kind
    and o.target_id = l.target_id and o.origin = 'manual'))`;
const origins = `array(
  select o.origin from document_links o
  where o.workspace_id = l.workspace_id and o.document_id = l.document_id and o.target_kind = l.target_kind
    and o.target_id = l.target_id order by o.origin desc)`;

/** The resource with this id if the reader sees it: its short name and its title. */
const inProject = (table: string) =>
  `${table} x join projects p on p.workspace_id = x.workspace_id and p.id = x.project_id ${projectOfCaller}
    where x.workspace_id = current_workspace() and x.id = l.other_id and ${projectVisible}`;
const ends = {
  task: `select p.key || '-' || x.number, x.title from ${inProject("tasks")} and x.trashed_at is null limit 1`,
  milestone: `select p.key || '-M' || x.number, x.name from ${inProject("milestones")} and x.deleted_at is null
    limit 1`,
  document: `select d.path, d.title from documents d ${projectOfDocument}
    where d.workspace_id = current_workspace() and d.id = l.other_id and ${checked("d.trashed_at is null")}
      and ${documentVisible} limit 1`,
  project: `select p.key, p.name from projects p ${projectOfCaller}
    where p.workspace_id = current_workspace() and p.id = l.other_id and ${projectVisible} limit 1`,
  person: `select a.username, a.display_name from (${nameOfActor("l.other_id")}) a`,
};
const end = `cross join lateral (
  ${Object.entries(ends)
    .map(([kind, sql]) => `select * from (${sql}) x(code, name) where l.kind = '${kind}'`)
    .join("\n  union all ")}
) e`;
const shown = view(DocumentLink, "l", {
  target_kind: "l.kind",
  target_id: "l.other_id",
  code: "e.code",
  name: "e.name",
  origins,
});

/** $1 the Document; $2 to $5 the direction, kind, id and origin of the cursor. Outgoing links come first. */
const both = (kind: string) => `
  select * from (
    (select 'outgoing' as direction, l.target_kind as kind, l.target_id as other_id, l.* from document_links l
     where l.workspace_id = current_workspace() and l.document_id = $1 and $2 = 'outgoing'
       and ${kind && `l.target_kind = ${kind} and `}(l.target_kind, l.target_id, l.origin) > ($3, $4::uuid, $5)
     order by l.target_kind, l.target_id, l.origin limit ${EXAMINED})
    union all
    (select 'incoming', 'document', l.document_id, l.* from document_links l
     where l.workspace_id = current_workspace() and l.target_kind = 'document'
       and l.target_id = $1 ${kind && `and ${kind} = 'document'`}
       and (l.document_id, l.origin) > (case $2 when 'incoming' then $4::uuid else '${NIL}' end,
         case $2 when 'incoming' then $5 else '' end)
     order by l.document_id, l.origin limit ${EXAMINED})
  ) l order by l.direction desc, l.kind, l.other_id, l.origin`;
/** Returns the page and, if it is not full, the last link examined. */
const paged = (stretch: string, joined: string, json: string, key: string, order: string, rows: string) => `
${READS}
with page as (
  select ${json} as json, ${key} as key from (${stretch} limit ${EXAMINED}) l ${joined} where ${once} order by ${order}
  limit ${rows}
)
select json, key from page
union all
select null, ${key} from (${stretch} offset ${EXAMINED - 1} limit 1) l where (select count(*) from page) < ${rows}`;

const linksSql = (kind: string) =>
  paged(
    both(kind),
    end,
    shown,
    "json_build_array(l.direction, l.kind, l.other_id, l.origin)::text",
    "l.direction desc, l.kind, l.other_id, l.origin",
    "$6",
  );
const [LINKS, LINKS_OF_KIND] = [linksSql(""), linksSql("$7")];
const lookAtLinks = async (tx: Queries, id: string, kind: string | undefined, { after, limit }: PageBounds) => {
  const values = [id, ...(after ?? ["outgoing", "", NIL, ""]), limit + 1];
  const read = kind === undefined ? tx.rows<Read>(LINKS, values) : tx.rows<Read>(LINKS_OF_KIND, [...values, kind]);
  return foundIn(await read, limit);
};
/** Lists the targets of a Document, and the Documents whose content refers to it. */
export const listLinks = (tx: Queries, id: string, kind: string | undefined, page: PageBounds) =>
  filled(page, (rest) => lookAtLinks(tx, id, kind, rest));

const linkedView = view(LinkedDocument, "d", { ...documentColumns, origins });
const LINKED = paged(
  `select * from document_links l
  where l.workspace_id = current_workspace() and l.target_kind = $1 and l.target_id = $2
    and (l.document_id, l.origin) < ($3::uuid, $4)
  order by l.document_id desc, l.origin desc`,
  `cross join lateral (
    select d.* from documents d ${projectOfDocument}
    where d.workspace_id = current_workspace() and d.id = l.document_id and ${checked("d.trashed_at is null")}
      and ${documentVisible} limit 1) d`,
  linkedView,
  "json_build_array(l.document_id, l.origin)::text",
  "l.document_id desc, l.origin desc",
  "$5",
);
/** Lists the Documents linked to this resource, newest first. */
export const listLinked = (tx: Queries, kind: Linkable, id: string, page: PageBounds) =>
  filled(page, async ({ after, limit }) => {
    const values = [kind, id, ...(after ?? [LAST_ID, ""]), limit + 1];
    return foundIn(await tx.rows<Read>(LINKED, values), limit);
  });

const MADE = `
select /* reads all that it adds up: the links of one Document */ count(*)::int as count
from document_links l where l.workspace_id = current_workspace() and l.document_id = $1 and l.origin = 'manual'
  and not exists (
  select from milestones m where m.workspace_id = current_workspace() and m.id = l.target_id
    and l.target_kind = 'milestone' and m.deleted_at is not null offset 0)`;
/**
 * Number of manual links of this Document. Links to a deleted Milestone do not count, because nobody can remove them.
 */
export const countMade = async (tx: Queries, id: string) => (await tx.one<{ count: number }>(MADE, [id])).count;

const READ = `
select ${shown} as json from (
  select 'outgoing' as direction, l.target_kind as kind, l.target_id as other_id, l.* from document_links l
  where l.workspace_id = current_workspace() and l.document_id = $1 and l.target_kind = $2 and l.target_id = $3
  order by l.origin desc limit 1
) l ${end}`;
export const readLink = (tx: Queries, id: string, to: { kind: Linkable; id: string }) =>
  tx.one<{ json: string }>(READ, [id, to.kind, to.id]);

const INSERT = `
insert into document_links (workspace_id, document_id, target_kind, target_id, origin, created_by_actor_id)
values ($1, $2, $3, $4, 'manual', $5)`;
export const insertLink = (
  tx: Queries,
  { workspaceId, actorId }: { workspaceId: string; actorId: string },
  id: string,
  to: { kind: Linkable; id: string },
) => tx.rows(INSERT, [workspaceId, id, to.kind, to.id, actorId]);
const DELETE = `
delete from document_links where workspace_id = $1 and document_id = $2 and target_kind = $3 and target_id = $4
  and origin = 'manual'`;
export const deleteLink = (tx: Queries, workspaceId: string, id: string, to: { kind: Linkable; id: string }) =>
  tx.rows(DELETE, [workspaceId, id, to.kind, to.id]);
