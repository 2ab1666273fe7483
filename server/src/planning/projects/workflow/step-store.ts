// SQL of workflow steps, built once per workflow.
import type { Queries } from "../../../platform/database/db.ts";
import { cachedSql } from "../../../platform/database/sql.ts";
import { NIL, newId } from "../../../platform/wire/ids.ts";
import type { BehaviorValues } from "../../lifecycle/rules.ts";
import { type Mover, TASK_TIMES } from "../../lifecycle/store.ts";
import { behaviorsView } from "../../lifecycle/view.ts";
import { projectOfCaller, projectVisible } from "../access.ts";
import type { Workflow } from "./workflow.ts";

export type StoredStep = { json: string; revision: string };
/** `already`: the step has that position. `json` is null if the new predecessor is not valid. */
export type Moved = { already: boolean; was: string | null; json: string | null; revision: string };

/** Maximum of statuses per definition, and of a Project's own. */
const MOST = 500;
/** Distance between two positions, so that they stay distinct in the database. */
const GAP = 1024;

const inOrder = "s.category_rank, s.position, s.id";
/** $1 to $3 are the key of the previous page's last row, $4 is the limit. */
const page = (table: string, scope: string) => `
(select s.* from ${table} s
where s.workspace_id = current_workspace() and ${scope} and s.archived_at is null and (${inOrder}) > ($1, $2, $3)
order by ${inOrder} limit $4)`;
const list = (view: string, pages: string) => `
select ${view} as json, json_build_array(${inOrder})::text as key from (${pages}) s order by ${inOrder} limit $4`;

function texts({ kind, table, ofProjects, view }: Workflow) {
  /** SQL scope: the Workspace, or the Project in the named parameter. */
  const scope = (alias: string, project: string | null) =>
    ofProjects ? `${alias}.project_id ${project === null ? "is null" : `= ${project}`}` : "true";
  const live = (alias: string, project: string | null) =>
    `${alias}.workspace_id = $1 and ${scope(alias, project)} and ${alias}.archived_at is null`;
  const last = (category: string, project: string | null) =>
    `(select max(o.position) from ${table} o
      where ${live("o", project)} and o.category_rank = category_rank(${category}))`;
  /** Position behind all steps of the category that are listed together with it. */
  const behind = (category: string, project: string | null) =>
    `coalesce(${project === null ? last(category, null) : `greatest(${last(category, null)}, ${last(category, project)})`}, 0) + ${GAP}`;
  const definition = `(select id from lifecycle_definitions where workspace_id = $1 and kind = '${kind}')`;
  /** Facts checked before a step is taken out of use. */
  const circumstances = `
  not exists (select from ${table} o where ${live("o", null)} and o.category_rank <= 3 and o.id <> $2) as alone,
  exists (select from lifecycle_migrations
    where workspace_id = $1 and state in ('pending', 'processing', 'retry')
      and definition_id = ${definition}) as migrating`;
  const behaviors = `${behaviorsView("b")} as before,
    case when g.id is not null then ${behaviorsView("g")} end as after`;

  /** Predecessor of step $2, and whether $3 is a valid one: another step of its category and scope, or null. */
  const neighbours = (project: string | null) => {
    const other = `from ${table} o where ${live("o", project)} and o.category_rank = s.category_rank and o.id <> s.id`;
    return `
select (select o.id ${other} and (o.position, o.id) < (s.position, s.id) order by o.position desc, o.id desc
  limit 1) as before,
  $3::uuid is null or exists (select ${other} and o.id = $3) as usable
from ${table} s where s.workspace_id = $1 and s.id = $2`;
  };
  /**
   * Whether another step than $2 in the scope has the name ($3), whether the limit is reached, and whether the stage
   * ($4) no longer exists.
   */
  const room = (project: string | null) => `
select exists (select from ${table} o
  where ${live("o", project)} and lower(o.name) = lower($3) and o.id <> $2) as taken,
  (select count(*) >= ${MOST} from ${table} o where ${live("o", project)}) as full,
  $4::uuid is not null and not exists (select from lifecycle_stages where workspace_id = $1 and id = $4) as stageless`;
  const columns =
    "id, name, category, color, stage_id, position, archived_at, revision, " +
    `created_at${ofProjects ? ", project_id" : ""}`;

  const create = (project: string | null) => `
with place as (
  select count(*) as taken from ${table} o where ${live("o", project)}
), g as (
  select id from lifecycle_stages
  where workspace_id = $1 and definition_id = ${definition} and category = $4 and ($6::uuid is null or id = $6)
  order by coalesce(awaits_review, false), position, id limit 1
), s as (
  insert into ${table} (workspace_id, id, name, category, color, stage_id,
    position${project === null ? "" : ", project_id"})
  select $1, $2, $3, $4, $5, g.id, ${behind("$4", project)}${project === null ? "" : `, ${project}`} from g, place
  where place.taken < ${MOST}
  returning *
)
select (select ${view} from s) as json, (select revision::text from s) as revision, exists (select from g) as staged`;

  // Renumbers from the position of the first step, so that a Project's own do not move past the Workspace's.
  const move = (project: string | null) => `
with before as (
  select o.id from ${table} o where ${live("o", project)} and o.category_rank = category_rank($4)
    and (o.position, o.id) < (select position, id from ${table} where workspace_id = $1 and id = $2)
  order by o.position desc, o.id desc limit 1
), here as (
  select (select id from before) is not distinct from $3::uuid as already
), after as (
  select o.position, o.id from ${table} o where ${live("o", project)} and o.category = $4 and o.id = $3 and o.id <> $2
), placed as (
  select o.id, min(o.position) over () + ${GAP} * (row_number() over (order by
    case when o.id = $2 then coalesce((select position from after), -2147483648) else o.position end,
    case when o.id = $2 then coalesce((select id from after), '${NIL}') else o.id end, o.id = $2) - 1) as position
  from ${table} o where ${live("o", project)} and o.category_rank = category_rank($4)
), s as (
  update ${table} s set position = placed.position, revision = s.revision + (s.id = $2)::int,
    updated_at = case when s.id = $2 then now() else s.updated_at end
  from placed where s.workspace_id = $1 and s.id = placed.id and (s.id = $2 or s.position <> placed.position)
    and ($3::uuid is null or exists (select from after)) and not (select already from here)
  returning s.*
)
select here.already, (select id from before) as was, (select ${view} from s where s.id = $2) as json,
  (select s.revision::text from s where s.id = $2) as revision from here`;

  return {
    listWorkspace: list(view, page(table, scope("s", null))),
    /** Merges two short pages of the same index: Statuses of other Projects are never read. */
    listProject: list(view, `${page(table, scope("s", null))} union all ${page(table, scope("s", "$5"))}`),
    create: [create(null), create("$7")] as const,
    move: [move(null), move("$5")] as const,
    /** Rebinding to a category ($3), a stage ($4) or both; prefers the current stage if it fits. $5 is the Project. */
    toStage: `
select g.id as stage_id, g.name as stage_name, g.category, ${behaviors}, ${circumstances},
  ${behind("g.category", ofProjects ? "$5::uuid" : null)} as position
from ${table} s join lifecycle_stages b on b.workspace_id = $1 and b.id = s.stage_id
left join lateral (
  select g.* from lifecycle_stages g where g.workspace_id = $1 and g.definition_id = b.definition_id
    and ($3::text is null or g.category = $3) and ($4::uuid is null or g.id = $4)
  order by g.id <> b.id, coalesce(g.awaits_review, false), g.position, g.id limit 1
) g on true
where s.workspace_id = $1 and s.id = $2`,
    /** Replacement by another step ($3) with at least the same scope. */
    toStep: `
select g.id as stage_id, g.name as stage_name, g.category, ${behaviors}, ${circumstances}, 0 as position
from ${table} s join lifecycle_stages b on b.workspace_id = $1 and b.id = s.stage_id
left join ${table} r on r.workspace_id = $1 and r.id = $3 and r.archived_at is null and r.id <> s.id
  ${ofProjects ? "and (r.project_id is null or r.project_id = s.project_id)" : ""}
left join lifecycle_stages g on g.workspace_id = $1 and g.id = r.stage_id
where s.workspace_id = $1 and s.id = $2`,
    /** Whether a completion policy or the default state names the step. */
    named: `
select ${
      kind === "task"
        ? ["active", "review", "done"]
            .map(
              (use) =>
                `exists (select from project_completion_policies where workspace_id = $1 and ${use}_status_id = $2)`,
            )
            .join(" or ")
        : "exists (select from lifecycle_definitions where workspace_id = $1 and default_state_id = $2)"
    } as named, ${circumstances}`,
    remove: `delete from ${table} where workspace_id = $1 and id = $2`,
    neighbours: [neighbours(null), neighbours("$4")] as const,
    room: [room(null), room("$5")] as const,
    /** Recreates a deleted step from its row ($2, JSON). */
    insert: `
insert into ${table} (workspace_id, ${columns})
select $1, ${columns.replaceAll(/\w+/g, (name) => (name === "revision" ? "r.revision + 1" : `r.${name}`))}
from jsonb_populate_record(null::${table}, $2::jsonb) r`,
  };
}
const built = new Map<Workflow, ReturnType<typeof texts>>();
export function sqlOf(workflow: Workflow) {
  const known = built.get(workflow) ?? texts(workflow);
  built.set(workflow, known);
  return known;
}
export function neighboursOf(
  tx: Queries,
  workflow: Workflow,
  workspaceId: string,
  { id, project_id }: Pick<RequestedStep, "id" | "project_id">,
  other: string | null,
) {
  const [ofWorkspace, ofProject] = sqlOf(workflow).neighbours;
  const values = [workspaceId, id, other];
  type Found = { before: string | null; usable: boolean };
  return project_id === null
    ? tx.maybe<Found>(ofWorkspace, values)
    : tx.maybe<Found>(ofProject, [...values, project_id]);
}
export interface RequestedStep {
  id: string;
  name: string | null;
  stage_id: string | null;
  project_id: string | null;
}
export function roomFor(tx: Queries, workflow: Workflow, workspaceId: string, wanted: RequestedStep) {
  const [ofWorkspace, ofProject] = sqlOf(workflow).room;
  const { id, name, stage_id, project_id } = wanted;
  const values = [workspaceId, id, name, stage_id];
  type Found = Record<"taken" | "full" | "stageless", boolean>;
  return project_id === null ? tx.one<Found>(ofWorkspace, values) : tx.one<Found>(ofProject, [...values, project_id]);
}

const update = cachedSql(
  (table: string, view: string, assignments: string) => `
update ${table} s set ${assignments ? `${assignments}, ` : ""}revision = s.revision + 1, updated_at = now()
where s.workspace_id = $1 and s.id = $2 returning ${view} as json, s.revision::text`,
);
export const updateSql = ({ table, view }: Workflow, assignments: string) => update(table, view, assignments);

export interface Circumstances {
  /** No other step of the Workspace is left in which new work can start. */
  alone: boolean;
  /** A migration is moving entities between steps of this kind. */
  migrating: boolean;
}
export interface Onward extends Circumstances {
  /** Null if the requested stage or step cannot be used; the other stage fields are then null too. */
  stage_id: string | null;
  stage_name: string;
  category: string;
  before: BehaviorValues;
  after: BehaviorValues;
  /** Position behind all others in the category. */
  position: number;
}

// All changes of stage bindings serialize on this row. Also replaces the default state of new Projects.
const ADVANCE = `
update lifecycle_definitions set revision = revision + 1, updated_at = now(),
  default_state_id = case when default_state_id = $3::uuid then $4::uuid else default_state_id end
where workspace_id = $1 and kind = $2`;
export const advanceDefinition = (
  tx: Queries,
  workspaceId: string,
  kind: Workflow["kind"],
  replaced: { from: string; to: string | null } | null = null,
) => tx.rows(ADVANCE, [workspaceId, kind, replaced?.from ?? null, replaced?.to ?? null]);

const uses = ["active", "review", "done"] as const;
const REPOINT = `
update project_completion_policies set revision = revision + 1, updated_at = now(),
  ${uses
    .map(
      (use, at) => `${use}_status_id = case when ${use}_status_id = $2 then $${at + 3}::uuid
    else ${use}_status_id end`,
    )
    .join(", ")}
where workspace_id = $1 and (${uses.map((use) => `${use}_status_id = $2`).join(" or ")})`;
/** Replaces a Status in completion policies by another one, for each use that it fits, and by null otherwise. */
export function repointPolicies(tx: Queries, workspaceId: string, from: string, to: string, fits: BehaviorValues) {
  const active = fits.counts_as_active && !fits.awaits_review;
  const fitting = [active, fits.awaits_review, fits.counts_as_completed].map((fit) => (fit ? to : null));
  return tx.rows(REPOINT, [workspaceId, from, ...fitting]);
}

const RETIME = `
with locked as materialized (
  select id from tasks where workspace_id = $1 and status_id = $2 order by id for no key update
), l as materialized (select id, $3::text as category, row_number() over (order by id) as n from locked
), timed as (
  update tasks t set revision = t.revision + 1, updated_at = now()${TASK_TIMES}
  from l where t.workspace_id = $1 and t.id = l.id and t.id = any(array(select id from l))
  returning t.id, t.project_id, l.n
)
insert into domain_events (workspace_id, actor_id, user_id, source, command_id, id, type, project_id, task_id,
  resource_kind, resource_id, payload)
select $1, $4, $5, $6, $7, ($8::uuid[])[n], 'task.updated', project_id, id, 'task', id,
  json_build_object('category', $3::text) from timed`;
/** Cap on the Tasks examined, newest first: most may be in Projects that the caller cannot see. */
const MOST_LOOKED_AT = 100_000;
const COUNT_SEEN = `
select count(*)::int as found from (
  select from (
    select t.workspace_id, t.project_id from tasks t where t.workspace_id = $1 and t.status_id = $2 order by t.id desc
    limit ${MOST_LOOKED_AT}
  ) t join projects p on p.workspace_id = t.workspace_id and p.id = t.project_id ${projectOfCaller}
  where ${projectVisible} limit $3
) seen`;
/**
 * Number of Tasks of a Status that the caller can see, including those in the trash; most + 1 means any larger number.
 */
export async function countSeenTasks(tx: Queries, _: Workflow, workspaceId: string, statusId: string, most: number) {
  return (await tx.one<{ found: number }>(COUNT_SEEN, [workspaceId, statusId, most + 1])).found;
}

/**
 * Updates start and completion times of the Tasks of a Status whose category changed. There are at most `most`: no Task
 * enters the Status while it is locked.
 */
export function retimeTasks(
  tx: Queries,
  workspaceId: string,
  statusId: string,
  category: string,
  most: number,
  { actorId, userId, source, commandId }: Mover,
) {
  const eventIds = Array.from({ length: most }, newId);
  return tx.rows(RETIME, [workspaceId, statusId, category, actorId, userId, source, commandId, eventIds]);
}
