// SQL of Workspaces and memberships.
import type { Queries } from "../kernel/db.ts";
import { newId } from "../kernel/ids.ts";

/** What every Workspace starts with: name, category, whether it is where reviews happen. */
const workflow = [
  ["Backlog", "backlog", false],
  ["Todo", "unstarted", false],
  ["In Progress", "started", false],
  ["In Review", "started", true],
  ["Done", "completed", false],
  ["Cancelled", "cancelled", false],
] as const;

const CREATE = `
with w as (insert into workspaces (id, name, slug, created_by_user_id) values ($1, $2, $3, $4) returning id),
a as (insert into actors (workspace_id, id, kind, user_id) select id, $5, 'human', $4 from w returning workspace_id),
m as (insert into memberships (workspace_id, id, user_id, actor_id, role, state) select workspace_id, $6, $4, $5, 'owner', 'active' from a)
insert into statuses (workspace_id, id, name, category, review, position)
select w.id, s.id, s.name, s.category, s.review, s.position
from w, json_to_recordset($7) as s(id uuid, name text, category text, review boolean, position integer)`;

export interface NewWorkspace {
  id: string;
  name: string;
  slug: string;
  userId: string;
  actorId: string;
}
/** The Workspace with its owner's Actor and membership and the default workflow, in one statement on the new tenant. */
export function insertWorkspace(tx: Queries, { id, name, slug, userId, actorId }: NewWorkspace) {
  const statuses = workflow.map(([status, category, review], index) => ({
    id: newId(),
    name: status,
    category,
    review,
    position: (index + 1) * 1024,
  }));
  return tx.rows(CREATE, [id, name, slug, userId, actorId, newId(), JSON.stringify(statuses)]);
}

const JOIN = `
with a as (insert into actors (workspace_id, id, kind, user_id) values ($1, $2, 'human', $3) returning workspace_id)
insert into memberships (workspace_id, id, user_id, actor_id, role, state) select workspace_id, $4, $3, $2, $5, 'active' from a`;
export const insertMember = (tx: Queries, workspaceId: string, actorId: string, userId: string, role: string) =>
  tx.rows(JOIN, [workspaceId, actorId, userId, newId(), role]);
