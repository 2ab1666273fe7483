// SQL of an account's session Workspace and OAuth grants. Issuing or revoking under a grant locks the grant row first.
import type { Queries } from "../../platform/database/db.ts";
import { picturesOf } from "../../platform/outside/picture.ts";
import { newSecret, sha256 } from "../../platform/wire/ids.ts";
import { Refusal } from "../../platform/wire/problem.ts";
import { openMemberships } from "./access.ts";
import { grantView } from "./view.ts";

export const profilePictures = picturesOf({
  table: "users",
  column: "picture_key",
  id: "user_id",
  folder: "pictures",
  job: "discard_picture",
});

const LOCK = "select from users where id = $1 for no key update";
const ENDED = "select from credentials where id = current_credential() and revoked_at is not null";
/**
 * Locks the account before a per-account limit is counted and before a credential is issued that outlives a session, so
 * that the following statements see everything committed earlier. Revoking an account's sessions takes the same lock: a
 * session that was revoked while this waited issues nothing.
 */
export async function lockAccount(tx: Queries, userId: string): Promise<void> {
  const [, ended] = await Promise.all([tx.rows(LOCK, [userId]), tx.rows(ENDED)]);
  if (ended.length > 0) throw new Refusal("authentication_required");
}

const HOLD = "select from workspaces where id = $1 for share";
/**
 * Locks the Workspace in the statement before a credential is bound to it. Ending a membership and archiving the
 * Workspace take the same lock: either the next statement sees the end, or the end sees the credential and revokes it.
 */
export const holdWorkspace = (tx: Queries, workspaceId: string | null) => tx.rows(HOLD, [workspaceId]);

// Compares the secret again on the locked row: of two requests with the same secret one rotates it, and the other finds
// it rotated.
const ROTATE = `
with place as (
  select m.workspace_id from ${openMemberships} where m.user_id = $3 and m.workspace_id = $4
), session as (
  select id from credentials where id = $1 and secret_hash = $2 and revoked_at is null for no key update
), rotated as (
  update credentials c set secret_hash = $5, workspace_id = place.workspace_id, last_used_at = now(), updated_at = now()
  from session, place where c.id = session.id returning c.remembered, c.expires_at
), entered as (
  update users u set last_workspace_id = $4 from rotated where u.id = $3
)
select exists (select from session) as live, exists (select from rotated) as entered,
  (select floor(extract(epoch from expires_at - now()))::int from rotated where remembered) as max_age`;
interface Rotation {
  /** False if a concurrent request rotated or revoked the presented secret. */
  live: boolean;
  /** False if the account cannot enter the Workspace. */
  entered: boolean;
  max_age: number | null;
  secret: string;
}
/** Moves a session into a Workspace under a new secret. The expiry and the remembered flag do not change. */
export async function rotateSession(
  tx: Queries,
  { credentialId, userId, secret }: { credentialId: string; userId: string; secret: string },
  workspaceId: string,
): Promise<Rotation> {
  const next = newSecret("ses");
  const values = [credentialId, sha256(secret), userId, workspaceId, sha256(next)];
  const [, row] = await Promise.all([holdWorkspace(tx, workspaceId), tx.one<Omit<Rotation, "secret">>(ROTATE, values)]);
  return { ...row, secret: next };
}

// Issuing tokens counts as use of a grant. Tokens can be refreshed for 30 days, or expire after an hour without a
// refresh token. A grant without tokens is not listed.
const GRANTS = `
select ${grantView} as json, json_build_array(g.id)::text as key
from oauth_grants g join workspaces w on w.id = g.workspace_id
where g.user_id = current_account() and g.family = $3 and g.revoked_at is null and g.id < $1
  and g.last_used_at > now() - case when g.refreshes then interval '30 days' else interval '1 hour' end
order by g.id desc limit $2`;
/** The caller's usable grants to clients of this family. */
export const usableGrants = (tx: Queries, family: "developer" | "mcp", before: string, rows: number) =>
  tx.rows<{ json: string; key: string }>(GRANTS, [before, rows, family]);

const REVOKE_GRANT = `
update oauth_grants set revoked_at = now(), updated_at = now(), revision = revision + 1
where id = $1 and revoked_at is null returning user_id`;
const REVOKE_TOKENS = `
update credentials set revoked_at = now(), updated_at = now(), revision = revision + 1
where grant_id = $1 and revoked_at is null`;
/**
 * Revokes the grant and all its tokens: access tokens fail immediately, refresh tokens and codes with their grant. Two
 * statements: the second sees tokens that were issued while the first waited for the grant row. Returns the account id,
 * or undefined if the grant was revoked before.
 */
export async function revokeGrant(tx: Queries, grantId: string): Promise<string | undefined> {
  const [grant] = await Promise.all([
    tx.maybe<{ user_id: string }>(REVOKE_GRANT, [grantId]),
    tx.rows(REVOKE_TOKENS, [grantId]),
  ]);
  return grant?.user_id;
}
