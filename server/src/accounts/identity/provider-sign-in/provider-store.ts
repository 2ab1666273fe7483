// SQL of provider identities. The account is locked before its identities.
import { Identity } from "@svc/contract/accounts/identity/identities.ts";
import type { Queries } from "../../../platform/database/db.ts";
import { view } from "../../../platform/database/view.ts";
import type { Claims } from "../../../platform/outside/openid.ts";
import { LAST_ID, newId } from "../../../platform/wire/ids.ts";
import { normalisedEmail } from "../rules.ts";
import { placeToEnter } from "../store.ts";

/** Identity at a provider. Only the subject identifies it; the address is stored for display. */
export interface ProviderIdentity {
  provider: string;
  subject: string;
  email: string | null;
}
/** The provider's statement about the address. */
type Vouched = Pick<Claims, "email" | "emailVerified">;
/** The address for display: arbitrary text of the provider, cut to the length of an address. */
const shown = (email: string | null) => email?.slice(0, 254).toWellFormed().replaceAll("\0", "") ?? null;

const OWNER = "select user_id from identities where provider = $1 and subject = $2";
export const ownerOf = async (tx: Queries, { provider, subject }: ProviderIdentity) =>
  (await tx.maybe<{ user_id: string }>(OWNER, [provider, subject]))?.user_id;

// Locks the account against a concurrent change of its sign-in methods, which revokes every session: this session is
// either created before that change and revoked with the rest, or not created.
const ENTERING = `
select u.email, u.mfa_enabled_at is not null as mfa_enabled, ${placeToEnter} as workspace_id from users u
where u.id = $1 for share of u`;
const USED = `
update identities set last_used_at = now(), email = coalesce($4, email), updated_at = now()
where user_id = $1 and provider = $2 and subject = $3 returning id`;
export interface SignInAccount {
  email: string;
  mfa_enabled: boolean;
  workspace_id: string | null;
}
/**
 * Undefined if the identity was removed concurrently. `proveAddress` comes first, because it takes a stronger lock on
 * the account.
 */
export async function entering(tx: Queries, userId: string, known: ProviderIdentity & Vouched) {
  const { provider, subject, email } = known;
  const [, account, used] = await Promise.all([
    proveAddress(tx, userId, known),
    tx.one<SignInAccount>(ENTERING, [userId]),
    tx.maybe(USED, [userId, provider, subject, shown(email)]),
  ]);
  return used ? account : undefined;
}

const BY_EMAIL = `
select id, email_proved_at is not null as proved from users where email = $1 for no key update`;
export const accountWith = (tx: Queries, email: string) => tx.maybe<{ id: string; proved: boolean }>(BY_EMAIL, [email]);

const PROVE = `
update users set email_verified_at = coalesce(email_verified_at, now()), email_proved_at = now(),
  revision = revision + 1, updated_at = now()
where id = $1 and email = $2 and email_proved_at is null`;
/** Marks the address as proved if the provider has verified exactly this address. */
export const proveAddress = (tx: Queries, userId: string, { email, emailVerified }: Vouched) =>
  tx.rows(PROVE, [userId, emailVerified && email !== null ? normalisedEmail(email) : null]);

const INSERT = `
insert into identities (id, user_id, provider, subject, email) values ($1, $2, $3, $4, $5)
on conflict do nothing returning id`;
/** Undefined if the identity belongs to an account, or the account has one of this provider. */
export const insertIdentity = (tx: Queries, userId: string, { provider, subject, email }: ProviderIdentity) =>
  tx.maybe<{ id: string }>(INSERT, [newId(), userId, provider, subject, shown(email)]);

// The session of the returning browser; if a cross-site form post returns it without cookies, the session that started
// the request.
const LINKING = `
select u.email from users u join credentials c on c.user_id = u.id
where u.id = $1 and c.kind = 'session' and c.revoked_at is null and c.expires_at > now()
  and coalesce(c.last_used_at, c.created_at) > now() - interval '7 days'
  and case when $2::bytea is null then c.id = $3 else c.secret_hash = $2 end
for no key update of u`;
/** The address of the account; undefined if the browser is no longer signed in to it. */
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

/** False if a concurrent request deleted it first. */
export const deleteIdentity = async (tx: Queries, id: string) =>
  (await tx.maybe("delete from identities where id = $1 returning id", [id])) !== undefined;
