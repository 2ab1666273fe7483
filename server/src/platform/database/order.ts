// SQL for a manual order: rows of a table that share the values of some columns form a line, sorted by position. A new
// position lies between those of its neighbours; if no number is left between them, the rows behind are spread out.
// Spreading counts as nobody's change: it raises no revision.
import type { Queries } from "./db.ts";

/** Distance between two positions at an end of a line: one second of the clock below. */
const GAP = 1024;
/** Maximum number of rows moved to make room for one. */
const MOST_SPREAD = 500;

/** Target of a move: next to another row of the line, or at an end. First is `after` null, last is `before` null. */
export interface OrderTarget {
  side: "after" | "before";
  id: string | null;
}

interface Room {
  low: number | null;
  low_id: string | null;
  high: number | null;
  first: number;
  already: boolean;
}

interface Line {
  table: string;
  /** Columns whose values identify a line, in addition to the Workspace. */
  columns: readonly string[];
  /** Condition on t that a row of the line fulfils. */
  where: string;
}

export function ordering({ table, columns, where }: Line) {
  const line = (workspaceId: string, of: readonly string[]) =>
    `t.workspace_id = ${workspaceId} and ${columns.map((column, at) => `t.${column} = ${of[at]}`).join(" and ")} ` +
    `and ${where}`;
  /**
   * Position before all rows of a line. It is derived from a clock that runs backwards, so that a new row precedes all
   * earlier ones, concurrent inserts do not collide, and nobody waits. If a row was moved further ahead than the clock,
   * the position is relative to that row.
   */
  const firstPlace = (workspaceId: string, ...of: string[]) => `(
  select case when f.position <= c.clock then f.position - ${GAP} else c.clock end
  from (select (extract(epoch from timestamptz '2026-01-01 00:00Z' - clock_timestamp()) * 1000)::float8 as clock) c
  left join lateral (
    select t.position from ${table} t where ${line(workspaceId, of)} order by t.position, t.id limit 1) f on true)`;
  /** Position behind all rows of a line. */
  const lastPlace = (workspaceId: string, ...of: string[]) => `coalesce((
  select t.position + ${GAP} from ${table} t where ${line(workspaceId, of)} order by t.position desc, t.id desc
  limit 1), 0)`;

  const ours = columns.map((_, at) => `$${at + 3}`);
  const HERE = line("$1", ours);
  const [next1, next2] = [`$${columns.length + 3}`, `$${columns.length + 4}`];
  /**
   * The row next to `from` on that side, or the first or last row if `from` is null. Never the row that is being moved.
   */
  const next = (side: OrderTarget["side"], from: string | null) => {
    const [than, way] = side === "after" ? [">", ""] : ["<", "desc"];
    return `select t.position, t.id from ${table} t where ${HERE} and t.id <> $2
    ${from === null ? "" : `and (t.position, t.id) ${than} (${from}.position, ${from}.id)`}
      order by t.position ${way}, t.id ${way} limit 1`;
  };
  const NONE = "select null::float8 as position, null::uuid as id";
  const KNOWN = `select t.position, t.id from ${table} t where ${HERE} and t.id = ${next1}::uuid and t.id <> $2`;
  /** Common table expressions for the two neighbours: the second is derived from the first. */
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
  // Returns no row if the given neighbour is not valid. `already` is true if the row is there already.
  const place = (side: OrderTarget["side"], ends: boolean) => `
with ${neighbours[side](ends).join(", ")}
select low.position as low, low.id as low_id, high.position as high, ${firstPlace("$1", ...ours)} as first, exists (
    select from ${table} t where ${HERE} and t.id = $2
      and (low.id is null or (t.position, t.id) > (low.position, low.id))
      and (high.id is null or (t.position, t.id) < (high.position, high.id))
  ) as already
from low, high${ends ? ` where ${next1}::uuid is null` : ""}`;
  const PLACE = {
    after: [place("after", false), place("after", true)] as const,
    before: [place("before", false), place("before", true)] as const,
  };
  // Moves as few rows as make enough room for themselves and the new one; all of them at the end of the line.
  const SPREAD = `
/* reads up to ${4 * MOST_SPREAD}: as many as have to be moved */
with behind as materialized (
  select t.id, t.position, row_number() over (order by t.position, t.id) as n from ${table} t
  where ${HERE} and t.id <> $2 and (t.position, t.id) > (${next1}::float8, ${next2}::uuid) order by t.position, t.id
  limit ${MOST_SPREAD + 1}
), room as materialized (
  select * from (
    select b.n - 1 as many, (b.position - ${next1}) / (b.n + 1) as step from behind b
    where (b.position - ${next1}) / (b.n + 1) > greatest(abs(b.position), abs(${next1}), 1) * 1e-10
    union all
    select max(n), ${GAP} from behind having max(n) <= ${MOST_SPREAD}
  ) r order by many limit 1
), held as materialized (
  select t.id from ${table} t
  where t.id = any(array(select b.id from behind b, room where b.n <= room.many)) and ${HERE}
  order by t.id for no key update
), spread as (
  update ${table} t set position = ${next1} + room.step * (b.n + 1) from held join behind b on b.id = held.id, room
  where t.workspace_id = $1 and t.id = held.id
)
select ${next1} + step as position from room`;
  // Serialises moves within a line: two would take the same position, or spread rows concurrently.
  const QUEUE = "select pg_advisory_xact_lock(hashtextextended($1, 0))";

  /**
   * Position for the row; `already` if it is there already. Null if the neighbour is not in that line, "full" if more
   * than MOST_SPREAD rows crowd one position behind it.
   */
  async function placeBeside(
    tx: Queries,
    workspaceId: string,
    id: string,
    of: readonly string[],
    { side, id: neighbour }: OrderTarget,
  ): Promise<{ already: boolean; position: number } | "full" | null> {
    const values = [workspaceId, id, ...of];
    const [, room] = await Promise.all([
      tx.rows(QUEUE, [`column ${of.join(" ")}`]),
      tx.maybe<Room>(PLACE[side][neighbour === null ? 1 : 0], [...values, neighbour]),
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

  return { firstPlace, lastPlace, placeBeside };
}
