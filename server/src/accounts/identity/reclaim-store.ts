// Revokes every credential, sign-in method and push endpoint of an account whose address was never proved, for the
// owner who has just proved it. Data in its Workspaces stays, and so do their members.
import type { Queries } from "../../platform/database/db.ts";

const OWN = `
update users set password_hash = $2, mfa_enabled_at = null, email_verified_at = coalesce(email_verified_at, now()),
  email_proved_at = now(),
  revision = revision + 1, updated_at = now()
where id = $1`;
// Grants before credentials: the second statement sees credentials that were issued while the first waited for a grant
// row.
const WAYS_IN = [
  `update oauth_grants set revoked_at = now(), updated_at = now(), revision = revision + 1
    where user_id = $1 and revoked_at is null`,
  `update credentials set revoked_at = now(), updated_at = now(), revision = revision + 1
    where user_id = $1 and revoked_at is null`,
  `update credentials set revoked_at = now(), updated_at = now(), revision = revision + 1
    where made_by_user_id = $1 and revoked_at is null`,
  `update invitations i set state = 'revoked', token_hash = null, mailed_hash = null, revision = i.revision + 1,
   updated_at = now()
   from memberships m where m.user_id = $1 and i.workspace_id = m.workspace_id and i.invited_by_actor_id = m.actor_id
     and i.state = 'pending'`,
  "delete from identities where user_id = $1",
  "delete from integration_identities where user_id = $1",
  "select end_webhooks_of($1)",
  "delete from passkeys where user_id = $1",
  "delete from second_factors where user_id = $1",
  "delete from recovery_codes where user_id = $1",
  "delete from email_links where user_id = $1",
  "delete from push_endpoints where user_id = $1",
];
/** The caller must hold the account lock. Sets this password, or removes the password. */
export const reclaim = (tx: Queries, userId: string, passwordHash: string | null) =>
  Promise.all([tx.rows(OWN, [userId, passwordHash]), ...WAYS_IN.map((statement) => tx.rows(statement, [userId]))]);
