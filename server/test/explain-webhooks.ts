// Webhooks: everything that making endpoints, reading on, sending and noting touches is found by an index. Part of
// explain.slow.test.ts, as explain-one.ts is.
import { expect, test } from "vitest";
import { followEvents } from "../src/connect/webhooks/enqueue-events.ts";
import * as store from "../src/connect/webhooks/queue-store.ts";
import { readEvents } from "../src/history/feed/store.ts";
import { inWorkspace } from "../src/platform/background/jobs.ts";
import { newId } from "../src/platform/wire/ids.ts";
import { explaining } from "./explained.ts";
import { newTask } from "./work.ts";

const { running, seen, explainUndone, allFaultsOf } = explaining();

test("webhook endpoints and what is sent to them are found by an index", async () => {
  const { owner, workspaceId } = seen.loaded.home;
  const at = `/workspaces/${workspaceId}/webhook-endpoints`;
  const any = { headers: { "if-match": "*" } };
  // There is no room for one more.
  const [full] = (await owner.call("GET", at)).body.items;
  await owner.call("DELETE", `/webhook-endpoints/${full.id}`);
  seen.recorded = [];
  const body = { name: "Reports", url: "https://hooks.example.com/", actions: ["task.created"] };
  const made = await owner.call("POST", at, { body });
  const one = `/webhook-endpoints/${made.body.id}`;
  const tested = await owner.call("POST", `${one}/test`);
  const answers = [
    ...[made, tested],
    await owner.call("GET", one),
    await owner.call("PATCH", one, { body: { enabled: false }, ...any }),
    await owner.call("PATCH", one, { body: { enabled: true, name: "Others" }, ...any }),
    await owner.call("POST", `${one}/rotate-secret`),
    await owner.call("GET", `/webhook-deliveries/${tested.body.id}`),
    await owner.call("POST", `/webhook-deliveries/${tested.body.id}/replay`),
  ];
  expect(answers.map(({ status }) => status)).toEqual([201, 202, 200, 200, 200, 200, 200, 202]);
  await running.asOwner("update webhook_positions set tx = pg_snapshot_xmin(pg_current_snapshot())");
  await newTask(owner, seen.loaded.projectId);
  await followEvents(running.database);
  const holder = newId();
  await store.claimEndpoints(running.database.writer, 20, 5, holder, 30);
  await inWorkspace(running.database.writer, workspaceId, async (tx) => {
    const { id } = made.body;
    await store.readServed(tx, id, holder);
    const due = await store.readDue(tx, id, 4);
    await readEvents(
      tx,
      due.flatMap(({ event_id }) => event_id ?? []),
    );
    const noted = { state: "delivered", error_code: null, status_code: 200, duration_ms: 1, pause: null } as const;
    await store.settle(tx, id, holder, [{ ...noted, id: tested.body.id, attempts: 0 }]);
    await store.disable(tx, id, "failing");
  });
  expect((await owner.call("DELETE", one)).status).toBe(204);
  const statements = new Map(seen.recorded.map((statement) => [statement.sql, statement]));
  expect(statements.size).toBeGreaterThan(25);
  for (const statement of statements.values())
    expect.soft(allFaultsOf(await explainUndone(statement), statement.sql), statement.sql).toEqual([]);
});
