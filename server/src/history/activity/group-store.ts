// SQL of grouped activity. Groups are not stored: the group of a command follows from the command, from the part of it
// that the reader sees, and from the clock hour. Every page, and every reader with the same access, therefore finds the
// same groups.
import type { Queries } from "../../platform/database/db.ts";
import {
  cut,
  type ExaminedEvent,
  eventJson,
  examineSql,
  isSeen,
  joinNames,
  joinPlace,
  MOST_OF_COMMAND,
  type RangeQuery,
  SINCE,
  stretch,
  whole,
} from "./store.ts";

/** The events of a comment belong to its Task. */
const subjectOf = (e: string) => `case when ${e}.task_id is not null then ${e}.task_id else ${e}.resource_id end`;
const TEXTS = "('task.description_changed', 'document.content_updated')";
/** Whether the command of e recorded another event that matches. */
const alsoDid = (e: string, joins: string, where: string) => `exists (
  select from domain_events s ${joins} where s.workspace_id = current_workspace() and s.activity is not null
    and s.occurred_at = ${e}.occurred_at and s.command_id = ${e}.command_id and s.id <> ${e}.id and ${where})`;
/** The group kind of the command of e, derived only from the events of that command that the reader sees. */
const kindOf = (e: string) => `case
  when exists (select from command_steps step
    where step.workspace_id = current_workspace() and step.command_id = ${e}.command_id)
    or ${alsoDid(e, joinPlace("s"), `${subjectOf("s")} <> ${subjectOf(e)} and ${isSeen("s")}`)} then 'command'
  when ${e}.type in ${TEXTS}
  and not ${alsoDid(e, "", `${subjectOf("s")} = ${subjectOf(e)} and s.type not in ${TEXTS}`)} then 'session'
  else 'resource' end`;
/** Whether e, which has the same subject as the group g, belongs to g. */
const isIn = (e: string) => `(g.kind = 'session' or ${e}.actor_id = g.actor_id) and ${kindOf(e)} = g.kind`;

const hourOf = (at: string) => `date_trunc('hour', ${at}, 'UTC')`;
/**
 * The range from the first event of g to the end of its hour. Bounds by the hour are sub-selects: behind row-level
 * security, PostgreSQL 15 uses no index for a function of another row's column.
 */
const inHour =
  `occurred_at >= g.occurred_at and occurred_at < (select least(${hourOf("g.occurred_at")} + ` +
  "interval '1 hour', " +
  "$2::timestamptz))";
const newest = (where: string, limit: string) => `(
  select * from domain_events where workspace_id = current_workspace() and activity is not null and ${where}
  order by occurred_at desc, id desc limit ${limit})`;
/**
 * The newest events about the subject of g, unless g is a command. Each half repeats the condition of its partial
 * index.
 */
const about = (where: string, limit: string) => `
${newest(
  `g.kind <> 'command' and g.task_id is not null and task_id = g.task_id
  and case when activity is null then 0 else 1 end = 1 and ${where}`,
  limit,
)}
union all
${newest(
  `g.kind <> 'command' and g.task_id is null and task_id is null and resource_id = g.resource_id
  and ${where}`,
  limit,
)}`;
/** Matches the events of the command that g began with. */
const FIRST = "occurred_at = g.occurred_at and command_id = g.command_id";

/** Number of earlier events in the hour that are searched for the command that began a group. */
const MOST_BEFORE = 1_000;
/** Number of events about one subject that are read to count a group, including the event that began it. */
const MOST_COUNTED = 100;
/** Number of commands shown per group. */
const ITEMS = 3;

/** Authors of an event. A collaborative revision lists all of its authors, the last one first. */
const authors = `case
    when e.payload ? 'author_actor_ids' then e.payload -> 'author_actor_ids'
    when e.type = 'document.content_updated' and e.payload ? 'to' then (
      select to_jsonb(r.author_actor_ids) from document_revisions r
      where r.workspace_id = e.workspace_id and r.document_id = e.resource_id
        and r.revision = (e.payload ->> 'to')::bigint limit 1)
    end`;
/** Reads the members of a group g, with the full event for its newest commands. */
const told = `
select json_build_object('id', g.id, 'kind', g.kind, 'first_occurred_at', wire_time(g.occurred_at),
  'capped', bool_or(e.capped), 'members',
  json_agg(json_build_object('activity', e.activity, 'type', e.type, 'actor_id', e.actor_id, 'actor_ids', ${authors},
    'event', case when e.command <= ${ITEMS} then ${eventJson} end)
      order by e.occurred_at desc, e.id desc))::text as json
from (
  select e.*, dense_rank() over (order by e.occurred_at desc, e.command_id desc) as command from (
    select e.*, bool_or(e.extra) over () as capped from (
      select e.*, row_number() over (order by e.occurred_at desc, e.id desc) = ${MOST_COUNTED} as extra
      from (${about(`${inHour} and command_id <> g.command_id`, String(MOST_COUNTED))}) e
      union all select e.*, false from ${newest(FIRST, String(MOST_OF_COMMAND))} e
    ) e
  ) e ${joinPlace("e")} where not e.extra and ${isSeen("e")} and (g.kind = 'command' or ${isIn("e")})
) e ${joinPlace("e")} ${joinNames}`;

// Walks through the events and examines each command once, at the first of its events that the reader sees. A group is
// found at the command that began it: no earlier command of the same group exists in that hour. The query reads one
// group more than the page shows.
const LIST = `
with walked as materialized (${cut(whole(stretch()))}
), commands as materialized (
  select distinct on (e.occurred_at, e.command_id) e.* from walked e ${joinPlace("e")} where e.shown and ${isSeen("e")}
  order by e.occurred_at desc, e.command_id desc, e.id
), found as materialized (
  select g.id, g.kind, g.occurred_at, g.command_id, g.actor_id, g.task_id, g.resource_id
  from (select c.*, ${kindOf("c")} as kind from commands c order by c.occurred_at desc, c.id desc offset 0) g
  where g.kind = 'command' or not exists (
    select from (${about(`occurred_at >= (select greatest(${hourOf("g.occurred_at")}, ${SINCE})) and occurred_at <= g.occurred_at`, String(MOST_BEFORE))}) e
    ${joinPlace("e")} where (e.occurred_at, e.command_id) < (g.occurred_at, g.command_id) and ${isSeen("e")}
      and ${isIn("e")})
  limit $6::int + 1
)
select /* reads up to 4000: four events and all of a command are walked through for each group, with a look into its hour and up to 100 events told */
  json_build_array(g.occurred_at, g.id)::text as key, g.shown, m.json, w.last, w.more
from (
  select exists (select from walked e where not e.shown) as more,
    (select json_build_array(e.occurred_at, e.id)::text from walked e where e.shown order by e.occurred_at, e.id
    limit 1) as last
) w
left join (select g.*, row_number() over (order by g.occurred_at desc, g.id desc) <= $6::int as shown from found g) g
  on true
left join lateral (${told} where g.shown) m on true
order by g.occurred_at desc, g.id desc`;

export interface TimeSpan {
  from: Date | "-infinity";
  until: Date | "infinity";
}
/** Row of LIST. If no group is found, there is one row without key, shown and json. */
interface FoundGroup extends ExaminedEvent {
  /** The key of the last event examined, and whether more events follow. */
  last: string | null;
  more: boolean;
}
export const list = (
  tx: Queries,
  { from, until }: TimeSpan,
  before: readonly [string, string],
  events: number,
  limit: number,
) => tx.rows<FoundGroup>(LIST, [from, until, ...before, events + 1, limit]);

/** The group that this event began, if the reader sees the event. */
const began = (id: string) => `
select e.id, e.occurred_at, e.command_id, e.actor_id, e.task_id, e.resource_id, ${kindOf("e")} as kind from (
  select * from domain_events where workspace_id = current_workspace() and id = ${id} and activity is not null
    and occurred_at >= ${SINCE} and occurred_at < $2::timestamptz limit 1
) e ${joinPlace("e")} where ${isSeen("e")}`;
const FIND = `select g.id from (${began("$3")}) g`;
export const find = (tx: Queries, { from, until }: TimeSpan, id: string) =>
  tx.maybe<{ id: string }>(FIND, [from, until, id]);

const inGroup: RangeQuery = ({ at, id, where, limit }) => {
  const further = `(occurred_at, id) < (${at}, ${id}) ${where}`;
  return `select e.* from g
  cross join lateral (${about(`${inHour} and ${further}`, limit)}
    union all ${newest(`g.kind = 'command' and ${FIRST} and ${further}`, limit)}) e
order by e.occurred_at desc, e.id desc limit ${limit}`;
};
const CHILDREN = `with g as materialized (${began("$6")}) ${examineSql(whole(inGroup), {
  where: `exists (select from g where g.kind = 'command' or (${isIn("e")}))`,
})}`;
export const children = (
  tx: Queries,
  { from, until }: TimeSpan,
  before: readonly [string, string],
  rows: number,
  id: string,
) => tx.rows<ExaminedEvent>(CHILDREN, [from, until, ...before, rows, id]);
