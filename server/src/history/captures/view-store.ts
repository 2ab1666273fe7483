// SQL of saved views. The statement that changes a row compares its revision; the same round-trip reads the current
// one.
import { MOST_VIEWS, TaskSavedViewRow } from "@svc/contract/history/captures/saved-views.ts";
import { QUEUE } from "../../accounts/account/access.ts";
import type { Queries } from "../../platform/database/db.ts";
import { view } from "../../platform/database/view.ts";
import type { Query } from "./task-store.ts";

interface Fields {
  name: string;
  query: Query;
  layout: object;
}
export interface ViewRow {
  json: string;
  revision: string;
}
const valuesOf = ({ name, query, layout }: Fields) => [name, JSON.stringify(query), JSON.stringify(layout)];

const own = "v.workspace_id = current_workspace() and v.actor_id = current_actor()";
const shown = `${view(TaskSavedViewRow, "v")} as json, v.revision::text`;

const CREATE = `
/* reads up to ${2 * MOST_VIEWS}: it counts those that there are */
with held as (select from task_saved_views v where ${own} limit ${MOST_VIEWS}), v as (
  insert into task_saved_views (workspace_id, actor_id, id, name, query, layout)
  select current_workspace(), current_actor(), $1, $2, $3::jsonb, $4::jsonb
  where (select count(*) from held) < ${MOST_VIEWS} returning *
)
select ${shown} from v`;
/** Undefined if the quota is used up. Creators of views queue on their own Actor. */
export async function createView(tx: Queries, id: string, fields: Fields): Promise<ViewRow | undefined> {
  const [, row] = await Promise.all([tx.rows(QUEUE), tx.maybe<ViewRow>(CREATE, [id, ...valuesOf(fields)])]);
  return row;
}

const CURRENT = `select v.revision::text from task_saved_views v where ${own} and v.id = $1`;
const currentOf = async (tx: Queries, id: string) =>
  (await tx.maybe<{ revision: string }>(CURRENT, [id]))?.revision ?? null;

const differs = "(v.name, v.query, v.layout) is distinct from ($3, $4::jsonb, $5::jsonb)";
const UPDATE = `
with v as (
  update task_saved_views v set name = $3, query = $4::jsonb, layout = $5::jsonb,
    revision = case when ${differs} then v.revision + 1 else v.revision end,
    updated_at = case when ${differs} then now() else v.updated_at end
  where ${own} and v.id = $1 and v.revision::text = $2 returning v.*
)
select ${shown} from v`;
export async function updateView(tx: Queries, id: string, revision: string, fields: Fields) {
  const [changed, current] = await Promise.all([
    tx.maybe<ViewRow>(UPDATE, [id, revision, ...valuesOf(fields)]),
    currentOf(tx, id),
  ]);
  return { changed, current };
}

const DELETE = `delete from task_saved_views v where ${own} and v.id = $1 and v.revision::text = $2
  returning true as deleted`;
export async function deleteView(tx: Queries, id: string, revision: string) {
  const [deleted, current] = await Promise.all([tx.maybe(DELETE, [id, revision]), currentOf(tx, id)]);
  return { deleted: deleted !== undefined, current };
}

const LIST = `
select ${view(TaskSavedViewRow, "v")} as json, json_build_array(v.id)::text as key
from task_saved_views v where ${own} and v.id > $1 order by v.id limit $2`;
export const listViews = (tx: Queries, after: string, limit: number) =>
  tx.rows<{ json: string; key: string }>(LIST, [after, limit]);
