// What is kept of what was sent, and for how long.
import { expect, test } from "vitest";
import { service, world } from "../../test/world.ts";
import { newId } from "../wire/ids.ts";
import { sweepWebhooks } from "./queue-store.ts";

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
       values ($1, $2, $3, 'task.created', $4, case when $4 = 'queued' then now() + interval '1 day' end, now() - make_interval(days => $5))`,
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
