// SQL of identities: whose they are, and how an account comes to have one. The account is locked before its identities.
import { Identity } from "@svc/contract/identity/identities.ts";
import type { Queries } from "../kernel/db.ts";
import { LAST_ID, newId } from "../kernel/ids.ts";
import { view } from "../kernel/view.ts";
import { placeToEnter } from "./store.ts";

/** Who somebody is at a provider. The subject alone counts; the address is kept to be shown. */
export interface Known {
  provider: string;
  subject: string;
  email: string | null;
}
/** As it is shown: a text of any kind, cut to what an address may have. */
const shown = (email: string | null) => email?.slice(0, 254).toWellFormed().replaceAll("\0", "") ?? null;

const OWNER = "select user_id from identities where provider = $1 and subject = $2";
export const ownerOf = async (tx: Queries, { provider, subject }: Known) =>
  (await tx.maybe<{ user_id: string }>(OWNER, [provider, subject]))?.user_id;

// Locked against a change of what lets in, which revokes every session: this one is then either before it or does not come to be.
const ENTERING = `
select u.email, u.mfa_enabled_at is not null as mfa_enabled, ${placeToEnter} as workspace_id from users u where u.id = $1 for share of u`;
const USED = `
update identities set last_used_at = now(), email = coalesce($4, email), updated_at = now()
where user_id = $1 and provider = $2 and subject = $3 returning id`;
export interface Entering {
  email: string;
  mfa_enabled: boolean;
  workspace_id: string | null;
}
/** Undefined where the identity was removed meanwhile. */
export async function entering(tx: Queries, userId: string, { provider, subject, email }: Known) {
  const [account, used] = await Promise.all([
    tx.one<Entering>(ENTERING, [userId]),
    tx.maybe(USED, [userId, provider, subject, shown(email)]),
  ]);
  return used ? account : undefined;
}

const BY_EMAIL = `
select id, email_verified_at is not null as verified from users where email = $1 for no key update`;
export const accountWith = (tx: Queries, email: string) =>
  tx.maybe<{ id: string; verified: boolean }>(BY_EMAIL, [email]);

export const verifyAddress = (tx: Queries, userId: string) =>
  tx.rows("update users set email_verified_at = now() where id = $1", [userId]);

/** Everything by which somebody could get in, or be reached, who never proved that the address is theirs. */
const RECLAIM = [
  `update users set password_hash = null, mfa_enabled_at = null, email_verified_at = now(), revision = revision + 1, updated_at = now()
   where id = $1`,
  "update credentials set revoked_at = now(), updated_at = now() where user_id = $1 and revoked_at is null",
  "update oauth_grants set revoked_at = now(), updated_at = now() where user_id = $1 and revoked_at is null",
  "delete from identities where user_id = $1",
  "delete from passkeys where user_id = $1",
  "delete from second_factors where user_id = $1",
  "delete from recovery_codes where user_id = $1",
  "delete from email_links where user_id = $1",
  "delete from push_endpoints where user_id = $1",
];
export const reclaim = (tx: Queries, userId: string) =>
  Promise.all(RECLAIM.map((statement) => tx.rows(statement, [userId])));

const INSERT = `
insert into identities (id, user_id, provider, subject, email) values ($1, $2, $3, $4, $5) on conflict do nothing returning id`;
/** Undefined where the identity belongs to somebody, or the account has one of this provider. */
export const insertIdentity = (tx: Queries, userId: string, { provider, subject, email }: Known) =>
  tx.maybe<{ id: string }>(INSERT, [newId(), userId, provider, subject, shown(email)]);

// The session with which the browser comes back, or, where another site's form brings it and no session can come along, the one it left with.
const LINKING = `
select u.email from users u join credentials c on c.user_id = u.id
where u.id = $1 and c.kind = 'session' and c.revoked_at is null and c.expires_at > now()
  and coalesce(c.last_used_at, c.created_at) > now() - interval '7 days'
  and case when $2::bytea is null then c.id = $3 else c.secret_hash = $2 end
for share of u`;
/** The address of the account; undefined where the browser is not signed in to it any more. */
export const linkingAccount = (tx: Queries, userId: string, session: Buffer | null, begunBy: string | null) =>
  tx.maybe<{ email: string }>(LINKING, [userId, session, begunBy]);

const HAS = "select from identities where user_id = $1 and provider = $2";
export const hasIdentity = async (tx: Queries, userId: string, provider: string) =>
  (await tx.maybe(HAS, [userId, provider])) !== undefined;

const LIST = `
select ${view(Identity, "i")} as json, json_build_array(i.id)::text as key from identities i
where i.user_id = current_account() and i.id < $1 order by i.id desc limit $2`;
export const identitiesAfter = (tx: Queries, id: unknown, limit: number) =>
  tx.rows<{ json: string; key: string }>(LIST, [id ?? LAST_ID, limit]);

/** False where a twin was faster. */
export const deleteIdentity = async (tx: Queries, id: string) =>
  (await tx.maybe("delete from identities where id = $1 returning id", [id])) !== undefined;
