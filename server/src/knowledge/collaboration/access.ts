// Access to a collaborative text: a session admits one person while the session, its credential, the membership and the
// access to the Task or Document last. Checked when a socket opens, and repeatedly while it is open.

import { projectVisibleTo } from "../../planning/projects/access.ts";
import { documentVerbs, type ProjectRole, workCapabilities } from "../../planning/projects/rules.ts";
import type { Queries } from "../../platform/database/db.ts";
import type { Role } from "../../platform/kernel/authentication.ts";
import type { EditedKind, TextPlace } from "./store.ts";

/** The name of the text in socket frames. */
export const nameOf = (kind: EditedKind, { workspaceId, targetId }: TextPlace) => `${kind}:${workspaceId}:${targetId}`;
const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const NAME = new RegExp(`^(task|document):(${UUID}):(${UUID})$`);
export function placeOf(name: string): (TextPlace & { kind: EditedKind }) | null {
  const [, kind, workspaceId, targetId] = NAME.exec(name) ?? [];
  return kind ? { kind: kind as EditedKind, workspaceId: workspaceId as string, targetId: targetId as string } : null;
}

/** A session with its current permissions. */
export interface EditingSession {
  id: string;
  actorId: string;
  targetId: string;
  displayName: string;
  writes: boolean;
  /**
   * Current revision of the Task, or content revision of the Document. A new one may come from a request, and is then
   * merged.
   */
  mark: string;
  lastSeq: number;
}
interface Row {
  id: string;
  actor_id: string;
  target_id: string;
  display_name: string;
  role: Role;
  project_role: ProjectRole | null;
  in_task: boolean;
  closed: boolean;
  mark: string;
  last_seq: string;
}

// The target is read-only in an archived Project or in the trash. A Document that is archived itself stays writable.
const SESSIONS = `
select s.id, s.actor_id, s.target_id, u.display_name, m.role, pm.role as project_role, x.last_seq,
  x.task_id is not null as in_task,
  p.archived_at is not null or t.trashed_at is not null
    or d.trashed_at is not null as closed, coalesce(t.revision, d.content_revision)::text as mark
from collaboration_sessions s
join collaboration_texts x on x.workspace_id = s.workspace_id and x.target_id = s.target_id
join workspaces w on w.id = s.workspace_id and w.archived_at is null
join memberships m on m.workspace_id = s.workspace_id and m.actor_id = s.actor_id and m.state = 'active'
join users u on u.id = m.user_id
join credentials c on c.id = s.credential_id and c.workspace_id = s.workspace_id and c.revoked_at is null
  and c.expires_at > now()
  and coalesce(c.last_used_at, c.created_at) > now() - interval '7 days'
left join tasks t on t.workspace_id = s.workspace_id and t.id = x.task_id
left join documents d on d.workspace_id = s.workspace_id and d.id = x.document_id
left join projects p on p.workspace_id = s.workspace_id
  and p.id = case when x.task_id is not null then t.project_id else d.project_id end
left join project_members pm on pm.workspace_id = p.workspace_id and pm.project_id = p.id and pm.actor_id = s.actor_id
where s.workspace_id = $1 and s.ended_at is null and (p.id is null and d.id is not null or ${projectVisibleTo})`;
const AGAIN = `${SESSIONS} and s.id = any($2::uuid[])`;
const BY_TOKEN = `${SESSIONS} and s.token_hash = $2 and s.target_id = $3 and s.expires_at > now()
  and (x.task_id is not null) = $4::boolean`;

function standingOf(row: Row): EditingSession {
  const may = row.in_task
    ? workCapabilities(row.role, row.project_role).includes("work:write")
    : documentVerbs(row.role, row.project_role).includes("documents:write");
  return {
    id: row.id,
    actorId: row.actor_id,
    targetId: row.target_id,
    displayName: row.display_name,
    writes: !row.closed && may,
    mark: row.mark,
    lastSeq: Number(row.last_seq),
  };
}

/**
 * Resolves a token to its session, if it is valid. The kind must match the text, because every socket uses the name
 * that the text was opened under.
 */
export async function letIn(
  tx: Queries,
  { kind, workspaceId, targetId }: TextPlace & { kind: EditedKind },
  tokenHash: Buffer,
): Promise<EditingSession | undefined> {
  const row = await tx.maybe<Row>(BY_TOKEN, [workspaceId, tokenHash, targetId, kind === "task"]);
  return row && standingOf(row);
}
/** The sessions among these that are still valid. */
export const standings = async (tx: Queries, workspaceId: string, sessionIds: string[]): Promise<EditingSession[]> =>
  (await tx.rows<Row>(AGAIN, [workspaceId, sessionIds])).map(standingOf);
