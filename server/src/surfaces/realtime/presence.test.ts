// Who is online: told completely, renewed by nothing but presence_renew, the same in every process, and unknown as soon
// as it cannot be known. presence.slow.test.ts kills a process.
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { newMembers } from "../../../test/people.ts";
import { observe, presentAt, renew, seen } from "../../../test/presence.ts";
import { leaveAll, listenAs } from "../../../test/realtime.ts";
import { type SecondServer, secondServer } from "../../../test/second-server.ts";
import { type Person, service, type World, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service({});
afterEach(leaveAll);
/** Where a renewal is good for one second. */
let brief: SecondServer;
beforeAll(async () => {
  brief = await secondServer(running, {}, { realtime: { limits: { presence_seconds: 1 } } });
});
afterAll(() => brief.close());

const present = (person: Person, at: { url: string } = running) => presentAt(at, person);
async function people(): Promise<World & { ada: Person; bob: Person }> {
  const home = await world(running);
  return { ...home, ada: await home.member("member"), bob: await home.member("viewer") };
}

describe("in one process", () => {
  test("somebody is online from the first renewal on, and no longer once the socket is left", async () => {
    const { owner, ada, bob } = await people();
    const [watcher, other] = [await present(owner), await present(ada)];
    observe(watcher, [ada, bob]);
    const first = await seen(watcher, [
      [ada, false],
      [bob, false],
    ]);
    renew(other);
    const second = await seen(watcher, [
      [ada, true],
      [bob, false],
    ]);
    expect(second.epoch).toBe(first.epoch);
    expect(Number(second.revision)).toBeGreaterThan(Number(first.revision));
    other.listener.leave();
    await seen(watcher, [
      [ada, false],
      [bob, false],
    ]);
  });

  test("with two sockets somebody is online while one of them is renewed", async () => {
    const { owner, ada } = await people();
    const [watcher, one, two] = [await present(owner), await present(ada), await present(ada)];
    renew(one);
    renew(two);
    observe(watcher, [ada]);
    await seen(watcher, [[ada, true]]);
    one.listener.leave();
    observe(watcher, [ada]);
    await seen(watcher, [[ada, true]]);
    two.listener.leave();
    await seen(watcher, [[ada, false]]);
  });

  test("a socket that never renewed can be left while another one keeps its person online", async () => {
    const { owner, ada, bob } = await people();
    const [watcher, renewed, silent] = [await present(owner), await present(ada), await present(ada)];
    const other = await present(bob);
    renew(renewed);
    observe(watcher, [ada, bob]);
    await seen(watcher, [
      [ada, true],
      [bob, false],
    ]);
    silent.listener.leave();
    await silent.listener.until("it is closed", () => silent.listener.closed !== null);
    renew(renewed);
    renew(other);
    await seen(watcher, [
      [ada, true],
      [bob, true],
    ]);
  });

  test("it lapses without presence_renew, whatever else is sent", async () => {
    const { owner, ada } = await people();
    const [watcher, other] = [await present(owner, brief), await present(ada, brief)];
    observe(watcher, [ada]);
    await seen(watcher, [[ada, false]]);
    const during = async (act: () => void, online: boolean) => {
      // Wait: acts until it is seen.
      const acting = setInterval(act, 100);
      await seen(watcher, [[ada, online]]).finally(() => clearInterval(acting));
    };
    await during(() => renew(other), true);
    const anythingElse = () => {
      other.listener.send({ type: "ping" });
      other.listener.channel.pong();
      other.listener.send({ type: "ack", ...other.applied });
    };
    await during(anythingElse, false);
    await during(() => renew(other), true);
  });

  test("it needs a subscription to the Workspace and a cursor of it that was acknowledged", async () => {
    const { owner } = await people();
    const listener = await listenAs(running, owner);
    const { cursor } = await listener.subscribe("workspace", { id: "w" });
    const projects = await listener.subscribe("projects", { id: "p" });
    const refused = async (frame: object) => {
      listener.sendRaw(JSON.stringify({ type: "presence_renew", ...frame }));
      const { code } = await listener.next("error");
      listener.sendRaw(JSON.stringify({ type: "presence_observe", user_ids: [owner.userId], ...frame }));
      expect((await listener.next("error")).code).toBe(code);
      return code;
    };
    expect(await refused({ subscription_id: "x", cursor })).toBe("unknown_subscription");
    expect(await refused({ subscription_id: "w", cursor })).toBe("not_applied");
    expect(await refused({ subscription_id: "w", cursor: projects.cursor })).toBe("invalid_cursor");
    listener.send({ type: "ack", subscription_id: "p", cursor: projects.cursor });
    expect(await refused({ subscription_id: "p", cursor: projects.cursor })).toBe("not_applied");
    listener.send({ type: "ack", subscription_id: "w", cursor });
    listener.send({ type: "presence_observe", subscription_id: "w", cursor, user_ids: [owner.userId] });
    await listener.next("presence");
  });

  test("up to 256 different active members are observed, nobody else, and an empty list clears", async () => {
    const home = await people();
    const { owner, ada, bob } = home;
    const watcher = await present(owner);
    const refused = async (userIds: string[]) => {
      watcher.listener.send({ type: "presence_observe", ...watcher.applied, user_ids: userIds });
      return (await watcher.listener.next("error")).code;
    };
    const stranger = (await world(running)).owner;
    expect(await refused([ada.userId, ada.userId])).toBe("invalid_frame");
    expect(await refused([ada.userId, stranger.userId])).toBe("not_a_member");
    expect(await refused([ada.actorId])).toBe("not_a_member");
    expect(await refused([newId()])).toBe("not_a_member");
    await running.sql("update memberships set state = 'suspended' where user_id = $1", [bob.userId]);
    expect(await refused([ada.userId, bob.userId])).toBe("not_a_member");
    const crowd = await newMembers(running, home, 255);
    observe(watcher, [ada, ...crowd]);
    const { online } = await watcher.listener.next("presence");
    expect(Object.keys(online)).toHaveLength(256);
    expect(await refused([owner, ada, ...crowd].map(({ userId }) => userId))).toBe("invalid_frame");
    observe(watcher, []);
    const other = await present(ada);
    renew(other);
    await other.listener.settled();
    observe(watcher, [ada]);
    await seen(watcher, [[ada, true]]);
    // Meanwhile nothing was told.
    expect(watcher.listener.of("presence")).toEqual([]);
  });

  test("with the subscription or the right that it was observed under, nothing is known any more", async () => {
    const { owner, ada, bob, workspaceId } = await people();
    const [watcher, ended] = [await present(owner), await present(bob)];
    for (const observer of [watcher, ended]) {
      observe(observer, [ada]);
      await seen(observer, [[ada, false]]);
    }
    watcher.listener.send({ type: "unsubscribe", subscription_id: "w" });
    expect((await watcher.listener.next("presence_unknown")).reason).toBe("observer");
    await running.sql("update memberships set state = 'removed' where user_id = $1 and workspace_id = $2", [
      bob.userId,
      workspaceId,
    ]);
    expect((await ended.listener.next("presence_unknown")).reason).toBe("authorization");
    expect((await ended.listener.bye()).code).toBe("membership_ended");
    const other = await present(ada);
    renew(other);
    await other.listener.settled();
    expect(watcher.listener.of("presence")).toEqual([]);
  });

  test("who is online in one Workspace is not in another", async () => {
    const { ada } = await people();
    const there = await people();
    const joined = await there.member("member");
    await running.sql("update memberships set user_id = $1 where workspace_id = $2 and user_id = $3", [
      ada.userId,
      there.workspaceId,
      joined.userId,
    ]);
    renew(await present(ada));
    const watcher = await present(there.owner);
    observe(watcher, [ada]);
    await seen(watcher, [[ada, false]]);
  });
});

describe("in two processes", () => {
  test("a process that starts is told of those who were there before", async () => {
    const { ada, bob } = await people();
    const early = await present(ada);
    renew(early);
    await early.listener.settled();
    const started = await secondServer(running);
    const late = await present(bob, started);
    observe(late, [ada]);
    await seen(late, [[ada, true]]);
    early.listener.leave();
    await seen(late, [[ada, false]]);
    leaveAll();
    await started.close();
  });

  test("while the others are not heard nothing is known, and then everything anew", async () => {
    const { owner, ada } = await people();
    const watcher = await present(owner);
    observe(watcher, [ada]);
    const known = await seen(watcher, [[ada, false]]);
    await cutChannels();
    expect((await watcher.listener.next("presence_unknown")).reason).toBe("source");
    const after = await seen(watcher, [[ada, false]]);
    expect(after.epoch).not.toBe(known.epoch);
  });

  test("who is online at one is online at the other, until they leave or their renewal ends there", async () => {
    const { owner, ada, bob } = await people();
    const [watcher, there, far] = [await present(owner), await present(ada, brief), await present(bob, brief)];
    observe(watcher, [ada]);
    observe(far, [owner]);
    renew(watcher);
    await seen(far, [[owner, true]]);
    // Wait: renews until it is seen.
    const renewing = setInterval(() => renew(there), 100);
    await seen(watcher, [[ada, true]]).finally(() => clearInterval(renewing));
    await seen(watcher, [[ada, false]]);
    watcher.listener.leave();
    await seen(far, [[owner, false]]);
  });
});

/** As a connection that breaks. */
async function cutChannels() {
  const admin = new pg.Client({ connectionString: running.databaseUrl });
  await admin.connect();
  await admin.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'svc-channel' and datname = current_database()`,
  );
  await admin.end();
}
