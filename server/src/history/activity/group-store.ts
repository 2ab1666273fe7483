// SQL of activity in groups. Nothing is stored for them: which group a command belongs to follows from the command itself, from what the reader sees
// of it, and from the hour of the clock, so that every page and every reader of the same things finds the same groups.
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
  SINCE,
  type Stretch,
  stretch,
  whole,
} from "./store.ts";

/** A comment is told with its Task. */
const subjectOf = (e: string) => `case when ${e}.task_id is not null then ${e}.task_id else ${e}.resource_id end`;
const TEXTS = "('task.description_changed', 'document.content_updated')";
/** Whether the command of e did something else that is like this. */
const alsoDid = (e: string, joins: string, where: string) => `exists (
  select from domain_events s ${joins} where s.workspace_id = current_workspace() and s.activity is not null
    and s.occurred_at = ${e}.occurred_at and s.command_id = ${e}.command_id and s.id <> ${e}.id and ${where})`;
/** How the command of an event that the reader sees is told. What they do not see of it has no say: it is as if it had not been. */
const kindOf = (e: string) => `case
  when exists (select from command_steps step where step.workspace_id = current_workspace() and step.command_id = ${e}.command_id)
    or ${alsoDid(e, joinPlace("s"), `${subjectOf("s")} <> ${subjectOf(e)} and ${isSeen("s")}`)} then 'command'
  when ${e}.type in ${TEXTS} and not ${alsoDid(e, "", `${subjectOf("s")} = ${subjectOf(e)} and s.type not in ${TEXTS}`)} then 'session'
  else 'resource' end`;
/** Whether e, which is about the same as the group g, is in it. */
const isIn = (e: string) => `(g.kind = 'session' or ${e}.actor_id = g.actor_id) and ${kindOf(e)} = g.kind`;

const hourOf = (at: string) => `date_trunc('hour', ${at}, 'UTC')`;
/**
 * The range from the first event of g to the end of its hour. Bounds by the hour are sub-selects: PostgreSQL 15 uses no index behind row-level security for what a
 * function makes of another row's column.
 */
const inHour = `occurred_at >= g.occurred_at and occurred_at < (select least(${hourOf("g.occurred_at")} + interval '1 hour', $2::timestamptz))`;
const newest = (where: string, limit: string) => `(
  select * from domain_events where workspace_id = current_workspace() and activity is not null and ${where}
  order by occurred_at desc, id desc limit ${limit})`;
/** The newest events about what g is about, but for those of a command; each half in the words of its index. */
const about = (where: string, limit: string) => `
${newest(`g.kind <> 'command' and g.task_id is not null and task_id = g.task_id and case when activity is null then 0 else 1 end = 1 and ${where}`, limit)}
union all
${newest(`g.kind <> 'command' and g.task_id is null and task_id is null and resource_id = g.resource_id and ${where}`, limit)}`;
/** Those of the command that g began with. */
const FIRST = "occurred_at = g.occurred_at and command_id = g.command_id";

/** How far is looked back in its hour for what the group of a command began with. */
const MOST_BEFORE = 1_000;
/** How many events about one thing are looked through for those that are counted, with the one that its group began with. */
const MOST_COUNTED = 100;
/** How many of its commands stand in a group. */
const ITEMS = 3;

/** Who wrote it: a revision of what people wrote together is by all of them, the last one first. */
const authors = `case
    when e.payload ? 'author_actor_ids' then e.payload -> 'author_actor_ids'
    when e.type = 'document.content_updated' and e.payload ? 'to' then (
      select to_jsonb(r.author_actor_ids) from document_revisions r
      where r.workspace_id = e.workspace_id and r.document_id = e.resource_id and r.revision = (e.payload ->> 'to')::bigint limit 1)
    end`;
/** What is in a group g, as far as it is told with it. */
const told = `
select json_build_object('id', g.id, 'kind', g.kind, 'first_occurred_at', wire_time(g.occurred_at), 'capped', bool_or(e.capped), 'members',
  json_agg(json_build_object('activity', e.activity, 'type', e.type, 'actor_id', e.actor_id, 'actor_ids', ${authors},
    'event', case when e.command <= ${ITEMS} then ${eventJson} end) order by e.occurred_at desc, e.id desc))::text as json
from (
  select e.*, dense_rank() over (order by e.occurred_at desc, e.command_id desc) as command from (
    select e.*, bool_or(e.extra) over () as capped from (
      select e.*, row_number() over (order by e.occurred_at desc, e.id desc) = ${MOST_COUNTED} as extra
      from (${about(`${inHour} and command_id <> g.command_id`, String(MOST_COUNTED))}) e
      union all select e.*, false from ${newest(FIRST, String(MOST_OF_COMMAND))} e
    ) e
  ) e ${joinPlace("e")} where not e.extra and ${isSeen("e")} and (g.kind = 'command' or ${isIn("e")})
) e ${joinPlace("e")} ${joinNames}`;

// A walk through the events, each command of which is looked at once, as the first event that the reader sees of it. A group is found where it
// began: at the command before which there is none of the same group in that hour. One more than are shown is looked for.
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
    ${joinPlace("e")} where (e.occurred_at, e.command_id) < (g.occurred_at, g.command_id) and ${isSeen("e")} and ${isIn("e")})
  limit $6::int + 1
)
select /* reads up to 4000: four events and all of a command are walked through for each group, with a look into its hour and up to 100 events told */
  json_build_array(g.occurred_at, g.id)::text as key, g.shown, m.json, w.last, w.more
from (
  select exists (select from walked e where not e.shown) as more,
    (select json_build_array(e.occurred_at, e.id)::text from walked e where e.shown order by e.occurred_at, e.id limit 1) as last
) w
left join (select g.*, row_number() over (order by g.occurred_at desc, g.id desc) <= $6::int as shown from found g) g on true
left join lateral (${told} where g.shown) m on true
order by g.occurred_at desc, g.id desc`;

export interface Span {
  from: Date | "-infinity";
  until: Date | "infinity";
}
/** One at least: where there is no group it has none of the first three. */
interface FoundGroup extends ExaminedEvent {
  /** The key of the last event that was walked past, and whether there are more behind it. */
  last: string | null;
  more: boolean;
}
export const list = (
  tx: Queries,
  { from, until }: Span,
  before: readonly [string, string],
  events: number,
  limit: number,
) => tx.rows<FoundGroup>(LIST, [from, until, ...before, events + 1, limit]);

/** What began with this event, where the reader sees it. */
const began = (id: string) => `
select e.id, e.occurred_at, e.command_id, e.actor_id, e.task_id, e.resource_id, ${kindOf("e")} as kind from (
  select * from domain_events where workspace_id = current_workspace() and id = ${id} and activity is not null
    and occurred_at >= ${SINCE} and occurred_at < $2::timestamptz limit 1
) e ${joinPlace("e")} where ${isSeen("e")}`;
const FIND = `select g.id from (${began("$3")}) g`;
export const find = (tx: Queries, { from, until }: Span, id: string) =>
  tx.maybe<{ id: string }>(FIND, [from, until, id]);

const inGroup: Stretch = ({ at, id, where, limit }) => {
  const further = `(occurred_at, id) < (${at}, ${id}) ${where}`;
  return `select e.* from g cross join lateral (${about(`${inHour} and ${further}`, limit)} union all ${newest(`g.kind = 'command' and ${FIRST} and ${further}`, limit)}) e
order by e.occurred_at desc, e.id desc limit ${limit}`;
};
const CHILDREN = `with g as materialized (${began("$6")}) ${examineSql(whole(inGroup), {
  where: `exists (select from g where g.kind = 'command' or (${isIn("e")}))`,
})}`;
export const children = (
  tx: Queries,
  { from, until }: Span,
  before: readonly [string, string],
  rows: number,
  id: string,
) => tx.rows<ExaminedEvent>(CHILDREN, [from, until, ...before, rows, id]);
