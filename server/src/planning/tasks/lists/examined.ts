// A page out of bounded stretches of an index: Tasks are read in the order that an index has, at most so many of them, and those that
// the caller may see and that pass the filters are shown. A page that is not full then goes on with the next stretch, and says so where it
// gives up. What a page costs has a bound, whatever the filters and whoever asks.
import type { Queries } from "../../../platform/database/db.ts";
import { type Found, foundIn, type Page, type parameters } from "../../../platform/database/looking.ts";
import { projectOfCaller, projectVisible } from "../../projects/access.ts";
import { TASK_ROW } from "../view.ts";

/** Half of it is what a page of 100 takes where every fourth Task is shown. */
export const EXAMINED = 800;

export interface Stretch {
  /** Selects from tasks as t, with the conditions that an index answers: several are merged in order. */
  parts: string[];
  /** The columns of the order, each with its direction. */
  order: [column: string, direction: "asc" | "desc"][];
}
export interface Shown {
  /** Conditions on t, on its Project p with the caller's role in it, and on the Status s, with what its stage says about completion and review. */
  where: string[];
  /** What is read of each as JSON, where it is not the Task as it goes over the wire. */
  json?: string;
  /** How many are looked at in one stretch, where it is not as many as for a page. */
  examined?: number;
  /** Where all of them are in one Project, its id: then it is looked up once, and only its key is known of it. */
  project?: string;
}
/**
 * A part of a stretch whose order comes from elsewhere: ids as bearer_id, in order. Each Task is looked up when its turn comes, so that a page
 * that is full looks up no more; bearer_id is what the stretch is ordered by, because the planner would sort anew by the Tasks' own ids.
 */
export const tasksOf = (ids: string) => `
select t.* from (
  select a.bearer_id, t.* from (${ids}) a
  cross join lateral (select * from tasks where workspace_id = current_workspace() and id = a.bearer_id limit 1) t
) t`;

const keyOf = (order: Stretch["order"]) =>
  `json_build_array(${order.map(([column]) => `t.${column}`).join(", ")})::text`;
const orderOf = (order: Stretch["order"]) => order.map(([column, way]) => `t.${column} ${way}`).join(", ");
const STAGE = `cross join lateral (
      select g.counts_as_completed, g.awaits_review from lifecycle_stages g where g.workspace_id = s.workspace_id and g.id = s.stage_id limit 1
    ) g`;

const oneProject = (id: string) => `cross join lateral (select (
    select p.key from projects p ${projectOfCaller} where p.workspace_id = current_workspace() and p.id = ${id} and ${projectVisible}) as key) p`;

// Every lookup has a limit of one, which keeps the planner from making a join over everything of it. The statement reads on only while
// the page is not full; where it stays short, the last Task that was looked at is its last row.
function pageSql(
  { parts, order }: Stretch,
  { where, json = TASK_ROW, project, examined = EXAMINED }: Shown,
  rows: string,
): string {
  const names = (pattern: RegExp) => [...where, json].some((text) => pattern.test(text));
  const staged = names(/\bs\.(counts_as_completed|awaits_review)\b/);
  const status = `cross join lateral (
    select s.name, s.category${staged ? ", g.*" : ""} from statuses s ${staged ? STAGE : ""}
    where s.workspace_id = t.workspace_id and s.id = t.status_id limit 1
  ) s`;
  // The Status is the cheaper lookup and often filters most away. That the Project's names it makes the planner do it first: a third of the
  // time where few Tasks pass.
  const known = names(/\bs\./);
  const ownProject = `cross join lateral (
    select p.key, p.archived_at, pm.role as caller_role from projects p ${projectOfCaller}
    where p.workspace_id = t.workspace_id and p.id = t.project_id and ${projectVisible} ${known ? "and s.name is not null" : ""} limit 1
  ) p`;
  // Each part in order and cut off for itself: only then does the planner merge them as it reads.
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

/** A stretch and where the next one starts, in the form in which the kernel takes it. */
export async function examinedPage(
  tx: Queries,
  stretch: Stretch,
  shown: Shown,
  { values, put }: ReturnType<typeof parameters>,
  { limit }: Page,
): Promise<Found> {
  const sql = pageSql(stretch, shown, put(limit + 1));
  return foundIn(await tx.rows<{ json: string | null; key: string }>(sql, values), limit);
}
