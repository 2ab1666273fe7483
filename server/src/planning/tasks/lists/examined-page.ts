// Reads a page from bounded index ranges (stretches): examines a limited number of Tasks in index order, and returns
// those that are visible and match the filters. A page that is not full continues with the next stretch, and reports
// where it stops. The cost of a page is bounded, whatever the filters and the caller.
import type { Queries } from "../../../platform/database/db.ts";
import { foundIn, type PageBounds, type parameters, type ScanResult } from "../../../platform/database/scan-page.ts";
import { projectOfCaller, projectVisible } from "../../projects/access.ts";
import { TASK_ROW } from "../view.ts";

/** Maximum of Tasks examined per stretch: twice what a page of 100 needs if every fourth Task is shown. */
export const EXAMINED = 800;

export interface IndexRange {
  /** Selects from tasks as t, with conditions that an index answers; several parts are merged in order. */
  parts: string[];
  /** Sort columns with their directions. */
  order: [column: string, direction: "asc" | "desc"][];
}
export interface ExaminedList {
  /**
   * Conditions on t, on its Project p with the caller's role, and on the Status s with its stage's completion and
   * review behaviors.
   */
  where: string[];
  /** SQL of the JSON read for each Task; default: the wire representation. */
  json?: string;
  /** Maximum of Tasks examined per stretch; default: EXAMINED. */
  examined?: number;
  /** Id of the Project if all Tasks are in one: it is then looked up once, and only its key is available. */
  project?: string;
}
/**
 * A part whose order comes from a list of ids, bearer_id. Each Task is looked up lazily, so that a full page stops
 * looking up; the stretch sorts by bearer_id, because the planner would sort anew by the Tasks' own ids.
 */
export const tasksOf = (ids: string) => `
select t.* from (
  select a.bearer_id, t.* from (${ids}) a
  cross join lateral (select * from tasks where workspace_id = current_workspace() and id = a.bearer_id limit 1) t
) t`;

const keyOf = (order: IndexRange["order"]) =>
  `json_build_array(${order.map(([column]) => `t.${column}`).join(", ")})::text`;
const orderOf = (order: IndexRange["order"]) => order.map(([column, way]) => `t.${column} ${way}`).join(", ");
const STAGE = `cross join lateral (
      select g.counts_as_completed, g.awaits_review from lifecycle_stages g
      where g.workspace_id = s.workspace_id and g.id = s.stage_id limit 1
    ) g`;

const oneProject = (id: string) => `cross join lateral (select (
    select p.key from projects p ${projectOfCaller}
    where p.workspace_id = current_workspace() and p.id = ${id} and ${projectVisible}) as key) p`;

// Every lookup has a limit of one, which keeps the planner from joining the whole table. The second part of the
// statement runs only if the page is not full; its last row is then the last Task examined.
function pageSql(
  { parts, order }: IndexRange,
  { where, json = TASK_ROW, project, examined = EXAMINED }: ExaminedList,
  rows: string,
): string {
  const names = (pattern: RegExp) => [...where, json].some((text) => pattern.test(text));
  const staged = names(/\bs\.(counts_as_completed|awaits_review)\b/);
  const status = `cross join lateral (
    select s.name, s.category${staged ? ", g.*" : ""} from statuses s ${staged ? STAGE : ""}
    where s.workspace_id = t.workspace_id and s.id = t.status_id limit 1
  ) s`;
  // The Status is the cheaper lookup and often filters most out. Referencing it in the Project's lookup makes the
  // planner do it first: a third of the time if few Tasks match.
  const known = names(/\bs\./);
  const ownProject = `cross join lateral (
    select p.key, p.archived_at, pm.role as caller_role from projects p ${projectOfCaller}
    where p.workspace_id = t.workspace_id and p.id = t.project_id
      and ${projectVisible} ${known ? "and s.name is not null" : ""} limit 1
  ) p`;
  // Each part is sorted and limited separately: only then does the planner merge them while reading.
  const cut = parts.map((part) => `(${part} order by ${orderOf(order)} limit ${examined})`);
  const stretch = (end: string) =>
    `(select t.* from (${cut.join("\nunion all ")}) t order by ${orderOf(order)} ${end}) t`;
  return `
/* reads up to ${10 * examined}: of so many Tasks, their Statuses and Projects, those that pass the filters */
with page as (
  select ${json} as json, ${keyOf(order)} as key
  from ${stretch(`limit ${examined}`)}
  ${known ? status : ""}
  ${project === undefined ? ownProject : oneProject(project)}
  where ${["p.key is not null", ...where].join(" and ")}
  order by ${orderOf(order)} limit ${rows}
)
select json, key from page
union all
select null, ${keyOf(order)} from ${stretch(`offset ${examined - 1} limit 1`)}
where (select count(*) from page) < ${rows}`;
}

/** Reads a stretch and the start of the next one, in the form that the kernel expects. */
export async function examinedPage(
  tx: Queries,
  stretch: IndexRange,
  shown: ExaminedList,
  { values, put }: ReturnType<typeof parameters>,
  { limit }: PageBounds,
): Promise<ScanResult> {
  const sql = pageSql(stretch, shown, put(limit + 1));
  return foundIn(await tx.rows<{ json: string | null; key: string }>(sql, values), limit);
}
