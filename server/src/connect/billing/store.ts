// SQL of checkouts and of provider deliveries. Neither table has row-level security, because a checkout leads to its
// Workspace and may be older than it: each statement names the account, the Workspace, or the provider's id.
import type { Queries } from "../../platform/database/db.ts";
import { cachedSql } from "../../platform/database/sql.ts";
import type { InvoiceAtProvider, SubscriptionAtProvider } from "../../platform/outside/external-systems.ts";
import { newId } from "../../platform/wire/ids.ts";
import { checkoutView } from "./access.ts";
import type { WantedPurchase } from "./rules.ts";

// ---- checkouts ------------------------------------------------------------------------------------------------------

export interface OpenCheckout {
  id: string;
  json: string;
  plan: "team" | "business" | null;
  seats: number | null;
  name: string | null;
  slug: string | null;
  return_path: string;
  checkout_ref: string | null;
  customer_ref: string | null;
  url: string | null;
  /** The provider forgets an idempotency key, and ends a checkout, after a day. */
  stale: boolean;
  email: string;
}
const of = {
  workspace: "c.user_id = current_account()",
  plan: "c.workspace_id = current_workspace()",
  credits: "false",
};
const reserveSql = cachedSql(
  (kind: WantedPurchase["kind"]) => `
with found as (select c.* from billing_checkouts c where c.state = 'open' and c.kind = '${kind}' and ${of[kind]}
), made as (
  insert into billing_checkouts (id, kind, user_id, workspace_id, plan, seats, credits, name, slug, return_path,
    provider, customer_ref)
  select $1, '${kind}', current_account(), $2::uuid, $3,
    ${kind === "plan" ? "plan_use($2::uuid, 'members')" : kind === "workspace" ? "1" : "null::integer"}, $4::integer,
    $5, $6, $7, $8,
    (select a.customer_ref from billing_accounts a where a.workspace_id = $2::uuid)
  where not exists (select from found) returning *
)
select c.id, ${checkoutView} as json, c.plan, c.seats, c.name, c.slug, c.return_path, c.checkout_ref, c.customer_ref,
  c.url, c.created_at < now() - interval '22 hours' as stale,
  u.email
from (select * from made union all select * from found) c cross join users u where u.id = current_account()`,
);
/** Returns the open checkout of the account or the Workspace, or creates one. The caller holds their lock. */
export const reserve = (
  tx: Queries,
  { kind, workspaceId, plan, credits, name, slug, returnPath }: WantedPurchase,
  provider: string,
) => tx.one<OpenCheckout>(reserveSql(kind), [newId(), workspaceId, plan, credits, name, slug, returnPath, provider]);

const OPENED = `
update billing_checkouts c set checkout_ref = $2, url = $3, expires_at = $4
where c.id = $1 and c.user_id = current_account() and c.state = 'open'
returning ${checkoutView} as json`;
/** Undefined if it was ended meanwhile: then nobody gets its address. */
export const opened = (
  tx: Queries,
  id: string,
  { ref, url, expires_at }: { ref: string; url: string; expires_at: string },
) => tx.maybe<{ json: string }>(OPENED, [id, ref, url, expires_at]);

const END = "update billing_checkouts set state = 'expired' where id = $1 and state = 'open'";
/** Ends a checkout that the provider has ended; settles one that was paid before. */
export const endCheckout = (tx: Queries, id: string, end: "expired" | "completed") =>
  end === "expired" ? tx.rows(END, [id]) : settleAgain(tx, id);

const OPEN_IN =
  "select id, checkout_ref from billing_checkouts where workspace_id = $1 and state = 'open' and provider = $2";
export const openIn = (tx: Queries, workspaceId: string, provider: string) =>
  tx.rows<Pick<OpenCheckout, "id" | "checkout_ref">>(OPEN_IN, [workspaceId, provider]);

const HOLD_UNARCHIVED =
  "select from workspaces where id = current_workspace() and archived_at is null for no key update";
/** False if the Workspace was archived meanwhile. */
export const holdUnarchived = async (tx: Queries) => (await tx.rows(HOLD_UNARCHIVED)).length > 0;

const LIVE =
  "select from billing_accounts where workspace_id = current_workspace() and standing in ('paid', 'past_due')";
/** Whether the Workspace of the caller has a subscription that is paid or past due. */
export const isPaidFor = async (tx: Queries) => (await tx.rows(LIVE)).length > 0;

const TAKEN = "select from workspaces where slug = $1";
export const isTaken = async (tx: Queries, slug: string | null) => (await tx.rows(TAKEN, [slug])).length > 0;

// ---- deliveries -----------------------------------------------------------------------------------------------------

const SETTLE = "enqueue_job('settle_checkout', json_build_object('id', c.id), now(), null, 'settle ' || c.id)";
const keepSql = cachedSql(
  (subject: "checkout" | "subscription" | "payment") => `
with kept as (
  insert into billing_deliveries (provider, event_ref, kind, subject_ref) values ($1, $2, $3, $4)
  on conflict do nothing returning provider, subject_ref
)
select ${SETTLE} from kept join billing_checkouts c on c.provider = kept.provider
  and c.${subject}_ref = kept.subject_ref`,
);
/** Stores a delivery once, with its job if it leads to a checkout of ours. */
export const keepDelivery = (
  tx: Queries,
  provider: string,
  {
    event,
    kind,
    subject,
  }: { event: string; kind: string; subject: { kind: "checkout" | "subscription" | "payment"; ref: string } },
) => tx.rows(keepSql(subject.kind), [provider, event, kind, subject.ref]);

/**
 * Across all Workspaces: expires checkouts that were never opened at the provider, deletes old deliveries, and settles
 * open checkouts that may be paid and, once a day, every paid one, in case a delivery was lost.
 */
export const SWEEPS = [
  `update billing_checkouts set state = 'expired'
    where state = 'open' and told_at < now() - interval '1 day' and checkout_ref is null`,
  "delete from billing_deliveries where received_at < now() - interval '90 days'",
  `select ${SETTLE} from (
    select c.id from billing_checkouts c
    left join billing_accounts a on a.workspace_id = c.workspace_id and a.checkout_id = c.id
    where (c.state = 'open' or c.subscription_ref is not null) and c.told_at < now() - interval '10 minutes'
      and c.checkout_ref is not null
      and (c.state = 'open' or (c.told_at < now() - interval '1 day' and a.standing <> 'cancelled'))
    order by c.told_at limit 1000) c`,
  // Refunds happen within half a year.
  `select ${SETTLE} from (
    select c.id from billing_checkouts c
    where c.kind = 'credits' and c.state = 'completed' and c.told_at < now() - interval '1 day'
      and c.created_at > now() - interval '180 days'
    order by c.told_at limit 1000) c`,
];

const AGAIN = `
select enqueue_job('settle_checkout', json_build_object('id', c.id), now() + make_interval(secs => $2), null,
  'settle ' || c.id) from billing_checkouts c where c.id = $1`;
export const settleAgain = (tx: Queries, id: string, seconds = 0) => tx.rows(AGAIN, [id, seconds]);

// ---- settling -------------------------------------------------------------------------------------------------------

export interface CheckoutRow {
  id: string;
  kind: WantedPurchase["kind"];
  user_id: string;
  workspace_id: string | null;
  plan: "team" | "business" | null;
  credits: number | null;
  name: string | null;
  slug: string | null;
  state: "open" | "completed" | "expired";
  checkout_ref: string | null;
  customer_ref: string | null;
  subscription_ref: string | null;
  payment_ref: string | null;
  asked: string;
  told: string;
}
const ROW =
  "id, kind, user_id, workspace_id, plan, credits, name, slug, state, checkout_ref, customer_ref, " +
  "subscription_ref, payment_ref, asked::text, told::text";
const ASK = `update billing_checkouts set asked = asked + 1 where id = $1 and provider = $2 returning ${ROW}`;
/** Numbers this query and returns the checkout. */
export const askAbout = (tx: Queries, id: string, provider: string) => tx.maybe<CheckoutRow>(ASK, [id, provider]);
const HELD = `select ${ROW} from billing_checkouts where id = $1 for no key update`;
export const holdCheckout = (tx: Queries, id: string) => tx.one<CheckoutRow>(HELD, [id]);

const TOLD = `
update billing_checkouts
  set state = $2, workspace_id = $3, customer_ref = coalesce($4, customer_ref),
    subscription_ref = coalesce($5, subscription_ref), told = $6, told_at = now(),
  payment_ref = coalesce($7, payment_ref)
where id = $1`;
export const toldOf = (tx: Queries, row: CheckoutRow) => {
  const { id, state, workspace_id, customer_ref, subscription_ref, asked, payment_ref } = row;
  return tx.rows(TOLD, [id, state, workspace_id, customer_ref, subscription_ref, asked, payment_ref]);
};

export interface CurrentPlan {
  plan: string;
  standing: string;
  seats: number;
  checkout_id: string;
}
const STANDING = `
select w.plan, a.standing, a.seats, a.checkout_id from workspaces w
left join billing_accounts a on a.workspace_id = w.id
where w.id = current_workspace() for no key update of w`;
/** Billing state as last settled. The lock of the Workspace serialises its changes. */
export const standingBefore = (tx: Queries) => tx.one<CurrentPlan>(STANDING);

const PLAN = `update workspaces set plan = $1, revision = revision + 1, updated_at = now()
    where id = current_workspace() and plan <> $1`;
const ACCOUNT = `
insert into billing_accounts as a (workspace_id, checkout_id, customer_ref, subscription_ref, seats, standing)
values (current_workspace(), $1, $2, $3, $4, $5)
on conflict (workspace_id) do update
set checkout_id = excluded.checkout_id, customer_ref = excluded.customer_ref,
  subscription_ref = excluded.subscription_ref,
  seats = excluded.seats, standing = excluded.standing, updated_at = now(),
  standing_since = case when a.standing = excluded.standing
    and a.subscription_ref = excluded.subscription_ref then a.standing_since else now() end`;
const INVOICES = `
insert into billing_invoices (workspace_id, ref, amount, currency, state, url, issued_at)
select current_workspace(), i.ref, i.amount, i.currency, i.state, i.url, i.issued_at
from json_to_recordset($1::json) as i(ref text, amount bigint, currency text, state text, url text,
  issued_at timestamptz)
on conflict (workspace_id, ref) do update set amount = excluded.amount, state = excluded.state, url = excluded.url`;
export const keepStanding = (
  tx: Queries,
  { id, subscription_ref }: CheckoutRow,
  subscription: Omit<SubscriptionAtProvider, "plan"> & { plan: string },
  invoices: readonly InvoiceAtProvider[],
) =>
  Promise.all([
    tx.rows(PLAN, [subscription.plan]),
    tx.rows(ACCOUNT, [id, subscription.customer, subscription_ref, subscription.seats, subscription.standing]),
    tx.rows(INVOICES, [JSON.stringify(invoices)]),
  ]);
