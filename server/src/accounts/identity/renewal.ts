// Renews a session under a new secret, after reauthentication and after a password change. A stolen former secret then
// neither benefits from the reauthentication nor outlives the password.
import type { Queries } from "../../platform/database/db.ts";
import type { EffectsTransaction } from "../../platform/kernel/implement-operation.ts";
import { newSecret, sha256 } from "../../platform/wire/ids.ts";
import { reauthenticated } from "./events.ts";

/** Credentials that an account can authenticate with. */
export interface AccountCredentials {
  email: string;
  password_hash: string | null;
  mfa_enabled: boolean;
}
const STANDING = "select email, password_hash, mfa_enabled_at is not null as mfa_enabled from users where id = $1";
/**
 * `for share` serializes with a change of the sign-in methods: that change is either seen here, or revokes the session
 * renewed here.
 */
export const standingOf = (tx: Queries, userId: string, lock: "" | "for share" = "") =>
  tx.one<AccountCredentials>(`${STANDING} ${lock}`, [userId]);

export interface Renewable {
  userId: string;
  sessionId: string;
  /** Hash of the presented secret; null if a cross-site form post returned the browser without its cookie. */
  secretHash: Buffer | null;
}
const RENEW = `
update credentials c set secret_hash = $4, authenticated_at = case when $5 then now() else c.authenticated_at end,
  last_used_at = now(), updated_at = now()
where c.id = $1 and c.user_id = $2 and c.kind = 'session' and ($3::bytea is null or c.secret_hash = $3)
  and c.revoked_at is null and c.expires_at > now()
  and coalesce(c.last_used_at, c.created_at) > now() - interval '7 days'
returning case when c.remembered then floor(extract(epoch from c.expires_at - now()))::int end as max_age,
  wire_time(c.authenticated_at + interval '15 minutes') as recent_until`;

/**
 * Undefined if the session has ended, or was renewed or moved concurrently. Without a method, the time of the last
 * authentication does not change.
 */
export async function renew(
  { tx, cookies, record }: EffectsTransaction,
  { userId, sessionId, secretHash }: Renewable,
  method: string | null,
): Promise<{ recent_until: string } | undefined> {
  const secret = newSecret("ses");
  const values = [sessionId, userId, secretHash, sha256(secret), method !== null];
  const renewed = await tx.maybe<{ max_age: number | null; recent_until: string }>(RENEW, values);
  if (!renewed) return undefined;
  cookies.set(secret, renewed.max_age);
  if (method !== null) record(reauthenticated({ kind: "account", id: userId }, { session_id: sessionId, method }));
  return { recent_until: renewed.recent_until };
}
