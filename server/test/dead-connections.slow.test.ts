// The database behind a network that fails: everything that waits for it ends by itself, nothing that timed out is used
// again, and whatever is asked after the network has healed is answered soon.
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { newId } from "../src/platform/wire/ids.ts";
import { exchange } from "./client.ts";
import { FaultyNetwork, faults } from "./faulty-network.ts";
import { newKey, type Person, service, type World, world } from "./world.ts";

/**
 * A dead connection that nobody gives up lasts for minutes. `npm run chaos` requires five seconds (RECOVERY_MS), on a
 * machine without other work.
 */
const RECOVERY = { timeout: 60_000, interval: 100 };

let network: FaultyNetwork;
let admin: pg.Client;
// Before the service is there, and so after it has closed.
afterAll(async () => {
  await network.close();
  await admin.end();
});
const running = service({ roles: ["api", "worker"] }, {}, async (url) => {
  admin = new pg.Client(url);
  // Ended by the removal of the database.
  admin.on("error", () => {});
  network = await FaultyNetwork.to(url);
  return network.url;
});
let all: World;
let owner: Person;
let projectId: string;
beforeAll(async () => {
  await admin.connect();
  await admin.query("set svc.owner = 'on'");
  all = await world(running);
  owner = all.owner;
  const created = await owner.call("POST", `/workspaces/${all.workspaceId}/projects`, {
    key: newKey(),
    body: { key: "NET", name: "Network" },
  });
  projectId = created.body.id;
});

const read = () => owner.call("GET", `/projects/${projectId}`, { once: true });
const write = (title: string, key = newKey()) =>
  owner.call("POST", `/projects/${projectId}/tasks`, { key, body: { title }, once: true });
const readyz = async () =>
  (await exchange("GET", `${running.url.replace("localhost", "127.0.0.1")}/readyz`, {})).status;
const healthz = async () =>
  (await exchange("GET", `${running.url.replace("localhost", "127.0.0.1")}/healthz`, {})).status;
const jobsLeft = async (key: string) =>
  (await admin.query("select from graphile_worker.jobs where key = $1", [key])).rowCount;
const addJob = async () => {
  const key = newId();
  await admin.query("select graphile_worker.add_job('sweep_single_use', '{}', job_key => $1)", [key]);
  return key;
};
const titles = async (title: string) =>
  (await admin.query("select from tasks where workspace_id = $1 and title = $2", [all.workspaceId, title])).rowCount;

async function recovers() {
  network.heal();
  const job = await addJob();
  await Promise.all([
    vi.waitFor(async () => expect((await read()).status).toBe(200), RECOVERY),
    vi.waitFor(async () => expect((await write("after")).status).toBe(201), RECOVERY),
    vi.waitFor(async () => expect(await jobsLeft(job)).toBe(0), RECOVERY),
    vi.waitFor(async () => expect(await readyz()).toBe(200), RECOVERY),
  ]);
}

describe.for(faults)("a network that begins to %s", (fault) => {
  test("answers what is asked meanwhile with 503 at worst, and everything is back soon after it", async () => {
    await vi.waitFor(async () => expect(await readyz()).toBe(200), RECOVERY);
    network.begin(fault);
    const asking = Promise.all([read(), read(), write(newId()), write(newId())]);
    const ready = await readyz();
    if (fault !== "trickle") expect(ready, "readyz").toBe(503);
    expect(await healthz()).toBe(200);
    await recovers();
    for (const { status, headers } of await asking) {
      expect([200, 201, 503]).toContain(status);
      if (status === 503) expect(headers.get("retry-after")).toMatch(/^\d+$/);
    }
  });

  test("and heals before anybody asks leaves no dead connection in anybody's way for long", async () => {
    await Promise.all(Array.from({ length: 16 }, (_, at) => (at % 2 ? read() : write("warm"))));
    network.begin(fault);
    await recovers();
  });
});

test("a worker that still hears of new jobs, but whose questions are swallowed, is back soon", async () => {
  await vi.waitFor(async () => expect(await readyz()).toBe(200), RECOVERY);
  network.begin("swallow questions");
  network.heal();
  let going = true;
  const news = (async () => {
    // Wait: a pause between two jobs.
    for (; going; await sleep(20)) await addJob();
  })();
  expect(await readyz(), "the first to ask meets what is dead").toBe(503);
  await vi.waitFor(async () => expect(await readyz()).toBe(200), RECOVERY);
  going = false;
  await news;
});

test("a commit whose answer is lost is not repeated: the retry under its key finds the one that was made", async () => {
  await vi.waitFor(async () => expect(await readyz()).toBe(200), RECOVERY);
  const [title, key] = [newId(), newKey()];
  // Held by us, so that the write waits at its last statement; its commit then happens, and the answer is swallowed.
  await admin.query("begin; lock table audit_log in access exclusive mode");
  const writing = write(title, key);
  const waits = "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
  await vi.waitFor(async () => {
    // Within a transaction, what was seen once is seen again.
    await admin.query("select pg_stat_clear_snapshot()");
    expect((await admin.query(waits)).rowCount).toBeGreaterThan(0);
  }, RECOVERY);
  network.begin("swallow answers");
  await admin.query("commit");
  expect((await writing).status).toBe(503);
  await vi.waitFor(async () => expect(await titles(title)).toBe(1), RECOVERY);
  network.heal();
  const retried = await vi.waitFor(async () => {
    const answer = await write(title, key);
    expect(answer.status).toBe(201);
    return answer;
  }, RECOVERY);
  expect(retried.headers.get("idempotent-replayed")).toBe("true");
  expect(await titles(title)).toBe(1);
});

test("a transaction that was cut off in the middle soon lets go of its rows", async () => {
  await vi.waitFor(async () => expect(await readyz()).toBe(200), RECOVERY);
  const { body: task } = await write("locked");
  let asked = () => {};
  const holds = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const cut = running.database.writer.use(async (tx) => {
    await tx.begin();
    await tx.rows("select set_config('svc.workspace', $1, true)", [all.workspaceId]);
    await tx.rows("select from tasks where workspace_id = $1 and id = $2 for update", [all.workspaceId, task.id]);
    network.begin("swallow");
    asked();
    await tx.rows("select 1");
  });
  cut.catch(() => {});
  await holds;
  network.heal();
  await vi.waitFor(async () => {
    const answer = await owner.call("PATCH", `/tasks/${task.id}`, {
      ifMatch: (await owner.call("GET", `/tasks/${task.id}`)).body.revision,
      body: { title: "changed" },
    });
    expect(answer.status).toBe(200);
  }, RECOVERY);
  await expect(cut).rejects.toThrow();
});
