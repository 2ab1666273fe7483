// SQL of Workspaces and memberships.
import { behaviorKeys } from "@svc/contract/planning/lifecycle/behaviors.ts";
import type { TSchema } from "typebox";
import type { Queries } from "../../platform/database/db.ts";
import { cachedSql, differing } from "../../platform/database/sql.ts";
import { view } from "../../platform/database/view.ts";
import type { ListResult } from "../../platform/kernel/implement-operation.ts";
import { picturesOf } from "../../platform/outside/picture.ts";
import { newId } from "../../platform/wire/ids.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { seeds } from "./seeds.ts";
import { workspaceView } from "./view.ts";

const holdsMembership = (userId: string) => `
exists (select from memberships m join workspaces at on at.id = m.workspace_id and at.archived_at is null
  where m.user_id = ${userId} and m.state not in ('removed', 'left'))`;
// Returns no row if every slug is taken, or if $8 requires an account without memberships and it has one; former
// memberships and those in archived Workspaces do not count. A constraint refuses an account that holds the claim to
// another Free Workspace.
const CREATE = `
with w as (
  insert into workspaces (id, name, slug, created_by_user_id, plan)
  select $1, $2, c.slug, $4, $9 from unnest($3::text[]) with ordinality c(slug, n)
  where not exists (select from workspaces taken where taken.slug = c.slug) and not ($8 and ${holdsMembership("$4")})
  order by c.n limit 1
  on conflict (slug) do nothing returning *
), claimed as (insert into free_claims (user_id, workspace_id) select $4, id from w where w.plan = 'free'
), a as (insert into actors (workspace_id, id, kind, user_id) select id, $5, 'human', $4 from w returning workspace_id
), m as (
  insert into memberships (workspace_id, id, user_id, actor_id, role, state)
  select workspace_id, $6, $4, $5, 'owner', 'active' from a returning role
), definitions as (
  insert into lifecycle_definitions (workspace_id, id, kind, name, default_state_id)
  select w.id, d.id, d.kind, d.name, d.default_state_id
  from w, json_to_recordset($7::json -> 'definitions') as d(id uuid, kind text, name text, default_state_id uuid)
), stages as (
  insert into lifecycle_stages (workspace_id, id, definition_id, name, category, position, ${behaviorKeys.join(", ")})
  select w.id, g.id, g.definition_id, g.name, g.category, g.position,
    ${behaviorKeys.map((key) => `g.${key}`).join(", ")}
  from w, json_to_recordset($7::json -> 'stages')
    as g(id uuid, definition_id uuid, name text, category text, position integer,
      ${behaviorKeys.map((key) => `${key} boolean`).join(", ")})
), statuses as (
  insert into statuses (workspace_id, id, stage_id, name, category, position)
  select w.id, s.id, s.stage_id, s.name, s.category, s.position
  from w, json_to_recordset($7::json -> 'statuses') as s(id uuid, stage_id uuid, name text, category text,
    position integer)
), states as (
  insert into project_states (workspace_id, id, stage_id, name, category, position)
  select w.id, s.id, s.stage_id, s.name, s.category, s.position
  from w, json_to_recordset($7::json -> 'states') as s(id uuid, stage_id uuid, name text, category text,
    position integer)
)
select ${workspaceView} as json, w.revision::text from w, m`;
const LOCK_ACCOUNT = "select from users where id = $1 for no key update";
const LOCK_SLUG = "select pg_advisory_xact_lock(hashtextextended('slug of a Workspace ' || $1, 0))";
const HOLDS_MEMBERSHIP = `select ${holdsMembership("$1")} as holds`;

export interface NewWorkspace {
  id: string;
  name: string;
  slug: string;
  /** Fallbacks, in this order, if the slug is not free. */
  otherSlugs?: readonly string[];
  /** Only create it if the account belongs to no Workspace. */
  first?: boolean;
  /** A paid Workspace claims no Free Workspace. */
  plan?: "free" | "team" | "business" | undefined;
  userId: string;
  actorId: string;
}
/**
 * Creates the Workspace with its owner's Actor, membership and the default workflow, in one statement on the new
 * tenant; undefined if the conditions do not hold. Preceding statements lock the account and the requested slug, so
 * that concurrent creations of one account or one slug see each other.
 */
export async function insertWorkspace(tx: Queries, workspace: NewWorkspace) {
  const { id, name, slug, otherSlugs = [], first = false, plan = "free", userId, actorId } = workspace;
  const values = [id, name, [slug, ...otherSlugs], userId, actorId, newId(), JSON.stringify(seeds()), first, plan];
  const [, , row] = await Promise.all([
    tx.rows(LOCK_ACCOUNT, [userId]),
    tx.rows(LOCK_SLUG, [slug]),
    tx.maybe<{ json: string; revision: string }>(CREATE, values),
  ]);
  return row;
}

export const belongsAnywhere = async (tx: Queries, userId: string) =>
  (await tx.one<{ holds: boolean }>(HOLDS_MEMBERSHIP, [userId])).holds;

const JOIN = `
with a as (insert into actors (workspace_id, id, kind, user_id) values ($1, $2, 'human', $3) returning workspace_id)
insert into memberships (workspace_id, id, user_id, actor_id, role, state) select workspace_id, $4, $3, $2, $5, 'active'
from a`;
export const insertMember = (tx: Queries, workspaceId: string, actorId: string, userId: string, role: string) =>
  tx.rows(JOIN, [workspaceId, actorId, userId, newId(), role]);

export const workspaceIcons = picturesOf({
  table: "workspaces",
  column: "icon_key",
  id: "workspace_id",
  folder: "icons",
  job: "discard_icon",
});

// ---- members by name
// ----------------------------------------------------------------------------------------------------------------

/** Prefix match of `name` with $1. */
export const nameFits = `name >= lower($1) and name < lower($1) || chr(1114111)`;
/** Maximum number of rows examined for one page of filtered members. */
export const EXAMINED = 200;
const named = (part: string) => `
(select actor_id, name, part from member_names
where workspace_id = current_workspace() and ${part} and ${nameFits} and (name, actor_id) > ($2, $3)
  order by name, actor_id limit ${EXAMINED + 1})`;
/** Whether the row is one of the first $4 matches: only these get their included resources. */
export const isShown = (json: string, order: string) =>
  `${json} is not null and count(${json}) over (order by ${order}) <= $4 as shown`;
/**
 * Members whose name begins with $1, in name order after ($2, $3): each member once, at the first matching name, $4 of
 * them. `shown` selects the active membership m and its user u as json, and no row for a member to be skipped.
 */
export const membersByName = (shown: string) => `
/* reads up to ${10 * EXAMINED}: names that fit, of which a member may have nine */
select json_build_array(n.name, n.actor_id)::text as key, s.json as json,
  ${isShown("s.json", "n.name, n.actor_id, n.part")}
from (select * from (${named("part = 0")} union all ${named("part > 0")}) every order by name, actor_id, part
  limit ${EXAMINED + 1}) n
left join lateral (
  ${shown} and m.workspace_id = current_workspace() and m.actor_id = n.actor_id and m.state = 'active' limit 1
) s on not exists (
  select from member_names where workspace_id = current_workspace() and actor_id = n.actor_id and ${nameFits}
    and (name, part) < (n.name, n.part))
order by n.name, n.actor_id, n.part`;

/**
 * One page of matches among the examined rows: at most `limit`, or fewer if the remaining rows belong to the next page.
 */
export function filteredPage(found: { key: string; json: string | null }[], limit: number): ListResult {
  const examined = found.slice(0, EXAMINED);
  const fitting = examined.flatMap(({ key, json }) => (json === null ? [] : [{ key, json }]));
  const rows = fitting.slice(0, limit);
  const last = fitting.length > limit ? rows.at(-1) : found.length > EXAMINED ? examined.at(-1) : undefined;
  return { rows, more: last?.key ?? null };
}

// ---- policies: one row of a Workspace each, or none
// ---------------------------------------------------------------------------------

type Row = { json: string; revision: string };
/** Selects the policy as s, with its Workspace w; `computed` supplies the defaults if there is no row. */
export const policySelect = (schema: TSchema, table: string, computed: Record<string, string>) => `
select ${view(schema, "s", { workspace_id: "w.id", revision: "coalesce(s.revision, 0)::text", ...computed })} as json,
  coalesce(s.revision, 0)::text as revision
from workspaces w left join ${table} s on s.workspace_id = w.id where w.id = current_workspace()`;

const upsert = cachedSql(
  (table: string, ...fields: string[]) => `
insert into ${table} (workspace_id, ${fields.join(", ")})
values (current_workspace(), ${fields.map((_, at) => `$${at + 1}`).join(", ")})
on conflict (workspace_id) do update set ${fields.map((field) => `${field} = excluded.${field}`).join(", ")},
  revision = ${table}.revision + 1, updated_at = now()`,
);
/**
 * Upserts these fields; fields without a value use their defaults. `target` is the current state. `changed` lists the
 * fields that differ from it; if there are none, nothing is written.
 */
export async function decide(
  tx: Queries,
  table: string,
  target: Row,
  decided: Record<string, unknown>,
  select: string,
): Promise<{ row: Row; changed: string[] }> {
  const changed = Object.keys(differing(decided, JSON.parse(target.json)) ?? {}).sort();
  if (changed.length === 0) return { row: target, changed };
  const fields = Object.keys(decided).sort();
  const values = fields.map((field) => decided[field]);
  const [, row] = await Promise.all([tx.rows(upsert(table, ...fields), values), tx.one<Row>(select)]);
  return { row, changed };
}

// ---- references
// ---------------------------------------------------------------------------------------------------------------------

const UNKNOWN_PROJECTS = `
select (u.n - 1)::int as at from unnest($1::uuid[]) with ordinality u(id, n)
where not exists (select from projects p
  where p.workspace_id = current_workspace() and p.id = u.id and p.deleted_at is null)
order by u.n`;
/**
 * Refuses unless each id is a Project of the Workspace. Only for callers who manage it, because they see every Project.
 */
export async function requireProjects(tx: Queries, ids: readonly string[], field: string): Promise<void> {
  const unknown = await tx.rows<{ at: number }>(UNKNOWN_PROJECTS, [ids]);
  if (unknown.length === 0) return;
  const detail = "is no Project of this Workspace";
  const errors = unknown.map(({ at }) => ({ pointer: `/body/${field}/${at}`, code: "invalid_reference", detail }));
  refuse("invalid_reference", { errors: errors.slice(0, 50) });
}
