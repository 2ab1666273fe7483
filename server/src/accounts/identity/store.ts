// SQL of accounts and sessions.

import type { Queries } from "../../platform/database/db.ts";
import type { Client } from "../../platform/wire/client-address.ts";
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
/** False when the username was taken meanwhile; a taken address is refused by its constraint. */
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

/** Of the user u: the Workspace that was entered last, while it can still be entered, else the one joined first. */
export const placeToEnter = `(
  select m.workspace_id from ${openMemberships} where m.user_id = u.id
  order by (m.workspace_id is not distinct from u.last_workspace_id) desc, m.created_at, m.workspace_id limit 1
)`;
const SIGN_IN = `
select u.id, u.password_hash, ${placeToEnter} as workspace_id,
  exists (select from credentials c where c.user_id = u.id and c.kind = 'session' and c.revoked_at is null and c.expires_at > now()
    and c.address <<= $2::inet) as known_network
from users u where u.email = $1`;
export interface SignIn {
  id: string;
  password_hash: string | null;
  workspace_id: string | null;
  /** The account is signed in there, in a browser. */
  known_network: boolean;
}
export const signInOf = (tx: Queries, email: string, network: string) =>
  tx.maybe<SignIn>(SIGN_IN, [email, network === "" ? null : network]);

// A membership that ended meanwhile lets nobody in: the session is then of no Workspace.
const INSERT_SESSION = `
insert into credentials (id, kind, secret_hash, user_id, workspace_id, remembered, user_agent, address, expires_at)
values ($1, 'session', $2, $3, (select m.workspace_id from ${openMemberships} where m.user_id = $3 and m.workspace_id = $4), $5, $6, $7,
  now() + case when $5 then interval '30 days' else interval '48 hours' end)`;
/** A session lasts 30 days, or 48 hours where it is not to be remembered; the database's clock decides. */
export async function insertSession(
  tx: Queries,
  userId: string,
  workspaceId: string | null,
  remembered: boolean,
  client?: Client,
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

/** Whether the account can sign in without this passkey or identity: a password, a passkey that works, or an identity. */
export const otherSignInMethod = (user: string, without: string) => `(
  exists (select from users where id = ${user} and password_hash is not null)
  or exists (select from passkeys where user_id = ${user} and disabled_at is null and id <> ${without})
  or exists (select from identities where user_id = ${user} and id <> ${without}))`;
const OTHER = `select ${otherSignInMethod("$1", "$2")} as other`;
/** With the account locked: of two removals at once, the second sees what the first has left. */
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
update users set password_hash = $3, revision = revision + 1, updated_at = now() where id = $1 and password_hash = $2 returning id`;
/** False where the password is not the one that was proved any more. */
export const replacePassword = async (tx: Queries, userId: string, proved: string, next: string) =>
  (await tx.maybe(REPLACE_PASSWORD, [userId, proved, next])) !== undefined;

// Sent after the account's row was changed: whoever signs in holds that row, so this sees every session that came before.
const REVOKE_GRANTS = `
update oauth_grants set revoked_at = now(), updated_at = now(), revision = revision + 1 where user_id = $1 and revoked_at is null`;
const REVOKE_CREDENTIALS = `
update credentials set revoked_at = now(), updated_at = now(), revision = revision + 1
where user_id = $1 and (kind <> 'personal' or $3) and revoked_at is null and id is distinct from $2`;
/**
 * Ends every session, save one, what clients were granted, and API tokens where they are to end. Two statements: the second sees the tokens
 * that were issued while the first waited for their grants.
 */
export const revokeAccess = (tx: Queries, userId: string, exceptId: string | null, apiTokens: boolean) =>
  Promise.all([tx.rows(REVOKE_GRANTS, [userId]), tx.rows(REVOKE_CREDENTIALS, [userId, exceptId, apiTokens])]);
