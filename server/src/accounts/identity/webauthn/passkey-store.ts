// SQL of passkeys and of their registration and sign-in ceremonies. A ceremony accepts one response within five
// minutes, by the database's clock.
import { Passkey } from "@svc/contract/accounts/identity/passkeys.ts";
import type { Capability } from "@svc/contract/capabilities.ts";
import type { Queries } from "../../../platform/database/db.ts";
import { view } from "../../../platform/database/view.ts";
import { LAST_ID, newId, sha256 } from "../../../platform/wire/ids.ts";
import { lockAccount, otherSignInMethod, placeToEnter } from "../store.ts";
import { CEREMONY_SECONDS, type KnownCredential, type NewCredential, type Registering, type Use } from "./webauthn.ts";

const MOST_PASSKEYS = 10;

const passkeyView = view(Passkey, "p", { disabled: "p.disabled_at is not null" });
/** SQL for the capabilities of the owner of passkey p. */
const passkeyCapabilities = `array_remove(array['passkey:update',
  case when p.disabled_at is not null or ${otherSignInMethod("p.user_id", "p.id")} then 'passkey:delete' end], null)`;
const rendered = `${passkeyView} as json, p.revision::text, ${passkeyCapabilities} as capabilities`;
export interface PasskeyRow {
  json: string;
  revision: string;
  capabilities: Capability[];
}

// Each insert deletes two expired ceremonies, so that the table holds little more than those of the last five minutes.
const BEGIN = `
with ended as (
  delete from passkey_ceremonies where token_hash in (
    select token_hash from passkey_ceremonies where expires_at < now() order by expires_at limit 2
    for update skip locked)
)
insert into passkey_ceremonies (token_hash, kind, user_id, challenge, expires_at)
values ($1, $2, $3, $4, now() + interval '${CEREMONY_SECONDS} seconds')`;
type CeremonyKind = "register" | "login" | "reauthenticate";
export const beginCeremony = (
  tx: Queries,
  kind: CeremonyKind,
  token: string,
  userId: string | null,
  challenge: string,
) => tx.rows(BEGIN, [sha256(token), kind, userId, challenge]);

const OPEN = "c.used_at is null and c.expires_at > now()";
/** Matches an open ceremony: of anyone for a sign-in, of one account for a reauthentication. */
const ofAssertion = `c.token_hash = $1 and c.kind = case when $2::uuid is null then 'login' else 'reauthenticate' end
  and c.user_id is not distinct from $2 and ${OPEN}`;
const ofRegistration = `c.token_hash = $1 and c.kind = 'register' and c.user_id = $2 and ${OPEN}`;

// ---- using them
// ------------------------------------------------------------------------------------------------------------------

/** An open ceremony in which a passkey is used: to sign in (`userId` is null), or to reauthenticate this account. */
export interface Ceremony {
  token: string;
  userId: string | null;
}
const ASSERTED = `
select c.challenge, p.id, p.user_id, p.credential_id, p.public_key, p.name, u.email, ${placeToEnter} as workspace_id
from passkey_ceremonies c
left join (passkeys p join users u on u.id = p.user_id)
  on p.credential_id = $3 and p.disabled_at is null and (c.user_id is null or p.user_id = c.user_id)
where ${ofAssertion}`;
export interface Asserted extends KnownCredential {
  challenge: string;
  /** Null if no enabled passkey has this credential id. */
  id: string | null;
  name: string;
  email: string;
  workspace_id: string | null;
}
/** The ceremony, and the passkey that the response claims to come from; undefined if no such ceremony is open. */
export const assertedOf = (tx: Queries, { token, userId }: Ceremony, credentialId: string) =>
  tx.maybe<Asserted>(ASSERTED, [sha256(token), userId, Buffer.from(credentialId, "base64url")]);

const USE_CEREMONY = `update passkey_ceremonies c set used_at = now() where ${ofAssertion} returning c.kind`;
/** False if a concurrent request used the ceremony or it has expired. */
export const useCeremony = async (tx: Queries, { token, userId }: Ceremony) =>
  (await tx.maybe(USE_CEREMONY, [sha256(token), userId])) !== undefined;

// An authenticator without a counter always sends 0. The UPDATE compares the counter with the locked row.
const ADVANCE = `
update passkeys p set counter = $2, last_used_at = now(), backup_state = $3,
  revision = p.revision + case when p.backup_state = $3 then 0 else 1 end,
  updated_at = case when p.backup_state = $3 then p.updated_at else now() end
where p.id = $1 and p.disabled_at is null and ($2::bigint > p.counter or ($2 = 0 and p.counter = 0)) returning p.id`;
/** False if the counter did not increase. */
export const advance = async (tx: Queries, id: string, { counter, backupState }: Use) =>
  (await tx.maybe(ADVANCE, [id, counter, backupState])) !== undefined;

const DISABLE = `
update passkeys p set disabled_at = now(), revision = p.revision + 1, updated_at = now()
where p.id = $1 and p.disabled_at is null returning p.id`;
/** False if the passkey was removed or disabled concurrently. */
export const disable = async (tx: Queries, id: string) => (await tx.maybe(DISABLE, [id])) !== undefined;

// ---- having them
// -----------------------------------------------------------------------------------------------------------------

/** SQL for the credential descriptors of user u's passkeys that match `which`. */
export const credentialsOf = (which: string) => `coalesce((
  select json_agg(json_build_object('id', rtrim(translate(encode(p.credential_id, 'base64'), E'+/\\n', '-_'), '='),
    'transports', p.transports) order by p.id)
  from passkeys p where p.user_id = u.id and ${which}), '[]')`;
const REGISTERING = `
select u.id, u.email, u.display_name, ${credentialsOf("true")} as passkeys from users u where u.id = $1`;
export const registering = (tx: Queries, userId: string) => tx.one<Registering>(REGISTERING, [userId]);
export const isFull = ({ passkeys }: Registering) => passkeys.length >= MOST_PASSKEYS;

const CHALLENGE = `select c.challenge from passkey_ceremonies c where ${ofRegistration}`;
export const challengeOf = async (tx: Queries, token: string, userId: string) =>
  (await tx.maybe<{ challenge: string }>(CHALLENGE, [sha256(token), userId]))?.challenge;

const USE_REGISTRATION = `update passkey_ceremonies c set used_at = now() where ${ofRegistration}`;
export const useRegistration = (tx: Queries, token: string, userId: string) =>
  tx.rows(USE_REGISTRATION, [sha256(token), userId]);

const INSERT = `
with room as (select count(*) < ${MOST_PASSKEYS} as free from passkeys where user_id = $2
), used as (${USE_REGISTRATION} and (select free from room) returning c.user_id
), p as (
  insert into passkeys (id, user_id, credential_id, public_key, counter, transports, backup_eligible,
    backup_state, name)
  select $3, used.user_id, $4, $5, $6, $7, $8, $9, $10 from used returning *
)
select room.free, (select row_to_json(r) from (select ${rendered} from p) r) as row from room`;
interface Inserted {
  /** False if the account has reached its passkey limit; the ceremony then stays open. */
  free: boolean;
  /** Null if the ceremony was used concurrently or has expired. */
  row: PasskeyRow | null;
}
/** Locks the account, so that the count includes every passkey created before. */
export async function insertPasskey(tx: Queries, token: string, userId: string, name: string, made: NewCredential) {
  const { credentialId, publicKey, counter, transports, backupEligible, backupState } = made;
  const id = newId();
  const of = [sha256(token), userId, id, credentialId, publicKey, counter, transports, backupEligible, backupState];
  const [, inserted] = await Promise.all([lockAccount(tx, userId), tx.one<Inserted>(INSERT, [...of, name])]);
  return { id, ...inserted };
}

const LIST = `
select ${passkeyView} as json, json_build_array(p.id)::text as key from passkeys p
where p.user_id = current_account() and p.id < $1 order by p.id desc limit $2`;
export const passkeysAfter = (tx: Queries, id: unknown, limit: number) =>
  tx.rows<{ json: string; key: string }>(LIST, [id ?? LAST_ID, limit]);

const READ = `select ${rendered} from passkeys p where p.id = $1`;
export const readPasskey = (tx: Queries, id: string) => tx.one<PasskeyRow>(READ, [id]);
const RENAME = `
with p as (update passkeys set name = $2, revision = revision + 1, updated_at = now() where id = $1 returning *)
select ${rendered} from p`;
export const renamePasskey = (tx: Queries, id: string, name: string) => tx.one<PasskeyRow>(RENAME, [id, name]);

export const deletePasskey = (tx: Queries, id: string) => tx.rows("delete from passkeys where id = $1", [id]);
