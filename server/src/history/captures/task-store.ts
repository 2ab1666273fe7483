// SQL of captured Tasks: result sets, whose rows are versions, and selections. Both are immutable. The current state of
// a Task is read when it is shown, under the one predicate for visible Projects.
//   resultSetAt(tx, id, version) -> one version of the caller's own, with its identities
import type { TaskQuery } from "@svc/contract/history/captures/result-sets.ts";
import type { Static } from "typebox";
import { projectOfCaller, projectVisible } from "../../planning/projects/access.ts";
import type { Queries } from "../../platform/database/db.ts";
import { ownLive } from "./access.ts";
import { type HydratedRow, type Identities, taskPreview } from "./task-view.ts";

export type Query = Static<typeof TaskQuery>;
interface Captured extends Identities {
  id: string;
  version: number;
  created_at: string;
  expires_at: string;
}
export interface ResultSet extends Captured {
  query: Query;
  complete: boolean;
}
export interface Selection extends Captured {
  result_set_id: string;
}
const captured =
  "id, version, task_ids, revisions::text[] as revisions, wire_time(created_at) as created_at, " +
  "wire_time(expires_at) as expires_at";

const SET = `select ${captured}, query, complete from task_result_sets where ${ownLive} and id = $1`;
const SET_AT = `${SET} and version = $2`;
const LATEST_SET = `${SET} order by version desc limit 1`;
export const resultSetAt = (tx: Queries, id: string, version: number) => tx.maybe<ResultSet>(SET_AT, [id, version]);
export const latestResultSet = (tx: Queries, id: string) => tx.maybe<ResultSet>(LATEST_SET, [id]);

const SELECTION = `select ${captured}, result_set_id from task_selections where ${ownLive} and id = $1`;
export const selectionOf = (tx: Queries, id: string) => tx.maybe<Selection>(SELECTION, [id]);

const keep = (table: string, columns: string) => `
insert into ${table} (workspace_id, actor_id, id, version, task_ids, revisions, created_at, expires_at, ${columns})
values (current_workspace(), current_actor(), $1, $2, $3, $4, $5, $6, $7${columns.includes(",") ? ", $8" : ""})`;
const valuesOf = ({ id, version, task_ids, revisions, created_at, expires_at }: Captured) => [
  ...[id, version, task_ids, revisions, created_at, expires_at],
];
const KEEP_SET = keep("task_result_sets", "complete, query");
export const keepResultSet = (tx: Queries, set: ResultSet) =>
  tx.rows(KEEP_SET, [...valuesOf(set), set.complete, JSON.stringify(set.query)]);
const KEEP_SELECTION = keep("task_selections", "result_set_id");
export const keepSelection = (tx: Queries, selection: Selection) =>
  tx.rows(KEEP_SELECTION, [...valuesOf(selection), selection.result_set_id]);

const MOST_SHOWN = 100;
/** `kept` selects the row with the identities; $1 is its id, $2 the offset. */
const hydrate = (kept: string) => `
select cardinality(k.task_ids) as count, w.id, w.revision::text, t.revision::text as now, t.json as json, true as shown
from (${kept}) k
left join lateral unnest(k.task_ids[$2::int + 1:$2::int + ${MOST_SHOWN}],
  k.revisions[$2::int + 1:$2::int + ${MOST_SHOWN}])
  with ordinality w(id, revision, place) on true
left join lateral (
  select t.revision, ${taskPreview} as json from tasks t
  join projects p on p.workspace_id = t.workspace_id and p.id = t.project_id ${projectOfCaller}
  where t.workspace_id = current_workspace() and t.id = w.id and ${projectVisible} limit 1
) t on true
order by w.place`;
const HYDRATE_SET = hydrate(
  `select task_ids, revisions from task_result_sets where ${ownLive} and id = $1 and version = $3`,
);
const HYDRATE_SELECTION = hydrate(`select task_ids, revisions from task_selections where ${ownLive} and id = $1`);
/** No rows: the version does not exist. */
export const hydrateResultSet = (tx: Queries, id: string, version: number, offset: number) =>
  tx.rows<HydratedRow>(HYDRATE_SET, [id, offset, version]);
export const hydrateSelection = (tx: Queries, id: string, offset: number) =>
  tx.rows<HydratedRow>(HYDRATE_SELECTION, [id, offset]);
