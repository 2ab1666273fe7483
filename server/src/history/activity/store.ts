// SQL of the activity feed: reads a bounded range of domain events and checks each against the reader's current access.

import { nameOfActor } from "../../accounts/workspaces/people-view.ts";
import { projectOfCaller, projectVisible } from "../../planning/projects/access.ts";
import type { Queries } from "../../platform/database/db.ts";
import { NIL } from "../../platform/wire/ids.ts";
import { joinTold, told } from "./event-details.ts";

export interface ExaminedEvent {
  /** The sort key, as a JSON array. */
  key: string;
  /** Whether this page shows the event: a command is shown whole, on the page where it begins. */
  shown: boolean;
  /** JSON of a SeenEvent; null if the reader may not see it now. */
  json: string | null;
}

/**
 * Joins the Task t or the Document d that an event is about and, as p, its current Project if the reader sees that one.
 */
// Every join is one primary-key lookup: the limit in each stops the planner from turning a hundred lookups into a scan
// of all Tasks. Events of a Task or a Document follow its current Project. CASE replaces COALESCE, which row-level
// security does not trust to be leakproof and would answer with a scan of all Projects. `placed` is a further condition
// on the Project.
export const joinPlace = (e: string, placed = "") => `
left join lateral (select id, project_id, number, title from tasks
  where workspace_id = ${e}.workspace_id and id = ${e}.task_id limit 1) t on true
left join lateral (
  select id, project_id, title from documents
  where ${e}.resource_kind = 'document' and workspace_id = ${e}.workspace_id and id = ${e}.resource_id limit 1
) d on true
cross join lateral (select case when t.id is not null then t.project_id when d.id is not null then d.project_id
  else ${e}.project_id end as id) place
left join lateral (
  select p.id, p.key, p.name from projects p ${projectOfCaller}
  where p.workspace_id = ${e}.workspace_id and p.id = place.id and ${projectVisible} ${placed} limit 1
) p on true`;
/** Whether the reader sees the event now. Requires joinPlace. */
export const isSeen = (e: string) =>
  `((p.id is not null or (${e}.resource_kind = 'document' and place.id is null)) and ${e}.actor_id is not null)`;

/** JSON of a SeenEvent e. Requires joinPlace and joinNames. */
export const eventJson = `json_build_object(
    'id', e.id, 'type', e.type, 'activity', e.activity, 'occurred_at', wire_time(e.occurred_at), 'actor_id', e.actor_id,
    'actor_name', a.display_name, 'source', e.source, 'client', e.client, 'command_id', e.command_id,
    'affected', json_build_object('kind', e.resource_kind, 'id', e.resource_id,
      'code', case when e.task_id is not null then p.key || '-' || t.number
        when m.id is not null then p.key || '-M' || m.number when e.resource_kind = 'document' then null else p.key end,
      'title', case when e.task_id is not null then t.title when m.id is not null then m.name
        when e.resource_kind = 'document' then d.title else p.name end,
      'project_id', p.id, 'task_id', e.task_id),
    ${told})`;
export const joinNames = `
left join lateral (
  select id, number, name from milestones
  where e.resource_kind = 'milestone' and workspace_id = e.workspace_id and id = e.resource_id limit 1
) m on true
left join lateral (${nameOfActor("e.actor_id")}) a on true
${joinTold}`;

/** A range of events, of which the first $5 - 1 and the rest of the last one's command are shown. */
export const cut = (events: string) => `
select e.*, row_number() over newest < $5::int or e.command_id = nth_value(e.command_id, $5::int - 1) over (
    newest rows between unbounded preceding and unbounded following) as shown
from (${events}
) e window newest as (order by e.occurred_at desc, e.id desc)`;
// Cuts the range off before any join. `placed` is a further condition on the current Project of the events, and `where`
// one on the events.
export const examineSql = (events: string, { placed = "", where = "true" } = {}) => `
select json_build_array(e.occurred_at, e.id)::text as key, e.shown,
  case when ${placed ? "p.id is not null and e.actor_id is not null" : isSeen("e")}
    and ${where} then ${eventJson}::text end as json
from (${cut(events)}) e ${joinPlace("e", placed)} ${joinNames}
order by e.occurred_at desc, e.id desc`;
/** The feed ends 90 days ago. */
export const SINCE = "greatest($1::timestamptz, now() - interval '90 days')";
/**
 * Bounds of a range: the instant and the id that it starts before, further conditions, and the maximum number of
 * events.
 */
interface Bounds {
  at: string;
  id: string;
  where: string;
  limit: string;
}
export type RangeQuery = (bounds: Bounds) => string;
export const stretch =
  (narrowed = ""): RangeQuery =>
  ({ at, id, where, limit }) =>
    `
select * from domain_events
where workspace_id = current_workspace() and activity is not null and occurred_at >= ${SINCE}
  and occurred_at < $2::timestamptz
  and (occurred_at, id) < (${at}, ${id}) ${narrowed} ${where}
order by occurred_at desc, id desc limit ${limit}`;
// Row comparisons, which only the index on exactly these columns can answer: with statistics on few people, the planner
// considers a scan of the newest events of everybody as cheap as a search for one person's.
const stretchOf =
  (column: "actor_id" | "project_id", value: string): RangeQuery =>
  ({ at, id, where, limit }) =>
    `
select e.* from (${value}) whose(id) cross join lateral (
  select * from domain_events
  where workspace_id = current_workspace() and activity is not null
    and (${column}, occurred_at, id) >= (whose.id, ${SINCE}, '${NIL}')
    and (${column}, occurred_at, id) < (whose.id, least($2::timestamptz, ${at}),
      case when ${at} < $2::timestamptz then ${id} else '${NIL}' end)
    ${where}
  order by ${column} desc, occurred_at desc, id desc limit ${limit}
) e`;
/** All events of one command have the same instant. */
export const MOST_OF_COMMAND = 65_536;
// Reads a page and one event more, then the rest of the last event's command and one event of another command, so that
// a page ends at the end of a command and it is known whether more events follow.
export const whole = (events: RangeQuery) => {
  const behind = (where: string, limit: number) =>
    events({ at: "cut.occurred_at", id: "cut.id", where, limit: String(limit) });
  return `
with page as materialized (${events({ at: "$3::timestamptz", id: "$4::uuid", where: "", limit: "$5" })}
), cut as materialized (select occurred_at, id, command_id from page order by occurred_at, id limit 1)
select * from page
union all select e.* from cut
cross join lateral (${behind("and occurred_at = cut.occurred_at and command_id = cut.command_id", MOST_OF_COMMAND)}) e
union all select e.* from cut cross join lateral (${behind("and command_id <> cut.command_id", 1)}) e`;
};
const PERSON = `select m.actor_id from users u join memberships m on m.workspace_id = current_workspace() and m.user_id = u.id
    where u.username = $6`;
const EXAMINE = examineSql(whole(stretch()));
const EXAMINE_PERSON = examineSql(whole(stretchOf("actor_id", PERSON)));
const EXAMINE_TASK = examineSql(
  whole(stretch("and task_id = $6 and case when activity is null then 0 else 1 end = 1")),
);
// A moved Task takes its history along. No index of this Project covers the events of the Task in other Projects, so
// they are not searched.
const EXAMINE_PROJECT = examineSql(whole(stretchOf("project_id", "select $6::uuid")), { placed: "and p.id = $6" });

/** Narrows the feed to one person, one Project or one Task; null reads the whole Workspace. */
export type Narrowing = { username: string } | { projectId: string } | { taskId: string } | null;

export const examine = (
  tx: Queries,
  from: Date | "-infinity",
  until: Date | "infinity",
  before: readonly [string, string],
  rows: number,
  to: Narrowing,
) => {
  const values = [from, until, ...before, rows];
  if (to === null) return tx.rows<ExaminedEvent>(EXAMINE, values);
  if ("taskId" in to) return tx.rows<ExaminedEvent>(EXAMINE_TASK, [...values, to.taskId]);
  return "username" in to
    ? tx.rows<ExaminedEvent>(EXAMINE_PERSON, [...values, to.username])
    : tx.rows<ExaminedEvent>(EXAMINE_PROJECT, [...values, to.projectId]);
};
