// SQL of the order within a column, which is the Tasks of a Project in one Status. A place is a number between those of its neighbours; where
// none is left between them, the Tasks behind are spread out. That is nobody's change: it raises no revision and records nothing.
import type { Queries } from "../database/db.ts";
import { settle } from "../kernel/context.ts";

/** Between two places at an end of a column: a second, as the clock counts below. */
const GAP = 1024;
/** As many others are moved for one Task, at most. */
const MOST_SPREAD = 500;

const column = (workspaceId: string, projectId: string, statusId: string) =>
  `t.workspace_id = ${workspaceId} and t.project_id = ${projectId} and t.status_id = ${statusId} and t.trashed_at is null`;
/**
 * Before all that is in a column. The clock runs backwards here, so that who enters a column stands before those who came earlier, whoever else
 * comes at the same time, and nobody waits. Only where somebody has put a Task further ahead than the clock is, it is that one that counts.
 */
export const firstPlace = (workspaceId: string, projectId: string, statusId: string) => `(
  select case when f.position <= c.clock then f.position - ${GAP} else c.clock end
  from (select (extract(epoch from timestamptz '2026-01-01 00:00Z' - clock_timestamp()) * 1000)::float8 as clock) c left join lateral (
    select t.position from tasks t where ${column(workspaceId, projectId, statusId)} order by t.position, t.id limit 1) f on true)`;

/** Beside another Task of the column, or at its end: first is `after` none, last is `before` none. */
export interface Beside {
  side: "after" | "before";
  taskId: string | null;
}

const HERE = column("$1", "$3", "$4");
/** The next one behind a Task, or before it; the first or the last where there is none. Never the one that is placed. */
const next = (side: Beside["side"], from: string | null) => {
  const [than, way] = side === "after" ? [">", ""] : ["<", "desc"];
  return `select t.position, t.id from tasks t where ${HERE} and t.id <> $2
    ${from === null ? "" : `and (t.position, t.id) ${than} (${from}.position, ${from}.id)`} order by t.position ${way}, t.id ${way} limit 1`;
};
const NONE = "select null::float8 as position, null::uuid as id";
const KNOWN = `select t.position, t.id from tasks t where ${HERE} and t.id = $5::uuid and t.id <> $2`;
/** Each of the two neighbours, in the order in which one leads to the other. */
const neighbours = {
  after: (ends: boolean) => [
    `low as (${ends ? NONE : KNOWN})`,
    `high as (select n.* from low left join lateral (${next("after", ends ? null : "low")}) n on true)`,
  ],
  before: (ends: boolean) => [
    `high as (${ends ? NONE : KNOWN})`,
    `low as (select n.* from high left join lateral (${next("before", ends ? null : "high")}) n on true)`,
  ],
};
// No row where the neighbour cannot be one. `already` where the Task stands there.
const place = (side: Beside["side"], ends: boolean) => `
with ${neighbours[side](ends).join(", ")}
select low.position as low, low.id as low_id, high.position as high, ${firstPlace("$1", "$3", "$4")} as first, exists (
    select from tasks t where ${HERE} and t.id = $2
      and (low.id is null or (t.position, t.id) > (low.position, low.id)) and (high.id is null or (t.position, t.id) < (high.position, high.id))
  ) as already
from low, high${ends ? " where $5::uuid is null" : ""}`;
const PLACE = {
  after: [place("after", false), place("after", true)] as const,
  before: [place("before", false), place("before", true)] as const,
};
interface Room {
  low: number | null;
  low_id: string | null;
  high: number | null;
  first: number;
  already: boolean;
}

// As few of those behind as have enough room together with the Task; all of them, where the column ends. $5 and $6 are what it stands behind.
const SPREAD = `
/* reads up to ${4 * MOST_SPREAD}: as many as have to be moved */
with behind as materialized (
  select t.id, t.position, row_number() over (order by t.position, t.id) as n from tasks t
  where ${HERE} and t.id <> $2 and (t.position, t.id) > ($5::float8, $6::uuid) order by t.position, t.id limit ${MOST_SPREAD + 1}
), room as materialized (
  select * from (
    select b.n - 1 as many, (b.position - $5) / (b.n + 1) as step from behind b
    where (b.position - $5) / (b.n + 1) > greatest(abs(b.position), abs($5), 1) * 1e-10
    union all
    select max(n), ${GAP} from behind having max(n) <= ${MOST_SPREAD}
  ) r order by many limit 1
), held as materialized (
  select t.id from tasks t where t.id = any(array(select b.id from behind b, room where b.n <= room.many)) and ${HERE} order by t.id for no key update
), spread as (
  update tasks t set position = $5 + room.step * (b.n + 1) from held join behind b on b.id = held.id, room where t.workspace_id = $1 and t.id = held.id
)
select $5 + step as position from room`;

// Whoever places a Task in a column waits for others who do: two would take one place, or be spread out against each other.
const QUEUE = "select pg_advisory_xact_lock(hashtextextended($1, 0))";

/**
 * The number that puts the Task there: `already` where it stands there. Null where the neighbour is not in that column, "full" where more Tasks
 * than may be moved stand at one place behind it.
 */
export async function placeBeside(
  tx: Queries,
  task: { workspaceId: string; id: string; projectId: string; statusId: string },
  { side, taskId }: Beside,
): Promise<{ already: boolean; position: number } | "full" | null> {
  const { workspaceId, id, projectId, statusId } = task;
  const values = [workspaceId, id, projectId, statusId];
  const [, room] = await settle([
    tx.rows(QUEUE, [`column ${projectId} ${statusId}`]),
    tx.maybe<Room>(PLACE[side][taskId === null ? 1 : 0], [...values, taskId]),
  ]);
  if (!room) return null;
  const { low, low_id, high, first, already } = room;
  if (low === null) return { already, position: first };
  if (high === null) return { already, position: low + GAP };
  const middle = low + (high - low) / 2;
  if (already || (low < middle && middle < high)) return { already, position: middle };
  const made = await tx.maybe<{ position: number }>(SPREAD, [...values, low, low_id]);
  return made ? { already, position: made.position } : "full";
}
