// SQL that moves entities between Statuses, states or stages, and counts them. A page is one statement, so that nothing
// moves without its event. A mover locks the definition row first, so that no destination is archived concurrently.
import type { LifecycleKind } from "@svc/contract/planning/lifecycle/behaviors.ts";
import type { Queries } from "../../platform/database/db.ts";
import { newId } from "../../platform/wire/ids.ts";
import type { LifecycleEntity } from "./rules.ts";
import { behaviorsView } from "./view.ts";

const FROM_TO = "json_build_object('from', l.source, 'to', l.destination)";
/**
 * Tables and columns per kind; `live` is the condition of the partial index. The events keep consumers up to date but
 * appear in no feed: the workflow has changed, and nobody has worked on 100,000 Tasks.
 */
const kinds = {
  task: {
    table: "tasks",
    column: "status_id",
    holder: "statuses",
    live: "true",
    project: "t.project_id",
    task: "t.id",
    event: "task.status_changed",
    payload: FROM_TO,
  },
  project: {
    table: "projects",
    column: "state_id",
    holder: "project_states",
    live: "true",
    project: "t.id",
    task: "null::uuid",
    event: "project.updated",
    payload: `json_build_object('from', json_build_object('state_id', l.source),
        'to', json_build_object('state_id', l.destination))`,
  },
  milestone: {
    table: "milestones",
    column: "stage_id",
    holder: "lifecycle_stages",
    live: "e.deleted_at is null",
    project: "t.project_id",
    task: "null::uuid",
    event: "milestone.stage_changed",
    payload: FROM_TO,
  },
} as const;

/** SQL counterpart of statusTimes in planning/tasks/rules.ts. */
export const TASK_TIMES = `,
  started_at = case when l.category in ('started', 'completed') then coalesce(t.started_at, now())
    when l.category = 'cancelled' then t.started_at end,
  completed_at = case when l.category = 'completed' then coalesce(t.completed_at, now()) end`;

// Picks from one source after the other, so that a page reads no more than a page of the index; then locks by id, the
// global order for locking several rows. Skips a row that left its source during the wait for its lock.
function move(kind: LifecycleKind): string {
  const { table, column, holder, live, project, task, event, payload } = kinds[kind];
  return `
with mapping as materialized (
  select m.source, m.destination, h.category from unnest($2::uuid[], $3::uuid[]) m(source, destination)
  join ${holder} h on h.workspace_id = $1 and h.id = m.destination
), picked as materialized (
  select e.id from unnest($2::uuid[]) s(source) cross join lateral (
    select e.id from ${table} e where e.workspace_id = $1 and e.${column} = s.source and ${live} order by e.id limit $4
  ) e limit $4
), locked as materialized (
  select e.id, e.${column} as source from ${table} e
  where e.workspace_id = $1 and e.id = any(array(select id from picked)) and e.${column} = any($2::uuid[]) and ${live}
  order by e.id for no key update
), l as materialized (
  select locked.id, locked.source, mapping.destination, mapping.category, row_number() over (order by locked.id) as n
  from locked join mapping using (source)
), moved as (
  update ${table} t set ${column} = l.destination, revision = t.revision + 1,
    updated_at = now()${kind === "task" ? TASK_TIMES : ""}
  from l where t.workspace_id = $1 and t.id = l.id
  returning t.id, ${project} as project_id, ${task} as task_id, ${payload} as payload, l.n
), facts as (
  insert into domain_events (workspace_id, actor_id, user_id, source, command_id, id, type, activity, project_id,
    task_id, resource_kind, resource_id, payload)
  select $1, $5, $6, $7, $8, ($9::uuid[])[n], '${event}', null, project_id, task_id, '${kind}', id, payload from moved
)
select count(*)::int as moved /* reads all that it adds up: the page that it moves */ from moved`;
}
const MOVE = { task: move("task"), project: move("project"), milestone: move("milestone") };

/** Lock or statement timeout, deadlock, serialization failure: a retry may succeed. */
export const isBusy = (error: unknown) => /^(?:55P03|57014|40P01|40001)$/.test((error as { code?: string }).code ?? "");

/** Author recorded in the events. */
export interface Mover {
  actorId: string | null;
  userId: string | null;
  source: string | null;
  commandId: string;
}
export interface Move {
  kind: LifecycleKind;
  workspaceId: string;
  /** Source id -> destination id. */
  mapping: Record<string, string>;
  limit: number;
  author: Mover;
}
/**
 * Moves at most `limit` entities (Tasks in the trash too) and returns their number. Fewer than `limit` does not mean
 * that the sources are empty: locked rows may be left.
 */
export async function moveEntities(tx: Queries, { kind, workspaceId, mapping, limit, author }: Move): Promise<number> {
  const { actorId, userId, source, commandId } = author;
  const eventIds = Array.from({ length: limit }, newId);
  const ends = [Object.keys(mapping), Object.values(mapping)];
  const values = [workspaceId, ...ends, limit, actorId, userId, source, commandId, eventIds];
  return (await tx.one<{ moved: number }>(MOVE[kind], values)).moved;
}

const count = (kind: LifecycleKind) => `
select count(*)::int as found /* reads all that it adds up: at most $3 */ from (
  select from unnest($2::uuid[]) s(source) cross join lateral (
    select from ${kinds[kind].table} e
    where e.workspace_id = $1 and e.${kinds[kind].column} = s.source and ${kinds[kind].live} limit $3
  ) e limit $3
) found`;
const COUNT = { task: count("task"), project: count("project"), milestone: count("milestone") };

export interface Count {
  kind: LifecycleKind;
  workspaceId: string;
  sources: readonly string[];
  most: number;
}
/** Number of entities in these sources, including Tasks in the trash; most + 1 means any larger number. */
export async function countEntities(tx: Queries, { kind, workspaceId, sources, most }: Count): Promise<number> {
  return (await tx.one<{ found: number }>(COUNT[kind], [workspaceId, sources, most + 1])).found;
}

/** Cap on the entities counted over all sources. */
const MOST_LOOKED_AT = 100_000;
const impact = (kind: LifecycleKind) => `
select source, count(*)::int as found /* reads all that it adds up: at most 100,001 */ from (
  select s.source from unnest($2::uuid[]) s(source) cross join lateral (
    select from ${kinds[kind].table} e
    where e.workspace_id = $1 and e.${kinds[kind].column} = s.source and ${kinds[kind].live} limit $3
  ) e limit ${MOST_LOOKED_AT + 1}
) found group by source`;
const IMPACT = { task: impact("task"), project: impact("project"), milestone: impact("milestone") };

export interface Impact {
  /** Count per non-empty source; most + 1 means any larger number. */
  counts: Map<string, number>;
  total: number;
  /** The cap was reached: every count may be too low. */
  exhausted: boolean;
}
export async function impactOf(tx: Queries, { kind, workspaceId, sources, most }: Count): Promise<Impact> {
  const rows = await tx.rows<{ source: string; found: number }>(IMPACT[kind], [workspaceId, sources, most + 1]);
  const counts = new Map(rows.map(({ source, found }) => [source, found]));
  const total = rows.reduce((sum, { found }) => sum + found, 0);
  return { counts, total, exhausted: total > MOST_LOOKED_AT };
}

const plain = `null::uuid as project_id`;
const bound = (holder: string, own: string, condition = "true") => `
select h.id, h.revision::text, ${own}, ${behaviorsView("g")} as behaviors
from ${holder} h join lifecycle_stages g on g.workspace_id = h.workspace_id and g.id = h.stage_id
where h.workspace_id = current_workspace() and h.id = any($1::uuid[]) and g.definition_id = $2 and ${condition}`;
const BOUND = {
  task: bound(
    "statuses",
    "h.project_id, h.archived_at is not null as archived",
    `not exists (select from projects p
      where p.workspace_id = h.workspace_id and p.id = h.project_id and p.deleted_at is not null)`,
  ),
  project: bound("project_states", `${plain}, h.archived_at is not null as archived`),
  milestone: `
select g.id, g.revision::text, ${plain}, false as archived, ${behaviorsView("g")} as behaviors
from lifecycle_stages g where g.workspace_id = current_workspace() and g.id = any($1::uuid[]) and g.definition_id = $2`,
};
/** The given ids that belong to the definition, with their bindings. */
export async function boundTo(tx: Queries, { id, kind }: { id: string; kind: LifecycleKind }, ids: readonly string[]) {
  const rows = await tx.rows<LifecycleEntity>(BOUND[kind], [ids, id]);
  return new Map(rows.map((row) => [row.id, row]));
}
