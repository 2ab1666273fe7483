// SQL of a board: the columns of a Project, their Task counts and first cards, in one statement. Examines the first
// 10,000 Tasks of a column once, for both the count and the cards that match the filters; without filters, the index
// alone answers this.
import type { Queries } from "../../../platform/database/db.ts";
import { parameters } from "../../../platform/database/scan-page.ts";
import { MOST_COUNTED, statusView } from "../../projects/view.ts";
import { TASK_ROW } from "../view.ts";
import { narrowed } from "./store.ts";

/** Maximum of cards on all columns together. */
const MOST_CARDS = 1000;

/** A card, or a column without one. */
export interface BoardRow {
  status_id: string;
  /** The Status as JSON, with the first card of its column. */
  status: string | null;
  total: number;
  capped: boolean;
  json: string | null;
  /** Key after which the column continues, if it does. */
  more: string | null;
}

const inProject = "t.workspace_id = current_workspace() and t.project_id = $1 and t.trashed_at is null";
const columnOf = (rest: string) => `
from tasks t where ${inProject} and t.status_id = c.id order by t.position, t.id ${rest}`;
const applying = (scope: string) => `
select s.* from statuses s where s.workspace_id = current_workspace() and s.project_id ${scope}
  and s.archived_at is null`;

// Skips through the index from one Status with Tasks to the next, so that Tasks of other Projects are never read.
const boardSql = (conditions: string[], limit: string) => {
  const passing = conditions.length > 0 ? `filter (where ${conditions.join(" and ")})` : "";
  return `
/* reads all that it adds up: at most 10,001 of each Status */
with recursive used as (
  (select t.status_id from tasks t where ${inProject} order by t.status_id limit 1)
  union all
  select (select t.status_id from tasks t where ${inProject} and t.status_id > used.status_id order by t.status_id
    limit 1)
  from used where used.status_id is not null
), columns as materialized (
  select s.*, row_number() over (order by s.category_rank, s.position, s.id) as column_place from (
    ${applying("is null")} union all ${applying("= $1")} union all
    select s.* from used cross join lateral (
      select s.* from statuses s where s.workspace_id = current_workspace() and s.id = used.status_id limit 1) s
      where s.archived_at is not null
  ) s
), size as (
  select least(${limit}::int, greatest(1, ${MOST_CARDS} / count(*))) as cards from columns
), filled as materialized (
  select c.*, z.cards, least(x.found, ${MOST_COUNTED})::int as total, x.examined > ${MOST_COUNTED} as capped,
    x.ids[1:z.cards] as ids, x.found > z.cards as cut
  from columns c cross join size z cross join lateral (
    select count(*) ${passing} as found, count(*) as examined, array_agg(t.id
      order by t.position, t.id) ${passing} as ids
    from (select t.* ${columnOf(`limit ${MOST_COUNTED + 1}`)}) t
  ) x
)
select c.id as status_id,
  case when card.nth is null or card.nth = 1 then (select ${statusView} from (select c.*) s) end as status, c.total,
  c.capped, card.json,
  case when c.cut and card.nth = c.cards then card.key
    when c.capped and not c.cut
      then (select json_build_array(t.position, t.id)::text ${columnOf(`offset ${MOST_COUNTED} limit 1`)}) end as more
from filled c left join lateral (
  select n.nth, t.json, t.key from unnest(c.ids) with ordinality n(id, nth) cross join lateral (
    select ${TASK_ROW} as json, json_build_array(t.position, t.id)::text as key
    from tasks t cross join lateral (select p.key from projects p
      where p.workspace_id = t.workspace_id and p.id = t.project_id limit 1) p
    where t.workspace_id = current_workspace() and t.id = n.id limit 1) t
) card on true
order by c.column_place, card.nth`;
};

/** The caller has checked that the Project is visible. */
export function boardOf(
  tx: Queries,
  projectId: string,
  filters: Parameters<typeof narrowed>[0],
  limit: number,
): Promise<BoardRow[]> {
  const { values, put } = parameters();
  put(projectId);
  return tx.rows<BoardRow>(boardSql(narrowed(filters, put, "c"), put(limit)), values);
}
