// SQL of Projects: lists, and the Statuses that their Tasks enter when started, reviewed and completed.

import { callerManages } from "../../accounts/workspaces/access.ts";
import type { Queries } from "../../platform/database/db.ts";
import { cachedSql, untilFull } from "../../platform/database/sql.ts";
import { NIL } from "../../platform/wire/ids.ts";
import { callerNarrowed, projectOfCaller, projectVisible, withinNarrowing } from "./access.ts";
import { projectRowView } from "./view.ts";

const ownMemberships = "from project_members where workspace_id = current_workspace() and actor_id = current_actor()";
/**
 * Threshold of memberships: above it, private Projects are read in list order with a membership lookup each; up to it,
 * the caller's own are read and sorted.
 */
const SORTED = 200;
const inOrder = `(${callerManages} or ${callerNarrowed}
  or (select count(*) from (select ${ownMemberships} limit ${SORTED + 1}) m) > ${SORTED})`;

const hiddenStates = `array(
  select st.id from project_states st join lifecycle_stages g on g.workspace_id = st.workspace_id and g.id = st.stage_id
  where st.workspace_id = current_workspace() and g.hidden_by_default)`;

const orders = {
  manual: { columns: "p.position, p.id", after: "(p.position, p.id) > ($2, $3)", first: ["-Infinity", NIL] },
  key: { columns: "p.key", after: "p.key > $2", first: [""] },
} as const;

/**
 * Merges short pages of Workspace-visible and of private Projects, so that Projects that the caller cannot see are not
 * read: with a single condition, a page would cost as much as the private Projects of others before it. Private ones
 * are read in one of two ways, whichever reads less. The result still passes the one visibility predicate. A limit of
 * one in a lookup keeps the planner from joining the whole table.
 */
const listSql = (view: string) =>
  cachedSql((order: "manual" | "key", archived: string, hidden: string, state: string) => {
    const { columns, after } = orders[order];
    const filter = [
      "p.workspace_id = current_workspace() and p.deleted_at is null",
      withinNarrowing("p.id"),
      archived ? "p.archived_at is not null" : "p.archived_at is null",
      hidden || state ? "" : `(p.state_id = any(${hiddenStates})) is not true`,
      state && `p.state_id = $${order === "key" ? 3 : 4}`,
      after,
    ];
    const where = (...conditions: string[]) => `where ${[...filter, ...conditions].filter(Boolean).join(" and ")}`;
    const page = (from: string) => `(select p.* from ${from} order by ${columns} limit $1)`;
    const rows = `
select p.* from (
${page(`projects p ${where("p.visibility = 'workspace'")}`)}
union all ${page(`projects p ${where("p.visibility = 'private'", inOrder, `(${callerManages} or ${callerNarrowed} or (select true ${ownMemberships} and project_id = p.id))`)}`)}
union all ${page(`(select project_id ${ownMemberships} limit ${SORTED}) own cross join lateral (
  select * from projects where workspace_id = current_workspace() and id = own.project_id
  limit 1) p ${where("p.visibility = 'private'", `not ${inOrder}`)}`)}
) p left join lateral (select actor_id ${ownMemberships} and project_id = p.id limit 1) pm on true
where ${projectVisible} order by ${columns} limit $1`;
    const key = `json_build_array(${columns})::text`;
    return untilFull({ rows, alias: "p", text: "description_markdown", order: columns, json: view, key });
  });

export interface ListedProjects {
  order?: "manual" | "key";
  archived?: boolean;
  hidden?: boolean;
  state_id?: string;
}
/** Lists Projects rendered by `view`, with the Project as p. */
export const listProjectsAs = (view: string) => {
  const text = listSql(view);
  return (tx: Queries, query: ListedProjects, after: readonly unknown[] | null, rows: number) => {
    const { order = "manual", archived, hidden, state_id } = query;
    const flag = (value: unknown) => (value ? "true" : "");
    const sql = text(order, flag(archived), flag(hidden), flag(state_id));
    const from = after ?? orders[order].first;
    return tx.rows<{ json: string; key: string }>(sql, [rows, ...from, ...(state_id ? [state_id] : [])]);
  };
};
export const listProjects = listProjectsAs(projectRowView);

/** Selects the Project state with this id if it can be used; $1 is the Workspace. */
export const usableState = (id: string) =>
  `select id from project_states where workspace_id = $1 and id = ${id} and archived_at is null`;

export const isUsableState = async (tx: Queries, workspaceId: string, id: string) =>
  (await tx.maybe(usableState("$2"), [workspaceId, id])) !== undefined;

const HOLDS = `
select exists (select from tasks where workspace_id = $1 and project_id = $2)
  or exists (select from documents where workspace_id = $1 and project_id = $2)
  or exists (select from milestones where workspace_id = $1 and project_id = $2 and deleted_at is null) as used`;
/** Whether the Project contains a Task or a Document, the trash included, or a Milestone. */
export const holdsWork = async (tx: Queries, workspaceId: string, projectId: string) =>
  (await tx.one<{ used: boolean }>(HOLDS, [workspaceId, projectId])).used;

const NEIGHBOURS = `
select (select o.id from projects o
  where o.workspace_id = p.workspace_id and o.deleted_at is null and (o.position, o.id) < (p.position, p.id)
    order by o.position desc, o.id desc limit 1) as before,
  $3::uuid is null or exists (select from projects o
    where o.workspace_id = $1 and o.id = $3 and o.deleted_at is null) as usable
from projects p where p.workspace_id = $1 and p.id = $2`;
/** Predecessor of the Project, and whether `other` is a valid one; null means the first position. */
export const neighboursOf = (tx: Queries, workspaceId: string, projectId: string, other: string | null) =>
  tx.maybe<{ before: string | null; usable: boolean }>(NEIGHBOURS, [workspaceId, projectId, other]);

/** Conditions on the stage g of a Status that Tasks enter when started, reviewed and completed. */
const fits = {
  active: "g.counts_as_active and not g.awaits_review",
  review: "g.awaits_review",
  done: "g.counts_as_completed",
} as const;
type Part = keyof typeof fits;
const fitting = (part: Part, workspaceId: string, projectId: string) => `
from statuses s join lifecycle_stages g on g.workspace_id = s.workspace_id and g.id = s.stage_id
where s.workspace_id = ${workspaceId} and s.archived_at is null
  and (s.project_id is null or s.project_id = ${projectId}) and ${fits[part]}`;

/**
 * Status that Tasks of Project p enter, with the Project's policy (if any) as c: the one named by the policy while it
 * fits, else the first that fits, in workflow order. Code that moves Tasks uses this and not the policy.
 */
export const effectiveStatus = (part: Part) => `
(select /* reads up to 6000: of at most 1,000 Statuses that apply, and their stages, for each part of a policy */ s.id ${fitting(part, "p.workspace_id", "p.id")}
 order by (s.id = c.${part}_status_id) is true desc, s.category_rank, s.position, s.id limit 1)`;
export const policyOfProject =
  "left join project_completion_policies c on c.workspace_id = p.workspace_id and c.project_id = p.id";

const fitsProject = (part: Part, parameter: string) =>
  `(${parameter}::uuid is null
    or exists (select ${fitting(part, "$1", "$2")} and s.id = ${parameter})) as ${part}_status_id`;
const CHOSEN = `select ${fitsProject("active", "$3")}, ${fitsProject("review", "$4")}, ${fitsProject("done", "$5")}`;
/** Whether each Status chosen for a policy fits; a missing one does. */
export const chosenStatuses = (tx: Queries, workspaceId: string, projectId: string, chosen: (string | null)[]) =>
  tx.one<Record<`${Part}_status_id`, boolean>>(CHOSEN, [workspaceId, projectId, ...chosen]);

export interface Completing {
  id: string;
  name: string;
  category: "backlog" | "unstarted" | "started" | "completed" | "cancelled";
  stage_id: string;
}
const completing = (rows: string) => `
coalesce((select json_agg(json_build_object('id', r.id, 'name', r.name, 'category', r.category, 'stage_id', r.stage_id)
  order by r.category_rank, r.position, r.id) from (${rows}) r), '[]') as choices`;

const BY_KIND = {
  // Without a Project ($1 is null), only Statuses that apply to every Project.
  task: `
select p.id as project_id, c.done_status_id as named, ${completing(`
  select s.id, s.name, s.category, s.stage_id, s.category_rank,
    s.position ${fitting("done", "current_workspace()", "p.id")}`)}
from (select) one left join (projects p ${projectOfCaller}) on p.workspace_id = current_workspace() and p.id = $1
  and ${projectVisible}
${policyOfProject}`,
  project: `select null as project_id, null as named, ${completing(`
  select s.id, s.name, s.category, s.stage_id, s.category_rank, s.position
  from project_states s join lifecycle_stages g on g.workspace_id = s.workspace_id and g.id = s.stage_id
  where s.workspace_id = current_workspace() and s.archived_at is null and g.counts_as_completed`)}`,
  milestone: `select null as project_id, null as named, ${completing(`
  select g.id, g.name, g.category, g.id as stage_id, 0 as category_rank, g.position
  from lifecycle_stages g join lifecycle_definitions d on d.workspace_id = g.workspace_id and d.id = g.definition_id
    and d.kind = 'milestone'
  where g.workspace_id = current_workspace() and g.counts_as_completed`)}`,
} as const;
export interface Completion {
  /** Null if no Project was requested, or the caller cannot see it. */
  project_id: string | null;
  /** Status that the Project's policy names. */
  named: string | null;
  choices: Completing[];
}
/** All Statuses, states or stages that complete an entity of this kind, in order. */
export const completions = (tx: Queries, kind: keyof typeof BY_KIND, projectId: string | null) =>
  tx.one<Completion>(BY_KIND[kind], kind === "task" ? [projectId] : []);
