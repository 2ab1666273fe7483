// SQL of credits: reserved before something is spent, and settled once with what it took. A balance never goes below zero, and what ended counts no more, however often it is
// told. Without a billing provider nothing is counted.
import type { Queries } from "../../platform/database/db.ts";
import { checked } from "../../platform/database/sql.ts";

/** In SQL: nothing is counted here. */
export const unlimitedCredits = "entitled(current_workspace(), 'unlimited_knowledge_credits')";

const RESERVE = `
with account as (
  update knowledge_credits k set balance = k.balance - $2::bigint where k.workspace_id = current_workspace() and k.balance >= $2::bigint returning k.workspace_id
)
insert into knowledge_credit_entries (workspace_id, id, state, reserved) select workspace_id, $1, 'reserved', $2::bigint from account returning id`;
/** Whether there are so many. */
export const reserveCredits = async (tx: Queries, id: string, credits: number) =>
  (await tx.rows(RESERVE, [id, credits])).length > 0;

const SETTLE = `
with entry as (
  update knowledge_credit_entries e set state = case when $2::bigint = 0 then 'released' else 'settled' end, settled = least($2::bigint, e.reserved), ended_at = now()
  where e.workspace_id = current_workspace() and e.id = $1 and ${checked("e.state = 'reserved'")} returning e.workspace_id, e.reserved - e.settled as rest
)
update knowledge_credits k set balance = k.balance + entry.rest from entry where k.workspace_id = entry.workspace_id`;
/** What was taken, at most what was reserved; nothing where it failed. */
export const settleCredits = (tx: Queries, id: string, credits: number) => tx.rows(SETTLE, [id, credits]);

const ACCOUNT =
  "insert into knowledge_credits (workspace_id, balance) values (current_workspace(), 0) on conflict do nothing";
const ADD = `
with added as (
  insert into knowledge_credit_top_ups (workspace_id, id, credits) values (current_workspace(), $1, $2) on conflict do nothing returning workspace_id, credits
)
update knowledge_credits k set balance = k.balance + added.credits from added where k.workspace_id = added.workspace_id returning k.balance`;
/** What was paid for, under the id of its payment; whether it was not there before. */
export async function addCredits(tx: Queries, id: string, credits: number): Promise<boolean> {
  const [, added] = await Promise.all([tx.rows(ACCOUNT), tx.rows(ADD, [id, credits])]);
  return added.length > 0;
}

interface ToppedUp {
  balance: string;
  refunded: string;
  taken_back: string;
  /** Something is reserved, and may be left after all. */
  reserved: boolean;
}
// In line with whoever reserves and settles.
const TOPPED_UP = `
select k.balance::text, u.refunded::text, u.taken_back::text,
  exists (select from knowledge_credit_entries e where e.workspace_id = k.workspace_id and e.state = 'reserved' and e.created_at > now() - interval '10 minutes') as reserved
from knowledge_credits k join knowledge_credit_top_ups u on u.workspace_id = k.workspace_id and u.id = $1
where k.workspace_id = current_workspace() for update`;
const REFUND = `
with topped_up as (update knowledge_credit_top_ups set refunded = $2, taken_back = $3 where workspace_id = current_workspace() and id = $1)
update knowledge_credits set balance = balance - $4::bigint where workspace_id = current_workspace()`;
/**
 * Of what was bought under this id, so many in all are refunded: what is left of these is taken back, and what is not is forgotten, so that it is not taken from what is bought later. Where
 * fewer are refunded than it seemed, they come back. "reserved": nothing was done, because what is missing may be left in a moment.
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

/** Of a process that died in between: nobody knows what it took, and nobody pays for it. Across all Workspaces: background work acts as the owner of the tables. */
export const RELEASE_LEFT = `
with entry as (
  update knowledge_credit_entries set state = 'released', settled = 0, ended_at = now()
  where state = 'reserved' and created_at < now() - interval '10 minutes' returning workspace_id, reserved
)
update knowledge_credits k set balance = k.balance + e.reserved from (select workspace_id, sum(reserved) as reserved from entry group by workspace_id) e
where k.workspace_id = e.workspace_id`;
