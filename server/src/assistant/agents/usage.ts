// Usage of an Agent's runs, per day of a range.
import { getAgentUsage as declared, MOST_USAGE_DAYS } from "@svc/contract/assistant/agents/usage.ts";
import { implement } from "../../platform/kernel/implement-operation.ts";
import { refuse, refuseAt } from "../../platform/wire/problem.ts";
import { definition } from "./access.ts";

const USAGE = `
/* reads up to ${2 * MOST_USAGE_DAYS}: every day of it */
with stretch as (
  select case when $2::date is null then last.day - 29 else $2::date end as first, last.day as last
  from (select case when $3::date is null then (now() at time zone 'UTC')::date else $3::date end as day) last
), days as (
  select s.day::date as date, coalesce(u.runs, 0) as runs, coalesce(u.input_tokens, 0) as input_tokens,
    coalesce(u.output_tokens, 0) as output_tokens,
    coalesce(u.cost, 0)::float8 as cost
  from stretch, generate_series(stretch.first, least(stretch.last, stretch.first + ${MOST_USAGE_DAYS - 1}),
    interval '1 day') s(day)
  left join agent_usage u on u.workspace_id = current_workspace() and u.definition_id = $1 and u.day = s.day::date
)
select (stretch.last - stretch.first) + 1 as length,
  json_build_object('definition_id', $1::uuid, 'from_date', stretch.first, 'to_date', stretch.last,
  'days', (select json_agg(d order by d.date) from days d), 'total', (
    select json_build_object('runs', coalesce(sum(runs), 0), 'input_tokens', coalesce(sum(input_tokens), 0),
      'output_tokens', coalesce(sum(output_tokens), 0),
      'cost', coalesce(sum(cost), 0)) from days))::text as json
from stretch`;

export const getAgentUsage = implement(declared, definition("agents:read"), async ({ tx }, { target, query }) => {
  const { from_date = null, to_date = null } = query;
  const { json, length } = await tx.one<{ json: string; length: number }>(USAGE, [target.id, from_date, to_date]);
  if (length < 1) return refuse("invalid_dates");
  if (length > MOST_USAGE_DAYS)
    return refuseAt("/query/from_date", "invalid_dates", `must be at most ${MOST_USAGE_DAYS} days before the last`);
  return { json };
});
