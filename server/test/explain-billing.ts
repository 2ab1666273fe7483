// Billing: checkouts, deliveries and how a Workspace stands are found by an index, by people and by the work in the
// background. Part of explain.slow.test.ts, as explain-one.ts is.
import { expect, test } from "vitest";
import * as store from "../src/connect/billing/store.ts";
import { addCredits, refundCredits } from "../src/knowledge/retrieval/credit-store.ts";
import { newId } from "../src/platform/wire/ids.ts";
import { explaining, type Statement } from "./explained.ts";

const { running, seen, explainUndone, explainOwned, faultsOf, allFaultsOf } = explaining();

const MANY = [
  `insert into billing_checkouts (id, kind, user_id, workspace_id, plan, return_path, provider, checkout_ref,
   subscription_ref, state)
   select gen_random_uuid(), 'plan', ACCOUNT, w.id, 'team', '/', 'stripe', 'cs_' || w.slug, 'sub_' || w.slug,
     case when w.slug < 'w-2' then 'open' else 'completed' end from workspaces w`,
  `insert into billing_accounts (workspace_id, checkout_id, customer_ref, subscription_ref, seats, standing)
    select workspace_id, id, 'cus', subscription_ref, 3, 'paid' from billing_checkouts`,
  `insert into billing_invoices (workspace_id, ref, amount, currency, state, issued_at)
   select WORKSPACE, 'in_' || n, 800, 'eur', 'paid', now() - make_interval(days => n) from generate_series(1, 20000) n`,
  `insert into billing_deliveries (provider, event_ref, kind, subject_ref, received_at)
   select 'stripe', 'evt_' || n, 'invoice.paid', 'sub', now() - make_interval(mins => n)
   from generate_series(1, 20000) n`,
];

test("what is bought, told and settled is found by an index", async () => {
  const { owner, workspaceId } = seen.loaded.home;
  for (const sql of MANY)
    await running.asOwner(sql.replaceAll("WORKSPACE", `'${workspaceId}'`).replaceAll("ACCOUNT", `'${owner.userId}'`));
  await running.asOwner("analyze billing_checkouts, billing_accounts, billing_invoices, billing_deliveries");
  const [{ id } = { id: "" }] = await running.sql<{ id: string }>(
    "select id from billing_checkouts where workspace_id = $1",
    [workspaceId],
  );
  seen.recorded = [];
  const read = [
    await owner.call("GET", `/workspaces/${workspaceId}/billing-settings`),
    await owner.call("GET", `/workspace-checkouts/${id}`),
    await owner.call("GET", "/workspace-creation-options"),
  ];
  expect(read.map(({ status, trips }) => [status, trips])).toEqual(read.map(() => [200, 1]));
  const row = { plan: "team", credits: null, name: null, slug: null, returnPath: "/", workspaceId } as const;
  const noting = {
    rows: async (sql: string, values: unknown[] = []) => {
      seen.recorded.push({ sql, values } as Statement);
      return [];
    },
    one: (sql: string, values: unknown[]) => noting.rows(sql, values),
    maybe: (sql: string, values: unknown[]) => noting.rows(sql, values),
  } as never as Parameters<typeof store.reserve>[0];
  await store.reserve(noting, { ...row, kind: "plan" }, "stripe");
  await store.reserve(noting, { ...row, kind: "workspace", workspaceId: null, name: "New" }, "stripe");
  await store.isPaidFor(noting);
  await store.isTaken(noting, "w-17");
  await store.opened(noting, id, {
    ref: "cs_new",
    url: "https://checkout.example.com",
    expires_at: "2026-01-01T00:00:00Z",
  });
  await store.endCheckout(noting, id, "expired");
  await store.openIn(noting, workspaceId, "stripe");
  await store.holdUnarchived(noting);
  for (const kind of ["checkout", "subscription", "payment"] as const)
    await store.keepDelivery(noting, "stripe", {
      event: newId(),
      kind: "x",
      subject: { kind, ref: `${kind === "checkout" ? "cs" : "sub"}_w-17` },
    });
  await store.settleAgain(noting, id);
  await store.askAbout(noting, id, "stripe");
  await store.holdCheckout(noting, id);
  await store.standingBefore(noting);
  const held = {
    id,
    state: "completed",
    workspace_id: workspaceId,
    asked: "1",
    plan: "team",
    subscription_ref: "sub_new",
  } as store.CheckoutRow;
  await store.toldOf(noting, held);
  await store.keepStanding(noting, held, { standing: "paid", plan: "team", seats: 2, customer: "cus" }, []);
  await addCredits(noting, id, 1000);
  const toppedUp = { balance: "1000", refunded: "0", taken_back: "0", reserved: false };
  const finding = (sql: string, values: unknown[]) => noting.rows(sql, values).then(() => toppedUp);
  await refundCredits({ ...noting, maybe: finding } as never, id, 500);
  const statements = new Map(seen.recorded.map((statement) => [statement.sql, statement]));
  expect(statements.size).toBeGreaterThan(18);
  for (const statement of statements.values())
    expect.soft(allFaultsOf(await explainUndone(statement), statement.sql), statement.sql).toEqual([]);
  for (const sweep of store.SWEEPS) expect.soft(faultsOf(await explainOwned(sweep)), sweep).toEqual([]);
});
