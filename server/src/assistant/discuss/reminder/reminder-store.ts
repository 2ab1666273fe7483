// SQL of reminders: each is visible to its member only. The target is shown if the caller sees it now.
import { MOST_REMINDERS, ReminderRow } from "@svc/contract/assistant/discuss/reminders.ts";
import type { Queries } from "../../../platform/database/db.ts";
import { view } from "../../../platform/database/view.ts";
import { type Reference, resolvedReference } from "../attachments/reference-store.ts";

export type ReminderState = "scheduled" | "delivered" | "completed" | "cancelled";
export interface ReminderTarget {
  id: string;
  revision: string;
  state: ReminderState;
  due_at: string;
  json: string;
}

const own = "r.workspace_id = current_workspace() and r.actor_id = current_actor()";
const json = `${view(ReminderRow, "r", {
  target: `case when r.target_id is not null then ${resolvedReference("r.target_kind", "r.target_id")} end`,
})} as json`;
const shown = `r.id, r.revision::text, r.state, wire_time(r.due_at) as due_at, ${json}`;

const FIND = `select ${shown} from discuss_reminders r where ${own} and r.id = $1`;
export const findReminder = (tx: Queries, id: string, change: boolean) =>
  tx.maybe<ReminderTarget>(change ? `${FIND} for no key update` : FIND, [id]);

// Reads a page of each state, so that the merged first rows are the first of all.
const LIST = `
select ${json}, json_build_array(r.due_at, r.id)::text as key from (
  select r.* from unnest($1::text[]) states(state) cross join lateral (
    select * from discuss_reminders r
    where ${own} and r.state = states.state and (r.due_at, r.id) > ($2::timestamptz, $3::uuid)
    order by r.due_at, r.id limit $4
  ) r order by r.due_at, r.id limit $4
) r order by r.due_at, r.id`;
export const listReminders = (
  tx: Queries,
  states: readonly ReminderState[],
  after: readonly [string, string],
  rows: number,
) => tx.rows<{ json: string; key: string }>(LIST, [states, ...after, rows]);

export interface ReminderInput {
  text: string;
  due_at: string;
  target?: Reference;
}
const KEEP = `
/* reads up to ${2 * MOST_REMINDERS}: it counts those that are open */
with held as (
  select from discuss_reminders r where ${own} and r.state in ('scheduled', 'delivered') limit ${MOST_REMINDERS}
), r as (
  insert into discuss_reminders (workspace_id, actor_id, id, text, due_at, target_kind, target_id)
  select current_workspace(), current_actor(), $1, $2, $3, $4, $5 where (select count(*) from held) < ${MOST_REMINDERS}
  returning *
)
select ${shown} from r`;
/** Undefined if the limit is reached. The caller has locked its own Actor. */
export const keepReminder = (tx: Queries, id: string, { text, due_at, target }: ReminderInput) =>
  tx.maybe<ReminderTarget>(KEEP, [id, text, due_at, target?.kind ?? null, target?.id ?? null]);

const CHANGE = `
with r as (
  update discuss_reminders r
    set state = $2, due_at = coalesce($3::timestamptz, r.due_at),
      delivered_at = case when $2 = 'scheduled' then null else r.delivered_at end,
    revision = r.revision + 1, updated_at = now()
  where ${own} and r.id = $1 returning *
)
select ${shown} from r`;
/** The caller has locked the row. */
export const changeReminder = (tx: Queries, id: string, state: ReminderState, dueAt: string | null) =>
  tx.one<ReminderTarget>(CHANGE, [id, state, dueAt]);

const TAKE = "select take_due_reminders($1) as taken";
export interface DueReminder {
  workspace_id: string;
  id: string;
  actor_id: string;
  target_kind: Reference["kind"] | null;
  target_id: string | null;
}
export const takeDue = async (tx: Queries, most: number) =>
  (await tx.one<{ taken: DueReminder[] }>(TAKE, [most])).taken;

// Finds the Project of each target, regardless of visibility: the inbox checks that when it is shown.
const PLACES = `
select e.id as reminder_id, e.actor_id, x.task_id, x.document_id, x.project_id
from jsonb_to_recordset($1::jsonb) as e(id uuid, actor_id uuid, target_kind text, target_id uuid)
left join lateral (
  select t.id as task_id, null::uuid as document_id, null::uuid as project_id from tasks t
  where e.target_kind = 'task' and t.workspace_id = current_workspace() and t.id = e.target_id
  union all
  select c.task_id, null, null from comments c
  where e.target_kind = 'comment' and c.workspace_id = current_workspace() and c.id = e.target_id
  union all
  select null, d.id, null from documents d
  where e.target_kind = 'document' and d.workspace_id = current_workspace() and d.id = e.target_id
  union all
  select null, null, p.id from projects p
  where e.target_kind = 'project' and p.workspace_id = current_workspace() and p.id = e.target_id
  union all
  select null, null, m.project_id from milestones m
  where e.target_kind = 'milestone' and m.workspace_id = current_workspace() and m.id = e.target_id
  union all
  select a.task_id, a.document_id, a.project_id from attachments a
  where e.target_kind = 'attachment' and a.workspace_id = current_workspace() and a.id = e.target_id
  limit 1
) x on true`;
export interface Placed {
  reminder_id: string;
  actor_id: string;
  task_id: string | null;
  document_id: string | null;
  project_id: string | null;
}
/** All in the Workspace of the connection. */
export const placesOf = (tx: Queries, reminders: readonly DueReminder[]) =>
  tx.rows<Placed>(PLACES, [JSON.stringify(reminders)]);
