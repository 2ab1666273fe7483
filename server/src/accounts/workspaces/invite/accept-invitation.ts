// Turns an invitation into a membership, for signed-in and for registering users. One conditional UPDATE consumes it
// together with all its effects; a caller whose invitation is used or for another address refuses and rolls back.
// Either token verifies the address; only the mailed one, which no API response contains, proves it.
import type { Queries } from "../../../platform/database/db.ts";
import type { EffectsTransaction } from "../../../platform/kernel/implement-operation.ts";
import { newId, secretKind, sha256 } from "../../../platform/wire/ids.ts";
import { HOLD } from "../access.ts";
import { invitationAccepted, memberJoined } from "../events.ts";

export interface Invited {
  id: string;
  workspace_id: string;
  email: string;
  role: string;
  expired: boolean;
  /** Account that accepted the invitation. */
  accepted_by_user_id: string | null;
  /** Actor of a former member. */
  actor_id: string | null;
  membership_id: string | null;
  hash: Buffer;
}
// Either token finds the invitation. Revoking, replacing and sweeping clear the hashes.
const FIND = `
select i.id, i.workspace_id, i.email, i.role, i.state <> 'pending'
  or i.expires_at <= now() as expired, i.accepted_by_user_id,
  m.actor_id, m.id as membership_id
from invitations i join workspaces w on w.id = i.workspace_id and w.archived_at is null
left join memberships m on m.workspace_id = i.workspace_id and m.user_id = $2
where i.token_hash = $1 or i.mailed_hash = $1`;
/** The pending, expired or accepted invitation of a token, and this account's former membership in its Workspace. */
export async function findInvitation(tx: Queries, token: string, userId: string | null): Promise<Invited | undefined> {
  if (secretKind(token) !== "inv") return undefined;
  const hash = sha256(token);
  const row = await tx.maybe<Omit<Invited, "hash">>(FIND, [hash, userId]);
  return row && { ...row, hash };
}

// $1 invitation, $2 account, $3 and $4 Actor and membership of a new member, $5 token hash. A former member returns
// with the invited role, an active member does not change, and the caller refuses any other state. Repeating an
// accepted invitation reports `again` and changes nothing except that the mailed token may prove the address.
const JOIN = `
with found as (
  select i.*, i.mailed_hash = $5 as mailed from invitations i
  join workspaces w on w.id = i.workspace_id and w.archived_at is null
  where i.workspace_id = current_workspace() and i.id = $1 and $5 in (i.token_hash, i.mailed_hash)
), person as (
  select u.id, u.email, u.email_verified_at, u.email_proved_at from users u where u.id = $2
), used as (
  update invitations i set state = 'accepted', accepted_by_user_id = person.id, revision = i.revision + 1,
    updated_at = now()
  from found, person
  where i.workspace_id = found.workspace_id and i.id = found.id and i.state = 'pending' and i.expires_at > now()
    and i.email = person.email
  returning i.workspace_id, i.role
), again as (
  select from found where state = 'accepted' and accepted_by_user_id = $2
), former as (
  select m.state from memberships m where m.workspace_id = current_workspace() and m.user_id = $2
), a as (
  insert into actors (workspace_id, id, kind, user_id)
  select used.workspace_id, $3, 'human', $2 from used where not exists (select from former) returning workspace_id
), joined as (
  insert into memberships (workspace_id, id, user_id, actor_id, role, state)
  select a.workspace_id, $4, $2, $3, used.role, 'active' from a join used using (workspace_id)
), back as (
  update memberships m set state = 'active', role = used.role, revision = m.revision + 1, updated_at = now()
  from used where m.workspace_id = used.workspace_id and m.user_id = $2 and m.state in ('removed', 'left')
), shown as (
  update users u set email_verified_at = coalesce(u.email_verified_at, now()),
    email_proved_at = case when found.mailed then coalesce(u.email_proved_at, now()) else u.email_proved_at end,
    revision = u.revision + 1, updated_at = now()
  from found, person
  where u.id = person.id and found.email = person.email and (exists (select from used) or exists (select from again))
    and (person.email_verified_at is null or (found.mailed and person.email_proved_at is null))
  returning u.email_proved_at is not null as proved
)
select exists (select from used) as used, exists (select from again) as again, (select state from former) as former,
  (select proved from shown) as proved`;

export interface Joined {
  /** False if a concurrent request used it first, or the address differs. */
  used: boolean;
  /** This account has accepted it before. */
  again: boolean;
  /** State of the former membership. */
  former: string | null;
  /** Whether the address is proved, if this verified or proved it; else null. */
  proved: boolean | null;
}

/** `work` runs on the Workspace's tenant and sends `joining` in one batch with its own statements. */
export function join<T>(
  { tx, within, record }: Pick<EffectsTransaction, "tx" | "within" | "record">,
  { id, workspace_id: workspaceId, role, hash, ...former }: Invited,
  userId: string,
  work: (joining: () => Promise<Joined>) => Promise<T>,
): Promise<T> {
  const [actorId, membershipId] = [former.actor_id ?? newId(), former.membership_id ?? newId()];
  const joining = async () => {
    const values = [id, userId, actorId, membershipId, hash];
    const [, joined] = await Promise.all([tx.rows(HOLD), tx.one<Joined>(JOIN, values)]);
    if (joined.used) record(invitationAccepted({ kind: "invitation", id }, { role }));
    if (joined.used && joined.former !== "active")
      record(memberJoined({ kind: "member", id: membershipId }, { user_id: userId, role, invitation_id: id }));
    return joined;
  };
  return within({ workspaceId, actorId }, () => work(joining));
}
