// SQL of credits: reserved before use, and settled once with the actual usage. A balance never goes below zero, and
// settling is idempotent. Without a billing provider nothing is counted.
import type { Queries } from "../../platform/database/db.ts";
import { checked } from "../../platform/database/sql.ts";

/** SQL condition: credits are not counted here. */
export const unlimitedCredits = "entitled(current_workspace(), 'unlimited_knowledge_credits')";

const RESERVE = `
with account as (
  update knowledge_credits k set balance = k.balance - $2::bigint
  where k.workspace_id = current_workspace() and k.balance >= $2::bigint returning k.workspace_id
)
insert into knowledge_credit_entries (workspace_id, id, state, reserved) select workspace_id, $1, 'reserved', $2::bigint
from account returning id`;
/** Returns whether the balance was sufficient. */
export const reserveCredits = async (tx: Queries, id: string, credits: number) =>
  (await tx.rows(RESERVE, [id, credits])).length > 0;

const SETTLE = `
with entry as (
  update knowledge_credit_entries e
    set state = case when $2::bigint = 0 then 'released' else 'settled' end, settled = least($2::bigint, e.reserved),
      ended_at = now()
  where e.workspace_id = current_workspace() and e.id = $1 and ${checked("e.state = 'reserved'")}
  returning e.workspace_id, e.reserved - e.settled as rest
)
update knowledge_credits k set balance = k.balance + entry.rest from entry where k.workspace_id = entry.workspace_id`;
/** Settles a reservation with the credits used, at most those reserved; 0 releases it after a failure. */
export const settleCredits = (tx: Queries, id: string, credits: number) => tx.rows(SETTLE, [id, credits]);

const ACCOUNT =
  "insert into knowledge_credits (workspace_id, balance) values (current_workspace(), 0) on conflict do nothing";
const ADD = `
with added as (
  insert into knowledge_credit_top_ups (workspace_id, id, credits) values (current_workspace(), $1, $2)
  on conflict do nothing returning workspace_id, credits
)
update knowledge_credits k set balance = k.balance + added.credits from added where k.workspace_id = added.workspace_id
returning k.balance`;
/** Adds purchased credits under the id of their payment. Returns whether the id is new. */
export async function addCredits(tx: Queries, id: string, credits: number): Promise<boolean> {
  const [, added] = await Promise.all([tx.rows(ACCOUNT), tx.rows(ADD, [id, credits])]);
  return added.length > 0;
}

interface ToppedUp {
  balance: string;
  refunded: string;
  taken_back: string;
  /** Whether a reservation is open, which may return credits. */
  reserved: boolean;
}
// The lock serializes this with reservations and settlements.
const TOPPED_UP = `
select k.balance::text, u.refunded::text, u.taken_back::text,
  exists (select from knowledge_credit_entries e
    where e.workspace_id = k.workspace_id and e.state = 'reserved'
      and e.created_at > now() - interval '10 minutes') as reserved
from knowledge_credits k join knowledge_credit_top_ups u on u.workspace_id = k.workspace_id and u.id = $1
where k.workspace_id = current_workspace() for update`;
const REFUND = `
with topped_up as (update knowledge_credit_top_ups set refunded = $2, taken_back = $3
  where workspace_id = current_workspace() and id = $1)
update knowledge_credits set balance = balance - $4::bigint where workspace_id = current_workspace()`;
/**
 * Sets the total refunded for the purchase with this id: takes back credits that are left, and writes off the others,
 * so that they are not taken from later purchases. A lower total returns credits. "reserved": nothing was changed,
 * because an open reservation may return the missing credits soon.
 */
export async function refundCredits(
  tx: Queries,
  id: string,
  refunded: number,
): Promise<"changed" | "same" | "reserved"> {
  const found = await tx.maybe<ToppedUp>(TOPPED_UP, [id]);
  if (!found || BigInt(found.refunded) === BigInt(refunded)) return "same";
  const [before, taken, balance] = [BigInt(found.refunded), BigInt(found.taken_back), BigInt(found.balance)];
  const more = BigInt(refunded) - before;
  if (more > balance && found.reserved) return "reserved";
  const now = more > 0n ? taken + least(more, balance) : least(taken, BigInt(refunded));
  await tx.rows(REFUND, [id, refunded, String(now), String(now - taken)]);
  return "changed";
}
const least = (one: bigint, other: bigint) => (one < other ? one : other);

/**
 * Releases reservations of processes that died, whose usage is unknown and not charged. Runs across all Workspaces as
 * the owner of the tables.
 */
export const RELEASE_LEFT = `
with entry as (
  update knowledge_credit_entries set state = 'released', settled = 0, ended_at = now()
  where state = 'reserved' and created_at < now() - interval '10 minutes' returning workspace_id, reserved
)
update knowledge_credits k set balance = k.balance + e.reserved
from (select workspace_id, sum(reserved) as reserved from entry group by workspace_id) e
where k.workspace_id = e.workspace_id`;
