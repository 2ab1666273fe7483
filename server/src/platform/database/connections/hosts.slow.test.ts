// Databases with several hosts: a standby is skipped, and hosts that hang, close or refuse connections are passed over.
// Also a network that swallows every packet.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testDatabase } from "../../../../test/database.ts";
import { FaultyNetwork } from "../../../../test/faulty-network.ts";
import { ask, type PasswordCluster, startPasswordCluster } from "../../../../test/password-cluster.ts";
import { openDatabase } from "../db.ts";
import { connectClient } from "./client.ts";
import { ownerSession } from "./session.ts";

const SESSION = ownerSession("svc-test");
let primary: PasswordCluster;
let standby: { port: number; stop(): Promise<void> };
let local: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  [local, primary] = await Promise.all([testDatabase(), startPasswordCluster()]);
  standby = await primary.startStandby();
});
afterAll(async () => {
  await standby?.stop();
  await Promise.all([primary?.stop(), local?.drop()]);
});
const at = (hosts: string, query = "") => `postgresql://svc:${primary.password}@${hosts}/svc?${query}`;

describe("a network that swallows everything", () => {
  test("lets a connection end, and an attempt too, whatever it waits for", async () => {
    const network = await FaultyNetwork.to(local.url);
    try {
      const client = await connectClient(network.url, SESSION);
      network.begin("swallow");
      await client.end();
      await network.heal();
      // The handshake passes, and no statement after it does.
      // Wait: none; it begins after the connection was passed on.
      network.accepted = () => setTimeout(() => network.begin("swallow answers"), 0);
      await expect(connectClient(network.url, SESSION, { connectionTimeoutMillis: 500 })).rejects.toThrow(/timeout/);
    } finally {
      await network.close();
    }
  });
});

describe("several hosts", () => {
  test.for(["any", "read-write", "primary"])("skip a standby, with target_session_attrs=%s", async (target) => {
    const query = `target_session_attrs=${target}`;
    expect(await ask(at(`127.0.0.1:${standby.port},127.0.0.1:${primary.port}`, query), "show port")).toBe(
      String(primary.port),
    );
    await expect(ask(at(`127.0.0.1:${standby.port}`, query), "select 1")).rejects.toThrow(/is a standby/);
  });
  test("of which the first hangs are tried from the one that connected last, so that its recovery is noticed first", async () => {
    const [first, second] = [await FaultyNetwork.to(local.url), await FaultyNetwork.to(local.url)];
    const url = first.url.replace(/:\d+\//, `:${first.port},127.0.0.1:${second.port}/`);
    const pools = openDatabase(url, 2);
    const works = () =>
      pools.writer
        .use((tx) => tx.rows("select 1"))
        .then(
          () => true,
          () => false,
        );
    let tried: string[] = [];
    first.accepted = () => tried.push("first");
    second.accepted = () => tried.push("second");
    try {
      first.beginOutage("accept and hang");
      await expect.poll(works).toBe(true);
      tried = [];
      second.beginOutage("accept and close");
      await expect.poll(() => works().then(() => tried.filter((name) => name === "first").length)).toBe(2);
      expect(tried.slice(-4)).toEqual(["second", "first", "second", "first"]);
      await second.heal();
      tried = [];
      await expect.poll(works).toBe(true);
      expect(tried[0]).toBe("second");
    } finally {
      await pools.end();
      await Promise.all([first.close(), second.close()]);
    }
  });
  test("let pools go on at the next one when the first is gone", async () => {
    const [first, second] = [await FaultyNetwork.to(local.url), await FaultyNetwork.to(local.url)];
    const url = `${first.url.replace(/:\d+\//, `:${first.port},127.0.0.1:${second.port}/`)}?target_session_attrs=read-write`;
    const pools = openDatabase(url, 2);
    const works = () =>
      pools.writer
        .use((tx) => tx.rows("select 1"))
        .then(
          () => true,
          () => false,
        );
    try {
      expect(await works()).toBe(true);
      first.beginOutage("refuse");
      await expect.poll(works).toBe(true);
    } finally {
      await pools.end();
      await Promise.all([first.heal(), second.heal()]);
      await Promise.all([first.close(), second.close()]);
    }
  });
});
