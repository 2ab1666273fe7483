// SQL of lists of Documents: chooses the index to scan, and filters its rows. Values are parameters, several of them
// one array, so that a set of filters has one SQL text.
import type { listDocuments as operation } from "@svc/contract/knowledge/documents/documents.ts";
import { callerNarrowed, projectOfCaller, projectVisible } from "../../planning/projects/access.ts";
import type { Queries } from "../../platform/database/db.ts";
import { filled, foundIn, type PageBounds, parameters } from "../../platform/database/scan-page.ts";
import { LAST_ID, NIL } from "../../platform/wire/ids.ts";
import { onlyOne, severalOf } from "../../platform/wire/input/value-filter.ts";
import { refuseAt } from "../../platform/wire/problem.ts";
import { documentVisible, projectOfDocument } from "./access.ts";
import { archivedness, documentView } from "./view.ts";

type Filters = NonNullable<(typeof operation)["_in"]>["query"];
type Put = (value: unknown) => string;

/** Number of Documents per range. Half of it fills a page of 100 if one Document in four passes the filters. */
const EXAMINED = 800;

const starts = {
  uuid: { asc: NIL, desc: LAST_ID },
  timestamptz: { asc: "-infinity", desc: "infinity" },
  float8: { asc: "-infinity", desc: "infinity" },
  text: { asc: "", desc: "\u{10ffff}".repeat(501) },
} as const;
type Column = [column: string, type: keyof typeof starts];
const id: Column = ["id", "uuid"];
const orders: Record<string, { by: Column[]; way: "asc" | "desc" }> = {
  updated: { by: [["updated_at", "timestamptz"], id], way: "desc" },
  created: { by: [id], way: "desc" },
  title: { by: [['title collate "C"', "text"], id], way: "asc" },
  position: { by: [["position", "float8"], id], way: "asc" },
  trashed: { by: [["trashed_at", "timestamptz"], id], way: "desc" },
};

/** The single Project requested; "none" for Documents in no Project; undefined otherwise. */
const oneProject = ({ project_id }: Filters) => (project_id === "none" ? "none" : onlyOne(project_id));
const sortOf = ({ trashed, sort, parent_id }: Filters) =>
  trashed ? "trashed" : (sort ?? (parent_id !== undefined && parent_id !== "none" ? "position" : "updated"));

/** Positions are meaningful only below one parent, and the trash has an order of its own. */
export function requireOrder(query: Filters): void {
  const { trashed, sort, parent_id } = query;
  const refused = (detail: string, code: string) => refuseAt("/query/sort", "invalid_request", detail, code);
  if (trashed && sort !== undefined)
    refused("the trash is listed by when it was thrown away: leave sort out", "not_allowed");
  const placed = parent_id === "none" ? oneProject(query) !== undefined : parent_id !== undefined;
  if (sort === "position" && !placed)
    refused("position orders what is below one parent: name it, or parent_id=none with one project_id", "required");
}

/** A filter value resolves only if the caller sees it: a hidden resource finds nothing, like a missing one. */
const seenProject = (given: string) => `(
  select p.id from projects p ${projectOfCaller}
  where p.workspace_id = current_workspace() and p.id = ${given} and ${projectVisible})`;
const seenDocument = (given: string) => `(
  select d.id from documents d ${projectOfDocument}
  where d.workspace_id = current_workspace() and d.id = ${given} and ${documentVisible})`;

const isLive = (archived: boolean) => ["d.trashed_at is null", `${archivedness("d")} = ${archived ? 1 : 0}`];

/** Conditions that the index answers. */
function stretchOf(query: Filters, workspaceId: string, put: Put): string[] {
  const { trashed, archived = false, parent_id } = query;
  const here = "d.workspace_id = current_workspace()";
  if (trashed)
    return parent_id === undefined || parent_id === "none"
      ? [here, "d.trashed_with_id = d.id"]
      : [here, `d.parent_id = ${seenDocument(put(parent_id))}`, "d.trashed_at is not null"];
  // The index by creation time covers Documents in any state.
  const live = sortOf(query) === "created" ? [here] : [here, ...isLive(archived)];
  const project = oneProject(query);
  if (sortOf(query) === "position") {
    if (parent_id !== "none") return [...live, `d.place_id = ${seenDocument(put(parent_id))}`];
    return [...live, `d.place_id = ${project === "none" ? `${put(workspaceId)}::uuid` : seenProject(put(project))}`];
  }
  if (project === undefined) return live;
  return [...live, project === "none" ? "d.project_id is null" : `d.project_id = ${seenProject(put(project))}`];
}

/** All filters, including those that the index has answered. */
function whereOf(query: Filters, put: Put): string[] {
  const { project_id, parent_id, label_id, text, trashed, archived = false } = query;
  const among = (filter: string, has: (values: string) => string, lacks: string) => {
    const { values, none, not } = severalOf(filter);
    return `case when ${lacks} then ${put(none)}::boolean
      else ${has(`${put(values)}::uuid[]`)} end = ${put(!not)}::boolean`;
  };
  return [
    ...(trashed ? [] : isLive(archived)),
    `case when d.project_id is null then not ${callerNarrowed} else (
      select true from projects p ${projectOfCaller}
      where p.workspace_id = d.workspace_id and p.id = d.project_id and ${projectVisible} limit 1) end`,
    project_id !== undefined && among(project_id, (values) => `d.project_id = any(${values})`, "d.project_id is null"),
    parent_id !== undefined && (parent_id === "none" ? "d.parent_id is null" : `d.parent_id = ${put(parent_id)}::uuid`),
    label_id !== undefined && among(label_id, (values) => `d.label_ids && ${values}`, "d.label_ids = '{}'"),
    text !== undefined && `position(lower(${put(text)}) in lower(d.title)) > 0`,
  ].filter((condition) => condition !== false);
}

async function look(tx: Queries, workspaceId: string, query: Filters, { after, limit }: PageBounds) {
  const { values, put } = parameters();
  const order = orders[sortOf(query)] as (typeof orders)[string];
  const way = query.order ?? order.way;
  const from = after ?? order.by.map(([, type]) => starts[type][way]);
  const behind = from.map((value, place) => `${put(value)}::${order.by[place]?.[1]}`).join(", ");
  const columns = order.by.map(([column]) => `d.${column}`);
  const key = `json_build_array(${columns.join(", ")})::text`;
  const by = columns.map((column) => `${column} ${way}`).join(", ");
  const asked = [
    ...stretchOf(query, workspaceId, put),
    `(${columns.join(", ")}) ${way === "asc" ? ">" : "<"} (${behind})`,
  ];
  const stretch = (end: string) => `(select d.* from documents d where ${asked.join(" and ")} order by ${by} ${end}) d`;
  const where = whereOf(query, put).join(" and ");
  const rows = put(limit + 1);
  const sql = `
/* reads up to ${4 * EXAMINED}: of so many Documents, and their Projects, those that pass the filters */
with page as (
  select ${documentView} as json, ${key} as key from ${stretch(`limit ${EXAMINED}`)} where ${where} order by ${by}
  limit ${rows}
)
select json, key from page
union all
select null, ${key} from ${stretch(`offset ${EXAMINED - 1} limit 1`)} where (select count(*) from page) < ${rows}`;
  return foundIn(await tx.rows<{ json: string | null; key: string }>(sql, values), limit);
}

export const listDocuments = (tx: Queries, workspaceId: string, query: Filters, page: PageBounds) =>
  filled(page, (rest) => look(tx, workspaceId, query, rest));

const CHILDREN = `
select ${documentView} as json, json_build_array(d.position, d.id)::text as key from documents d
where d.workspace_id = current_workspace() and d.place_id = $1 and ${archivedness("d")} = $2 and d.trashed_at is null
  and (d.position, d.id) > ($3::float8, $4::uuid)
order by d.position, d.id limit $5`;
/** Lists children in their order. A member who sees a Document sees all of its descendants. */
export const listChildren = (tx: Queries, of: string, archived: boolean, { after, limit }: PageBounds) =>
  tx.rows<{ json: string; key: string }>(CHILDREN, [of, archived ? 1 : 0, ...(after ?? ["-infinity", NIL]), limit + 1]);
