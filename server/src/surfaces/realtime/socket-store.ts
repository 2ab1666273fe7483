// SQL of sockets: their caller, the start of a subscription, observable people, and sockets whose access has ended.
import type { Queries } from "../../platform/database/db.ts";
import { NIL } from "../../platform/wire/ids.ts";
import type { Guest } from "./door.ts";

// Uses the present membership: the role at the time of opening may have ended.
const CALLER = `
select set_config('svc.workspace', case when m.id is null then '${NIL}' else m.workspace_id::text end, false),
  set_config('svc.actor', case when m.id is null then '' else m.actor_id::text end, false),
  set_config('svc.role', case when m.id is null then '' else m.role end, false),
  set_config('svc.account', $3, false), set_config('svc.credential', $4, false)
from (select) request left join memberships m on m.workspace_id = $1 and m.actor_id = $2 and m.state = 'active'`;
export const asGuest = (tx: Queries, { workspaceId, actorId, userId, credentialId }: Guest) =>
  tx.rows(CALLER, [workspaceId, actorId, userId, credentialId]);

const MEMBERS = `
select count(*)::int as found from memberships m
join actors a on a.workspace_id = m.workspace_id and a.id = m.actor_id and a.kind = 'human'
where m.workspace_id = current_workspace() and m.user_id = any($1::uuid[]) and m.state = 'active'`;
/** Whether each of these distinct ids is a person and an active member. */
export const areMembers = async (tx: Queries, userIds: readonly string[]) =>
  (await tx.one<{ found: number }>(MEMBERS, [userIds])).found === userIds.length;

export type SocketEndReason = "credential" | "workspace" | "membership";
// ENDED checks all sockets of a process in one query, and returns those that have ended. A session that has switched to
// another Workspace has not ended.
const ENDED = `
/* reads up to 80000: a credential, a membership and a Workspace for each socket of a process */
select a.place::int as place, case
  when a.workspace_id is not null and (m.state is distinct from 'active' or w.archived_at is not null) then 'membership'
  when c.id is null or c.revoked_at is not null or c.expires_at <= now()
    or c.kind = 'session' and coalesce(c.last_used_at, c.created_at) <= now() - interval '7 days' then 'credential'
  else 'workspace' end as reason
from unnest($1::uuid[], $2::uuid[], $3::uuid[]) with ordinality a(credential_id, workspace_id, user_id, place)
left join credentials c on c.id = a.credential_id
left join memberships m on m.workspace_id = a.workspace_id and m.user_id = a.user_id
left join workspaces w on w.id = a.workspace_id
where c.id is null or c.revoked_at is not null or c.expires_at <= now()
  or c.kind = 'session' and coalesce(c.last_used_at, c.created_at) <= now() - interval '7 days'
  or a.workspace_id is not null and (m.state is distinct from 'active' or w.archived_at is not null)
  or c.kind = 'session' and c.workspace_id is distinct from a.workspace_id`;
/**
 * Ended ones among these, by their place from 1. The parameters are array literals: they change only when a socket
 * comes or goes, and are sent all the time.
 */
export const endedAmong = (tx: Queries, asked: { credentials: string; workspaces: string; users: string }) =>
  tx.rows<{ place: number; reason: SocketEndReason }>(ENDED, [asked.credentials, asked.workspaces, asked.users]);
