// A database that nobody can connect to: the process makes one attempt at a time, refuses requests without waiting for
// it, and takes no more connections afterwards than before. bench/chaos has the same faults for longer.
import { Socket } from "node:net";
import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exchange } from "./client.ts";
import { FaultyNetwork, outages } from "./faulty-network.ts";
import { newKey, type Person, service, type World, world } from "./world.ts";

const OUTAGE_MS = 3500;
/** Pools of readers, writers, numbers and jobs, the channel, and one each that looks after them and probes. */
const MOST_CONNECTIONS = 2 * Math.max(8, availableParallelism() * 4) + 2 + 8 + 1 + 2;
/** Two in a second, and those that were under way when it began. */
const mostAttempts = (ms: number) => (2 * ms) / 1000 + 2;

let network: FaultyNetwork;
let admin: pg.Client;
let attempts = 0;
const connect = Socket.prototype.connect;
// Before the service is there, and so after it has closed.
afterAll(async () => {
  Socket.prototype.connect = connect;
  await network.close();
  await admin.end();
});
const running = service({ roles: ["api", "worker", "realtime"] }, {}, async (url) => {
  admin = new pg.Client(url);
  admin.on("error", () => {});
  network = await FaultyNetwork.to(url);
  const { port } = network;
  Socket.prototype.connect = function (this: Socket, ...args: unknown[]) {
    if (args.flat().includes(port)) attempts++;
    return Reflect.apply(connect, this, args);
  } as typeof connect;
  return network.url;
});
let all: World;
let owner: Person;
beforeAll(async () => {
  await admin.connect();
  all = await world(running);
  owner = all.owner;
});

const read = () => owner.call("GET", `/workspaces/${all.workspaceId}/projects`, { once: true });
const write = () =>
  owner.call("POST", `/workspaces/${all.workspaceId}/projects`, {
    key: newKey(),
    body: { key: `P${newKey().replace(/\W/g, "").slice(0, 7).toUpperCase()}`, name: "Outage" },
    once: true,
  });
const readyz = async () =>
  (await exchange("GET", `${running.url.replace("localhost", "127.0.0.1")}/readyz`, {})).status;
const backends = async () =>
  Number(
    (
      await admin.query(
        "select count(*) from pg_stat_activity where datname = current_database() and application_name like 'svc-%'",
      )
    ).rows[0].count,
  );
const isReady = () => expect.poll(readyz).toBe(200);
const load = () => Promise.all(Array.from({ length: 24 }, (_, at) => (at % 2 ? read() : write())));

describe.for(outages)("a database behind a proxy that begins to %s", (outage) => {
  test("gets at most two attempts in a second, and requests are refused meanwhile without waiting", async () => {
    await isReady();
    await load();
    attempts = 0;
    network.beginOutage(outage);
    const answers: Awaited<ReturnType<typeof read>>[] = [];
    const began = performance.now();
    const lasted = () => performance.now() - began;
    // Wait: a pause between two requests; the attempts are compared with how long it lasted.
    for (; lasted() < OUTAGE_MS; await sleep(20)) answers.push(...(await Promise.all([read(), write()])));
    const [made, ms] = [attempts, lasted()];
    let most = 0;
    await network.heal();
    // Wait: looks until everything is back.
    const watching = setInterval(async () => {
      most = Math.max(most, await backends());
    }, 20);
    await isReady();
    await load();
    clearInterval(watching);
    expect(made, "attempts").toBeLessThanOrEqual(mostAttempts(ms));
    // Of those that wait for an attempt, each attempt answers two.
    expect(answers.length, "answers").toBeGreaterThan(2 * mostAttempts(ms));
    for (const { status, headers, body } of answers.slice(2)) {
      expect([status, body.code], "answer").toEqual([503, "overloaded"]);
      expect(headers.get("retry-after")).toMatch(/^\d+$/);
    }
    expect(most, "connections").toBeLessThanOrEqual(MOST_CONNECTIONS);
  });
});
