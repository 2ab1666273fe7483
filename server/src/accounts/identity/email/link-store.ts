// SQL of links in emails. A link is found by the hash of its token, consumed by one conditional UPDATE, and valid only
// for the address that it was sent to: after an email change, links to the former address are invalid.
import type { Queries } from "../../../platform/database/db.ts";
import { newSecret, secretKind, sha256 } from "../../../platform/wire/ids.ts";

export type LinkKind = "email_verification" | "password_reset" | "email_change";

/** Lifetime of each kind of link, worded as the emails show it. */
export const lifetimes = { email_verification: "3 days", password_reset: "4 hours", email_change: "4 hours" } as const;

const lifetime = (kind: string) =>
  `case ${kind} ${Object.entries(lifetimes)
    .map(([name, time]) => `when '${name}' then interval '${time}'`)
    .join(" ")} end`;
// $1 is the hash of the token. An account has one link of each kind: a newer one replaces the older.
const put = (source: string, unless = "") => `
insert into email_links (user_id, kind, email, token_hash, expires_at)
select w.user_id, w.kind, w.email, $1, now() + ${lifetime("w.kind")} from (${source}) w
on conflict (user_id, kind) do update
set email = excluded.email, token_hash = excluded.token_hash, expires_at = excluded.expires_at, used_at = null,
  created_at = now()
${unless} returning user_id, kind, email`;
const NOT_WITHIN_A_MINUTE = "where email_links.created_at <= now() - interval '1 minute'";

const PUT = put("select u.id as user_id, $3 as kind, $4 as email from users u where u.id = $2");
/** Creates a link and returns its token. */
export async function putLink(tx: Queries, userId: string, kind: LinkKind, email: string): Promise<string> {
  const token = newSecret("lnk");
  await tx.rows(PUT, [sha256(token), userId, kind, email]);
  return token;
}

const PUT_FORGOTTEN = put(
  `select u.id as user_id, u.email,
   case when u.email_verified_at is null then 'email_verification' else 'password_reset' end as kind
   from users u where u.email = $2`,
  NOT_WITHIN_A_MINUTE,
);
const PUT_UNPROVED = put(
  `select u.id as user_id, u.email, 'email_verification' as kind from users u
    where u.email = $2 and u.email_proved_at is null`,
  NOT_WITHIN_A_MINUTE,
);
interface Put {
  user_id: string;
  kind: LinkKind;
  email: string;
}
/**
 * Undefined if no account has this address, if there is nothing to prove, or if a link was sent within the last minute.
 */
export const putLinkFor = (tx: Queries, forgotten: boolean, token: string, email: string) =>
  tx.maybe<Put>(forgotten ? PUT_FORGOTTEN : PUT_UNPROVED, [sha256(token), email]);

const LIVE = "l.used_at is null and l.expires_at > now()";
const FIND = `
select l.user_id, u.email from email_links l join users u on u.id = l.user_id
where l.token_hash = $1 and l.kind = $2 and ${LIVE} and (l.kind = 'email_change' or u.email = l.email)`;
/** The account of a live link, and its current address. */
export const findLink = async (tx: Queries, kind: LinkKind, token: string) =>
  secretKind(token) === "lnk" ? tx.maybe<{ user_id: string; email: string }>(FIND, [sha256(token), kind]) : undefined;

const USE = `update email_links l set used_at = now() where l.token_hash = $1 and l.kind = $2 and ${LIVE}
  returning l.user_id, l.email`;

const VERIFY = `
with used as (${USE})
update users u set email_verified_at = coalesce(u.email_verified_at, now()),
  email_proved_at = coalesce(u.email_proved_at, now()),
  revision = u.revision + 1, updated_at = now()
from used where u.id = used.user_id and u.email = used.email returning u.id`;
/** Verifies and proves the address. Undefined if the link is not live. */
export const verifyEmail = (tx: Queries, token: string) =>
  tx.maybe<{ id: string }>(VERIFY, [sha256(token), "email_verification"]);

// Access to the mailbox proves the address. Locks the account and returns whether the address was proved before.
const RESET = `
with used as (${USE}), former as (
  select u.id, u.email_proved_at is not null as proved from users u
  join used on used.user_id = u.id and used.email = u.email
  for no key update of u
)
update users u set password_hash = $3, email_verified_at = coalesce(u.email_verified_at, now()),
  email_proved_at = now(),
  revision = u.revision + 1, updated_at = now()
from former where u.id = former.id returning former.proved`;
/** Returns whether the address was proved before; undefined if the link is not live. */
export const resetPassword = (tx: Queries, token: string, passwordHash: string) =>
  tx.maybe<{ proved: boolean }>(RESET, [sha256(token), "password_reset", passwordHash]);

// Uses only the account's own link. If another account has the address, the link stays unused.
const MOVE = `
with found as (
  select l.token_hash, l.email, exists (select from users other
    where other.email = l.email and other.id <> l.user_id) as taken
  from email_links l where l.token_hash = $1 and l.kind = 'email_change' and l.user_id = $2 and ${LIVE}
), used as (
  update email_links l set used_at = now() from found
  where l.token_hash = found.token_hash and ${LIVE} and not found.taken
  returning l.user_id, l.email
), moved as (
  update users u set email = used.email, email_verified_at = now(), email_proved_at = now(), revision = u.revision + 1,
    updated_at = now()
  from used where u.id = used.user_id returning u.id
)
select found.email, found.taken, exists (select from moved) as moved from found`;
/** Undefined if the link is not live or belongs to another account. */
export const moveEmail = async (tx: Queries, token: string, userId: string) =>
  secretKind(token) === "lnk"
    ? tx.maybe<{ email: string; taken: boolean; moved: boolean }>(MOVE, [sha256(token), userId])
    : undefined;
