// SQL of what an account has granted to OAuth clients. Whoever issues or revokes under a grant holds its row first.
import type { Queries } from "../kernel/db.ts";

const REVOKE_GRANT = `
update oauth_grants set revoked_at = now(), updated_at = now(), revision = revision + 1
where id = $1 and revoked_at is null returning user_id`;
const REVOKE_TOKENS = `
update credentials set revoked_at = now(), updated_at = now(), revision = revision + 1
where grant_id = $1 and revoked_at is null`;
/**
 * The whole family: access tokens are dead at once, refresh tokens and codes with their grant. Two statements: the second sees what
 * was issued while the first waited for the grant's row. The person, or undefined where it was revoked before.
 */
export async function revokeGrant(tx: Queries, grantId: string): Promise<string | undefined> {
  const [grant] = await Promise.all([
    tx.maybe<{ user_id: string }>(REVOKE_GRANT, [grantId]),
    tx.rows(REVOKE_TOKENS, [grantId]),
  ]);
  return grant?.user_id;
}
