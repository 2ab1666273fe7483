// SQL of Workspaces and memberships.
import type { Queries } from "../kernel/db.ts";
import { newId } from "../kernel/ids.ts";
import { workspaceView } from "./view.ts";

/** What every Workspace starts with: name, category, whether it is where reviews happen. */
const workflow = [
  ["Backlog", "backlog", false],
  ["Todo", "unstarted", false],
  ["In Progress", "started", false],
  ["In Review", "started", true],
  ["Done", "completed", false],
  ["Cancelled", "cancelled", false],
] as const;

const holdsMembership = (userId: string) =>
  `exists (select from memberships where user_id = ${userId} and state not in ('removed', 'left'))`;
// Zero rows when every slug is taken, or when $8 asks for an account without memberships and it has one: former ones do not count.
const CREATE = `
with w as (
  insert into workspaces (id, name, slug, created_by_user_id)
  select $1, $2, c.slug, $4 from unnest($3::text[]) with ordinality c(slug, n)
  where not exists (select from workspaces taken where taken.slug = c.slug) and not ($8 and ${holdsMembership("$4")})
  order by c.n limit 1
  on conflict (slug) do nothing returning *
), a as (insert into actors (workspace_id, id, kind, user_id) select id, $5, 'human', $4 from w returning workspace_id
), m as (
  insert into memberships (workspace_id, id, user_id, actor_id, role, state)
  select workspace_id, $6, $4, $5, 'owner', 'active' from a returning role
), s as (
  insert into statuses (workspace_id, id, name, category, review, position)
  select w.id, s.id, s.name, s.category, s.review, s.position
  from w, json_to_recordset($7) as s(id uuid, name text, category text, review boolean, position integer)
)
select ${workspaceView} as json, w.revision::text from w, m`;
const LOCK_ACCOUNT = "select from users where id = $1 for no key update";
const HOLDS_MEMBERSHIP = `select ${holdsMembership("$1")} as holds`;

export interface NewWorkspace {
  id: string;
  name: string;
  slug: string;
  /** Taken in this order when the slug is not free. */
  otherSlugs?: readonly string[];
  /** Only for an account that belongs to no Workspace. */
  first?: boolean;
  userId: string;
  actorId: string;
}
/**
 * The Workspace with its owner's Actor and membership and the default workflow, in one statement on the new tenant; undefined when
 * the conditions do not hold. The account's row is locked in a statement before, so that two creations of one account see each other.
 */
export async function insertWorkspace(tx: Queries, workspace: NewWorkspace) {
  const { id, name, slug, otherSlugs = [], first = false, userId, actorId } = workspace;
  const statuses = workflow.map(([status, category, review], index) => ({
    id: newId(),
    name: status,
    category,
    review,
    position: (index + 1) * 1024,
  }));
  const values = [id, name, [slug, ...otherSlugs], userId, actorId, newId(), JSON.stringify(statuses), first];
  const [, row] = await Promise.all([
    tx.rows(LOCK_ACCOUNT, [userId]),
    tx.maybe<{ json: string; revision: string }>(CREATE, values),
  ]);
  return row;
}

export const belongsAnywhere = async (tx: Queries, userId: string) =>
  (await tx.one<{ holds: boolean }>(HOLDS_MEMBERSHIP, [userId])).holds;

const JOIN = `
with a as (insert into actors (workspace_id, id, kind, user_id) values ($1, $2, 'human', $3) returning workspace_id)
insert into memberships (workspace_id, id, user_id, actor_id, role, state) select workspace_id, $4, $3, $2, $5, 'active' from a`;
export const insertMember = (tx: Queries, workspaceId: string, actorId: string, userId: string, role: string) =>
  tx.rows(JOIN, [workspaceId, actorId, userId, newId(), role]);
