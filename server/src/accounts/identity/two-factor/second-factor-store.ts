// SQL of second factors, recovery codes and sign-in challenges. One conditional UPDATE consumes whatever may be used
// only once. Lock order everywhere: the account, its challenge, its factor, its recovery codes.
import type { Queries } from "../../../platform/database/db.ts";
import { newId, newSecret, sha256 } from "../../../platform/wire/ids.ts";
import { lockAccount, placeToEnter } from "../store.ts";
import type { TypedCode } from "./one-time-code.ts";

export type SessionFamily = "browser" | "native";

/** Stored state that a typed code is verified against. */
export interface Factor {
  user_id: string;
  email: string;
  password_hash: string | null;
  secret_sealed: string;
  last_step: number | null;
  /** Unix time in seconds by the database's clock. */
  now: number;
  /** Seconds until a locked factor opens again; null if it is open. */
  closed: number | null;
  /** The typed code is an unused recovery code. */
  recovery: boolean;
}
const FACTOR = `u.id as user_id, u.email, u.password_hash, f.secret_sealed, f.last_step,
  extract(epoch from now())::float8 as now,
  case when f.closed_until > now() then ceil(extract(epoch from f.closed_until - now()))::int end as closed`;
const recovery = (hash: string) =>
  `exists (select from recovery_codes r
    where r.user_id = u.id and r.code_hash = ${hash} and r.used_at is null) as recovery`;

const CONFIRMED = `
select ${FACTOR}, ${recovery("$2")}
from users u join second_factors f on f.user_id = u.id and f.confirmed_at is not null where u.id = $1`;
/** The account's confirmed factor, and whether `code` is one of its unused recovery codes. */
export const factorOf = (tx: Queries, userId: string, code?: TypedCode) =>
  tx.maybe<Factor>(CONFIRMED, [userId, code?.hash ?? null]);

// ---- challenges
// ----------------------------------------------------------------------------------------------------------------

const MARK = "sha256(convert_to(coalesce(u.password_hash, ''), 'UTF8'))";
// Each insert deletes two challenges that expired a day ago, so that they do not accumulate.
const CHALLENGE = `
with swept as (
  delete from sign_in_challenges where id in (
    select id from sign_in_challenges where expires_at < now() - interval '1 day' order by expires_at limit 2
    for update skip locked)
)
insert into sign_in_challenges (id, user_id, token_hash, family, password_mark, remembered, context, expires_at)
select $1, u.id, $3, $4, ${MARK}, $5, $6, now() + interval '5 minutes' from users u where u.id = $2
returning wire_time(expires_at) as expires_at`;
export interface Challenge {
  mfa_required: true;
  mfa_token: string;
  expires_at: string;
}
/** The challenge expires after five minutes by the database's clock. `context` is passed to the family's `enter`. */
export async function insertChallenge(
  tx: Queries,
  userId: string,
  family: SessionFamily,
  remembered: boolean,
  context: Record<string, unknown>,
): Promise<Challenge> {
  const token = newSecret("mfa");
  const values = [newId(), userId, sha256(token), family, remembered, context];
  const { expires_at } = await tx.one<{ expires_at: string }>(CHALLENGE, values);
  return { mfa_required: true, mfa_token: token, expires_at };
}

const OPEN = "c.used_at is null and c.expires_at > now() and c.wrong_codes < 5";
const FIND = `
select ${FACTOR}, ${recovery("$3")}, ${placeToEnter} as workspace_id
from sign_in_challenges c join users u on u.id = c.user_id and c.password_mark = ${MARK}
join second_factors f on f.user_id = u.id and f.confirmed_at is not null
where c.token_hash = $1 and c.family = $2 and ${OPEN}`;
/** The factor that an open challenge asks for. */
export const challengedFactor = (tx: Queries, tokenHash: Buffer, family: SessionFamily, code: TypedCode) =>
  tx.maybe<Factor & { workspace_id: string | null }>(FIND, [tokenHash, family, code.hash]);

const USE = `
update sign_in_challenges c set used_at = now() from users u
where c.token_hash = $1 and u.id = c.user_id and c.password_mark = ${MARK} and ${OPEN}
returning c.remembered, c.context`;
/** Undefined if the challenge is no longer open. */
export const useChallenge = (tx: Queries, tokenHash: Buffer) =>
  tx.maybe<{ remembered: boolean; context: Record<string, unknown> }>(USE, [tokenHash]);

const FAIL = `update sign_in_challenges c set wrong_codes = wrong_codes + 1 where c.token_hash = $1 and ${OPEN}
  returning c.id`;
/** Undefined if the challenge is no longer open; the wrong code then does not count against it. */
export const failChallenge = (tx: Queries, tokenHash: Buffer) => tx.maybe<{ id: string }>(FAIL, [tokenHash]);

// ---- codes
// ---------------------------------------------------------------------------------------------------------------------

/**
 * Proof of the second factor: the time step of an authenticator code (`known` browsers may use one while the factor is
 * locked), or a recovery code.
 */
export type SecondFactorProof = { step: number; known: boolean } | { recovery: Buffer };

// Also compares the sealed secret: the factor may have been replaced since the code was checked.
const USE_STEP = `
update second_factors set last_step = $3, wrong_codes = 0, closed_until = null
where user_id = $1 and secret_sealed = $2 and confirmed_at is not null and coalesce(last_step, 0) < $3
  and ($4 or closed_until is null or closed_until <= now())
returning null::int as codes_left`;
const USE_RECOVERY = `
with used as (
  update recovery_codes set used_at = now() where user_id = $1 and code_hash = $3 and used_at is null returning user_id
), opened as (
  update second_factors f set wrong_codes = 0, closed_until = null from used
  where f.user_id = used.user_id and f.secret_sealed = $2
  returning f.user_id
)
select (select count(*)::int from recovery_codes r
  where r.user_id = $1 and r.code_hash <> $3 and r.used_at is null) as codes_left
from opened`;
/** Undefined if a concurrent request used the code first. */
export const useProof = (tx: Queries, { user_id, secret_sealed }: Factor, proof: SecondFactorProof) =>
  "step" in proof
    ? tx.maybe<{ codes_left: number | null }>(USE_STEP, [user_id, secret_sealed, proof.step, proof.known])
    : tx.maybe<{ codes_left: number | null }>(USE_RECOVERY, [user_id, secret_sealed, proof.recovery]);

/** After every 20 wrong codes the factor is locked for an hour, then two, four ... a day at most. */
export const WRONG_CODES = 20;
const COUNT = `
update second_factors set wrong_codes = wrong_codes + 1,
  closed_until = case when (wrong_codes + 1) % ${WRONG_CODES} = 0
    then now() + least(interval '1 hour' * 2 ^ least((wrong_codes + 1) / ${WRONG_CODES} - 1, 5), interval '1 day')
    else closed_until end
where user_id = $1 and confirmed_at is not null returning wrong_codes`;
/** Counts a wrong code; returns their number since the last accepted one. */
export const countWrong = async (tx: Queries, userId: string) =>
  (await tx.maybe<{ wrong_codes: number }>(COUNT, [userId]))?.wrong_codes ?? 0;

// ---- setting up, replacing, removing
// -----------------------------------------------------------------------------------------------

const SET_UP = `
with set_up as (
  insert into second_factors as f (user_id, secret_sealed) values ($1, $2)
  on conflict (user_id) do update set secret_sealed = $2, created_at = now() where f.confirmed_at is null
  returning f.user_id
)
select u.email from set_up join users u on u.id = set_up.user_id`;
/** Replaces an unconfirmed factor; undefined if a confirmed one exists. */
export const setUpFactor = (tx: Queries, userId: string, sealed: string) =>
  tx.maybe<{ email: string }>(SET_UP, [userId, sealed]);

interface Pending {
  email: string;
  secret_sealed: string;
  confirmed: boolean;
  now: number;
}
const PENDING = `
select u.email, f.secret_sealed, f.confirmed_at is not null as confirmed, extract(epoch from now())::float8 as now
from second_factors f join users u on u.id = f.user_id where f.user_id = $1 for no key update of f`;
export async function lockFactor(tx: Queries, userId: string): Promise<Pending | undefined> {
  const [, pending] = await Promise.all([lockAccount(tx, userId), tx.maybe<Pending>(PENDING, [userId])]);
  return pending;
}

const ENABLE = `
with confirmed as (update second_factors set confirmed_at = now(), last_step = $2 where user_id = $1)
update users set mfa_enabled_at = now(), revision = revision + 1, updated_at = now() where id = $1`;
export const enableFactor = (tx: Queries, userId: string, step: number) => tx.rows(ENABLE, [userId, step]);

// A separate statement deletes the earlier codes: two CTEs on one table do not see each other's changes.
const INSERT_CODES = `
insert into recovery_codes (user_id, code_hash) select $1, decode(code, 'hex') from unnest($2::text[]) code`;
export async function replaceRecoveryCodes(tx: Queries, userId: string, hashes: Buffer[]): Promise<void> {
  await Promise.all([
    tx.rows("delete from recovery_codes where user_id = $1", [userId]),
    tx.rows(INSERT_CODES, [userId, hashes.map((hash) => hash.toString("hex"))]),
  ]);
}

const REMOVE = `
with codes as (delete from recovery_codes where user_id = $1), factor as (delete from second_factors where user_id = $1)
update users set mfa_enabled_at = null, revision = revision + 1, updated_at = now() where id = $1`;
export const removeFactor = (tx: Queries, userId: string) => tx.rows(REMOVE, [userId]);
