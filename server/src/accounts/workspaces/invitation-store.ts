// SQL of the invitations that a Workspace sends. The table has no row-level security, because a token leads to its Workspace, so each
// statement names the Workspace itself. An address has one pending invitation at most, which a unique index holds.

import type { Queries } from "../../platform/database/db.ts";
import type { Role } from "../../platform/kernel/authenticate.ts";
import { newId, secretKind, sha256 } from "../../platform/wire/ids.ts";
import { HOLD } from "./access.ts";
import { invitationState, invitationView } from "./view.ts";

export interface Standing {
  /** Null where the caller is no active member any more. */
  caller_role: Role | null;
  workspace_name: string;
  /** The caller's address, if it is proved to be theirs. */
  inviter: string | null;
  /** Whether the address belongs to somebody whose membership has not ended. */
  member: boolean;
  /** Whether the plan has no seat left for one more, beside the members and whom others have invited. */
  full: boolean;
  /** Whether a live invitation waits there, other than $2. */
  pending: boolean;
}
const STANDING = `
select c.role as caller_role, w.name as workspace_name, case when u.email_proved_at is not null then u.email end as inviter,
  exists (select from memberships m where m.workspace_id = w.id and m.user_id = (select p.id from users p where p.email = $1)
    and m.state in ('active', 'suspended')) as member,
  exists (select from invitations i where i.workspace_id = w.id and i.email = $1 and i.state = 'pending' and i.expires_at > now()
    and i.id is distinct from $2::uuid) as pending,
  case when plan_limit(w.id, 'members') is null then false else plan_use(w.id, 'members') + (
    select count(*) from invitations i where i.workspace_id = w.id and i.state = 'pending' and i.expires_at > now() and i.id is distinct from $2::uuid
  ) >= plan_limit(w.id, 'members') end as full
from workspaces w join users u on u.id = current_account()
left join memberships c on c.workspace_id = w.id and c.user_id = u.id and c.state = 'active'
where w.id = current_workspace()`;
/** How the address stands to the caller's Workspace, leaving aside the invitation that is to be replaced. */
export const standingOf = (tx: Queries, email: string, replaces: string | null) =>
  tx.one<Standing>(STANDING, [email, replaces]);

// What has expired does not block: it is marked in the same transaction, before the new one takes its place.
const EXPIRE = `
update invitations set state = 'expired', revision = revision + 1, updated_at = now()
where workspace_id = current_workspace() and email = $1 and state = 'pending' and expires_at <= now()`;
const REPLACE = `
update invitations set state = 'revoked', token_hash = null, mailed_hash = null, revision = revision + 1, updated_at = now()
where workspace_id = current_workspace() and id = $1 and state in ('pending', 'expired') returning id`;
const INSERT = `
with i as (
  insert into invitations (workspace_id, id, email, role, token_hash, mailed_hash, invited_by_actor_id, expires_at)
  values (current_workspace(), $1, $2, $3, $4, $5, current_actor(), now() + interval '7 days') returning *
)
select i.id, ${invitationView} as json, i.revision::text from i`;

export interface Wanted {
  email: string;
  role: string;
  /** The invitation whose place it takes. */
  replaces: string | null;
}
/** Both accept. The mailed one is told to the mailbox alone, and so proves the address. */
export interface Tokens {
  answered: string;
  mailed: string;
}
/** In one round-trip, with how everything stands now: the caller refuses, and so rolls back, where that does not permit it. */
export async function putInvitation(tx: Queries, { email, role, replaces }: Wanted, { answered, mailed }: Tokens) {
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

/** Its tokens lead nowhere any more. */
export const revoke = (tx: Queries, id: string) => tx.rows(REPLACE, [id]);

export interface Offer {
  workspace_name: string;
  /** If their address is proved to be theirs. */
  inviter_name: string | null;
  email: string;
  role: "admin" | "member" | "viewer";
  expires_at: string;
  expired: boolean;
}
const OFFER = `
select w.name as workspace_name, case when u.email_proved_at is not null then u.display_name end as inviter_name, i.email, i.role,
  wire_time(i.expires_at) as expires_at, ${invitationState} = 'expired' as expired
from invitations i join workspaces w on w.id = i.workspace_id and w.archived_at is null
join memberships m on m.workspace_id = i.workspace_id and m.actor_id = i.invited_by_actor_id join users u on u.id = m.user_id
where (i.token_hash = $1 or i.mailed_hash = $1) and i.state in ('pending', 'expired')`;
/** What either token of an invitation offers that nobody has accepted or revoked. */
export const findOffer = async (tx: Queries, token: string): Promise<Offer | undefined> =>
  secretKind(token) === "inv" ? tx.maybe<Offer>(OFFER, [sha256(token)]) : undefined;

// Of all Workspaces. What has no hash any more is over.
const MARK = `
update invitations set state = 'expired', revision = revision + 1, updated_at = now()
where token_hash is not null and expires_at <= now() and state = 'pending'`;
const FORGET = `
update invitations set token_hash = null, mailed_hash = null where token_hash is not null and expires_at <= now() - interval '30 days'`;
/** Says of what has expired that it has, and 30 days later forgets the tokens: whoever brings one then is told 404 and no more 410. */
export const sweepInvitations = (tx: Queries) => Promise.all([tx.rows(MARK), tx.rows(FORGET)]);
