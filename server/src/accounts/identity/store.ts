// SQL of accounts and sessions.

import type { Queries } from "../../platform/database/db.ts";
import type { ClientProgram } from "../../platform/wire/client-address.ts";
import { newId, newSecret, sha256 } from "../../platform/wire/ids.ts";
import { openMemberships } from "../account/access.ts";
import { holdWorkspace, lockAccount } from "../account/store.ts";

export { lockAccount, rotateSession } from "../account/store.ts";

export interface NewAccount {
  id: string;
  email: string;
  displayName: string;
  username: string;
  passwordHash: string | null;
}
const INSERT_ACCOUNT = `
insert into users (id, email, display_name, username, password_hash) values ($1, $2, $3, $4, $5)
on conflict (username) do nothing returning id`;
/** False if the username was taken concurrently; a taken address violates its constraint. */
export async function insertAccount(tx: Queries, account: NewAccount): Promise<boolean> {
  const { id, email, displayName, username, passwordHash } = account;
  return (await tx.maybe(INSERT_ACCOUNT, [id, email, displayName, username, passwordHash])) !== undefined;
}

const AVAILABLE = `
select exists (select from users where email = $1) as email_taken,
  array(select c.name from unnest($2::text[]) with ordinality c(name, n)
    where not exists (select from users u where u.username = c.name) order by c.n) as usernames`;
export const availability = (tx: Queries, email: string, usernames: string[]) =>
  tx.one<{ email_taken: boolean; usernames: string[] }>(AVAILABLE, [email, usernames]);

/**
 * SQL for the Workspace that user u enters at sign-in: the last one entered if it is still open to the user, else the
 * one joined first.
 */
export const placeToEnter = `(
  select m.workspace_id from ${openMemberships} where m.user_id = u.id
  order by (m.workspace_id is not distinct from u.last_workspace_id) desc, m.created_at, m.workspace_id limit 1
)`;
const SIGN_IN = `
select u.id, u.password_hash, ${placeToEnter} as workspace_id,
  exists (select from credentials c
    where c.user_id = u.id and c.kind = 'session' and c.revoked_at is null and c.expires_at > now()
    and c.address <<= $2::inet) as known_network
from users u where u.email = $1`;
export interface SignIn {
  id: string;
  password_hash: string | null;
  workspace_id: string | null;
  /** The account has a live browser session in this network. */
  known_network: boolean;
}
export const signInOf = (tx: Queries, email: string, network: string) =>
  tx.maybe<SignIn>(SIGN_IN, [email, network === "" ? null : network]);

// If the membership ended concurrently, the session has no Workspace.
const INSERT_SESSION = `
insert into credentials (id, kind, secret_hash, user_id, workspace_id, remembered, user_agent, address, expires_at)
values ($1, 'session', $2, $3, (select m.workspace_id from ${openMemberships}
  where m.user_id = $3 and m.workspace_id = $4), $5, $6, $7,
  now() + case when $5 then interval '30 days' else interval '48 hours' end)`;
/** A session lasts 30 days, or 48 hours if it is not remembered, by the database's clock. */
export async function insertSession(
  tx: Queries,
  userId: string,
  workspaceId: string | null,
  remembered: boolean,
  client?: ClientProgram,
) {
  const secret = newSecret("ses");
  const told = [client?.userAgent ?? null, client?.address ?? null];
  await Promise.all([
    holdWorkspace(tx, workspaceId),
    tx.rows(INSERT_SESSION, [newId(), sha256(secret), userId, workspaceId, remembered, ...told]),
  ]);
  return secret;
}

export const revokeSession = (tx: Queries, id: string) =>
  tx.rows("update credentials set revoked_at = now(), updated_at = now() where id = $1", [id]);

/**
 * SQL for whether the account can sign in without this passkey or identity: with a password, another enabled passkey,
 * or another identity.
 */
export const otherSignInMethod = (user: string, without: string) => `(
  exists (select from users where id = ${user} and password_hash is not null)
  or exists (select from passkeys where user_id = ${user} and disabled_at is null and id <> ${without})
  or exists (select from identities where user_id = ${user} and id <> ${without}))`;
const OTHER = `select ${otherSignInMethod("$1", "$2")} as other`;
/** Locks the account: of two concurrent removals, the second sees the result of the first. */
export async function hasOtherSignInMethod(tx: Queries, userId: string, without: string): Promise<boolean> {
  const [, { other }] = await Promise.all([
    lockAccount(tx, userId),
    tx.one<{ other: boolean }>(OTHER, [userId, without]),
  ]);
  return other;
}

export const passwordOf = (tx: Queries, userId: string) =>
  tx.one<{ email: string; password_hash: string | null }>("select email, password_hash from users where id = $1", [
    userId,
  ]);

const REPLACE_PASSWORD = `
update users set password_hash = $3, revision = revision + 1, updated_at = now() where id = $1 and password_hash = $2
returning id`;
/** False if the password is no longer the one that was verified. */
export const replacePassword = async (tx: Queries, userId: string, proved: string, next: string) =>
  (await tx.maybe(REPLACE_PASSWORD, [userId, proved, next])) !== undefined;

// Runs after the UPDATE of the account row: signing in locks that row, so this sees every session created earlier.
const REVOKE_GRANTS = `
update oauth_grants set revoked_at = now(), updated_at = now(), revision = revision + 1
where user_id = $1 and revoked_at is null`;
const REVOKE_CREDENTIALS = `
update credentials set revoked_at = now(), updated_at = now(), revision = revision + 1
where user_id = $1 and (kind <> 'personal' or $3) and revoked_at is null and id is distinct from $2`;
/**
 * Revokes all sessions except one, all OAuth grants and their tokens, and API tokens if `apiTokens`. Two statements:
 * the second sees tokens that were issued while the first waited for their grants.
 */
export const revokeAccess = (tx: Queries, userId: string, exceptId: string | null, apiTokens: boolean) =>
  Promise.all([tx.rows(REVOKE_GRANTS, [userId]), tx.rows(REVOKE_CREDENTIALS, [userId, exceptId, apiTokens])]);
