// Who is online while a process is killed: its people are offline to those who observe them at another.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type Another, anotherProcess } from "../../../test/another-process.ts";
import { observe, presentAt, renew, seen } from "../../../test/presence.ts";
import { leaveAll } from "../../../test/realtime.ts";
import { service, world } from "../../../test/world.ts";

const running = service({});
afterEach(leaveAll);
let another: Another;
beforeAll(async () => {
  another = await anotherProcess(running);
});
afterAll(() => another.kill());

test("who is online at one is online at the other, and when that one is killed, is not any more", async () => {
  const home = await world(running);
  const [ada, bob] = [await home.member("member"), await home.member("viewer")];
  const there = { url: `http://localhost:${another.host.split(":")[1]}` };
  const [watcher, far] = [await presentAt(running, home.owner), await presentAt(there, bob)];
  const leaving = await presentAt(there, ada);
  observe(watcher, [ada]);
  observe(far, [home.owner]);
  renew(leaving);
  renew(watcher);
  await seen(watcher, [[ada, true]]);
  await seen(far, [[home.owner, true]]);
  leaving.listener.leave();
  await seen(watcher, [[ada, false]]);
  renew(await presentAt(there, ada));
  await seen(watcher, [[ada, true]]);
  await another.kill();
  await seen(watcher, [[ada, false]]);
  expect(watcher.listener.closed).toBeNull();
});
