// Retention of the webhook log, leases of endpoints, and when an endpoint is due.
import { expect, test } from "vitest";
import { service, world } from "../../../test/world.ts";
import { inWorkspace } from "../../platform/background/jobs.ts";
import { newId } from "../../platform/wire/ids.ts";
import { claimEndpoints, settle, sweepWebhooks } from "./queue-store.ts";

const running = service({});

test("the log is kept for 30 days, and none of what was deleted; what is still tried stays", async () => {
  const home = await world(running);
  const made = [];
  for (const name of ["Kept", "Gone"]) {
    const body = { name, url: "https://hooks.example.com/", actions: ["task.created"] };
    made.push((await home.owner.call("POST", `/workspaces/${home.workspaceId}/webhook-endpoints`, { body })).body.id);
  }
  const [kept, gone] = made as [string, string];
  const plant = (endpoint: string, state: string, days: number) =>
    running.asOwner(
      `insert into webhook_deliveries (workspace_id, id, endpoint_id, action, state, next_attempt_at, created_at)
       values ($1, $2, $3, 'task.created', $4, case when $4 = 'queued' then now() + interval '1 day' end,
         now() - make_interval(days => $5))`,
      [home.workspaceId, newId(), endpoint, state, days],
    );
  for (const [state, days] of [
    ["delivered", 31],
    ["delivered", 29],
    ["queued", 31],
  ] as const)
    await plant(kept, state, days);
  await plant(gone, "delivered", 1);
  await home.owner.call("DELETE", `/webhook-endpoints/${gone}`);
  const query = (sql: string) => running.asOwner(`with gone as (${sql} returning 1) select count(*)::int from gone`);
  await sweepWebhooks({ query: async (sql) => ({ rowCount: Number((await query(sql))[0]?.count) }) });
  const { items } = (await home.owner.call("GET", `/webhook-endpoints/${kept}/deliveries`)).body;
  expect(items.map(({ state }: { state: string }) => state)).toEqual(["queued", "delivered"]);
  expect(await running.asOwner("select from webhook_endpoints where id = $1", [gone])).toEqual([]);
});

test("whoever lost the lease of an endpoint writes nothing: not what became of an attempt, and not when the endpoint is due", async () => {
  const home = await world(running);
  const body = { name: "Stolen", url: "https://hooks.example.com/", actions: ["task.created"] };
  const made = await home.owner.call("POST", `/workspaces/${home.workspaceId}/webhook-endpoints`, { body });
  const { id } = made.body;
  const tested = (await home.owner.call("POST", `/webhook-endpoints/${id}/test`)).body;
  const { writer } = running.database;
  const claim = async () => {
    const holder = newId();
    const claimed = await claimEndpoints(writer, 20, 5, holder, 30);
    expect(claimed.map((each) => each.id)).toContain(id);
    return holder;
  };
  const note = (holder: string, state: "delivered" | "queued") =>
    inWorkspace(writer, home.workspaceId, (tx) =>
      settle(tx, id, holder, [
        {
          id: tested.id,
          attempts: 0,
          state,
          error_code: null,
          status_code: 200,
          duration_ms: 1,
          pause: state === "queued" ? 60 : null,
        },
      ]),
    );
  const stored = async () =>
    (
      await running.asOwner(
        `select d.state, d.attempts, w.lease_id, w.succeeded_at is not null as succeeded from webhook_deliveries d
          join webhook_endpoints w on w.id = d.endpoint_id where d.id = $1`,
        [tested.id],
      )
    )[0];
  const old = await claim();
  await running.asOwner(
    "update webhook_endpoints set lease_id = null, lease_until = null, lease_process = null where id = $1",
    [id],
  );
  expect(await note(old, "delivered"), "released, and taken by nobody yet").toMatchObject({ held: false });
  const next = await claim();
  expect(await note(old, "queued")).toMatchObject({ held: false });
  expect(await stored()).toEqual({ state: "queued", attempts: 0, lease_id: next, succeeded: false });
  expect(await note(next, "delivered")).toMatchObject({ held: true });
  expect(await stored()).toEqual({ state: "delivered", attempts: 1, lease_id: null, succeeded: true });
});

test("an endpoint is due when the earliest of its queued deliveries is", async () => {
  const home = await world(running);
  const body = { name: "Two waiting", url: "https://hooks.example.com/", actions: ["task.created"] };
  const { id } = (await home.owner.call("POST", `/workspaces/${home.workspaceId}/webhook-endpoints`, { body })).body;
  for (const hours of [2, 1, 3])
    await running.asOwner(
      `insert into webhook_deliveries (workspace_id, id, endpoint_id, action, state, next_attempt_at)
       values ($1, $2, $3, 'task.created', 'queued', now() + make_interval(hours => $4))`,
      [home.workspaceId, newId(), id, hours],
    );
  await running.asOwner("update webhook_endpoints set due_at = now() where id = $1", [id]);
  const holder = newId();
  const { writer } = running.database;
  expect((await claimEndpoints(writer, 20, 5, holder, 30)).map((each) => each.id)).toContain(id);
  const settled = await inWorkspace(writer, home.workspaceId, (tx) => settle(tx, id, holder, []));
  expect(settled.held).toBe(true);
  expect(Math.round((settled.dueIn ?? 0) / 3600)).toBe(1);
});
