// SQL of invitations. The table has no row-level security, because a token must find its Workspace, so each statement
// names the Workspace itself. A unique index allows one pending invitation per address.
import type { Queries } from "../../../platform/database/db.ts";
import type { Role } from "../../../platform/kernel/authentication.ts";
import { newId, secretKind, sha256 } from "../../../platform/wire/ids.ts";
import { HOLD } from "../access.ts";
import { invitationState, invitationView } from "../view.ts";

export interface InvitationContext {
  /** Null if the caller is no longer an active member. */
  caller_role: Role | null;
  workspace_name: string;
  /** The caller's address, if it is proved. */
  inviter: string | null;
  /** Whether the address belongs to an active or suspended member. */
  member: boolean;
  /** Whether the plan has no seat left, counting members and pending invitations. */
  full: boolean;
  /** Whether another live invitation than $2 exists for the address. */
  pending: boolean;
}
const STANDING = `
select c.role as caller_role, w.name as workspace_name,
  case when u.email_proved_at is not null then u.email end as inviter,
  exists (select from memberships m
    where m.workspace_id = w.id and m.user_id = (select p.id from users p where p.email = $1)
    and m.state in ('active', 'suspended')) as member,
  exists (select from invitations i
    where i.workspace_id = w.id and i.email = $1 and i.state = 'pending' and i.expires_at > now()
    and i.id is distinct from $2::uuid) as pending,
  case when plan_limit(w.id, 'members') is null then false else plan_use(w.id, 'members') + (
    select count(*) from invitations i
    where i.workspace_id = w.id and i.state = 'pending' and i.expires_at > now() and i.id is distinct from $2::uuid
  ) >= plan_limit(w.id, 'members') end as full
from workspaces w join users u on u.id = current_account()
left join memberships c on c.workspace_id = w.id and c.user_id = u.id and c.state = 'active'
where w.id = current_workspace()`;
/** Whether the address can be invited to the caller's Workspace, ignoring the invitation to be replaced. */
export const standingOf = (tx: Queries, email: string, replaces: string | null) =>
  tx.one<InvitationContext>(STANDING, [email, replaces]);

// An expired invitation does not block a new one: it is marked in the same transaction, before the insert.
const EXPIRE = `
update invitations set state = 'expired', revision = revision + 1, updated_at = now()
where workspace_id = current_workspace() and email = $1 and state = 'pending' and expires_at <= now()`;
const REPLACE = `
update invitations set state = 'revoked', token_hash = null, mailed_hash = null, revision = revision + 1,
  updated_at = now()
where workspace_id = current_workspace() and id = $1 and state in ('pending', 'expired') returning id`;
const INSERT = `
with i as (
  insert into invitations (workspace_id, id, email, role, token_hash, mailed_hash, invited_by_actor_id, expires_at)
  values (current_workspace(), $1, $2, $3, $4, $5, current_actor(), now() + interval '7 days') returning *
)
select i.id, ${invitationView} as json, i.revision::text from i`;

export interface RequestedInvitation {
  email: string;
  role: string;
  /** The invitation that it replaces. */
  replaces: string | null;
}
/** Both tokens accept the invitation. Only the email contains `mailed`, so using it proves the address. */
export interface InvitationTokens {
  answered: string;
  mailed: string;
}
/**
 * Writes the invitation and reads the current `InvitationContext` in one round-trip; the caller refuses, and so rolls back, if
 * it does not permit the invitation.
 */
export async function putInvitation(
  tx: Queries,
  { email, role, replaces }: RequestedInvitation,
  { answered, mailed }: InvitationTokens,
) {
  const [, standing, , replaced, row] = await Promise.all([
    tx.rows(HOLD),
    standingOf(tx, email, replaces),
    tx.rows(EXPIRE, [email]),
    tx.rows(REPLACE, [replaces]),
    tx.one<{ id: string; json: string; revision: string }>(INSERT, [
      newId(),
      email,
      role,
      sha256(answered),
      sha256(mailed),
    ]),
  ]);
  return { standing, replaced: replaced.length > 0, row };
}

/** Revokes the invitation and clears its token hashes. */
export const revoke = (tx: Queries, id: string) => tx.rows(REPLACE, [id]);

export interface InvitationPreview {
  workspace_name: string;
  /** Null unless the inviter's address is proved. */
  inviter_name: string | null;
  email: string;
  role: "admin" | "member" | "viewer";
  expires_at: string;
  expired: boolean;
}
const OFFER = `
select w.name as workspace_name, case when u.email_proved_at is not null then u.display_name end as inviter_name,
  i.email, i.role,
  wire_time(i.expires_at) as expires_at, ${invitationState} = 'expired' as expired
from invitations i join workspaces w on w.id = i.workspace_id and w.archived_at is null
join memberships m on m.workspace_id = i.workspace_id and m.actor_id = i.invited_by_actor_id
join users u on u.id = m.user_id
where (i.token_hash = $1 or i.mailed_hash = $1) and i.state in ('pending', 'expired')`;
/** The offer behind either token of an invitation that is pending or expired. */
export const findOffer = async (tx: Queries, token: string): Promise<InvitationPreview | undefined> =>
  secretKind(token) === "inv" ? tx.maybe<InvitationPreview>(OFFER, [sha256(token)]) : undefined;

// Covers all Workspaces. An invitation without a hash is closed.
const MARK = `
update invitations set state = 'expired', revision = revision + 1, updated_at = now()
where token_hash is not null and expires_at <= now() and state = 'pending'`;
const FORGET = `
update invitations set token_hash = null, mailed_hash = null
where token_hash is not null and expires_at <= now() - interval '30 days'`;
/** Marks expired invitations, and clears their tokens 30 days later: such a token then gets 404 instead of 410. */
export const sweepInvitations = (tx: Queries) => Promise.all([tx.rows(MARK), tx.rows(FORGET)]);
