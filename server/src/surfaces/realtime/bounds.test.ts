// Limits per socket, person, Workspace and process: usage up to a limit is served, one more is refused or ended with
// its code, and nobody else is affected. The tests use low limits; the first test checks the defaults against the
// contract.
import { limits } from "@svc/contract/surfaces/realtime/limits.ts";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { type Listener, leaveAll, listenAs } from "../../../test/realtime.ts";
import { type Person, service, sessionHeaders, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const BOUNDS = {
  frame_bytes: 8192,
  frames_per_second: 1,
  frames_at_once: 20,
  subscriptions: 3,
  unread_bytes: 100_000,
  sockets_per_person: 3,
  sockets_per_workspace: 5,
  sockets_per_process: 7,
};
const running = service({ metricsPort: 0 }, { realtime: { limits: BOUNDS } });
const usual = service();
/** The second waits two seconds; the third would have to wait four. */
const OPENING = { opened_at_once: 1, opened_per_second: 0.5, opening_seconds: 3 };
const slow = service({}, { realtime: { limits: OPENING } });
afterEach(leaveAll);

const tried = async (person: Person) => {
  const { status, body, headers } = await running.send("GET", "/realtime", {
    headers: { cookie: sessionHeaders(person.session).cookie },
  });
  return [status, body?.code, headers.get("retry-after") === null ? null : Number(headers.get("retry-after")) >= 1];
};
/** One that only asks leaves again, and is counted until its connection has ended. */
async function emptied() {
  leaveAll();
  const { owner } = await world(running);
  await eventually(async () => {
    const opened = await Promise.allSettled([0, 1, 2].map(() => listenAs(running, owner)));
    leaveAll();
    expect(opened.map(({ status }) => status)).not.toContain("rejected");
  }, 20);
}

test("the welcome of a service that was not told otherwise has the contract's bounds", async () => {
  const { owner } = await world(usual);
  const { limits: told } = await (await listenAs(usual, owner)).next("welcome");
  const { frame_bytes, frames_per_second, subscriptions, observed_users, presence_seconds } = limits;
  expect(told).toEqual({ frame_bytes, frames_per_second, subscriptions, observed_users, presence_seconds });
});

test("so many sockets of a person, and the next is told 429 until one is closed", async () => {
  const { owner, member } = await world(running);
  const open = [await listenAs(running, owner), await listenAs(running, owner), await listenAs(running, owner)];
  expect(await tried(owner)).toEqual([429, "too_many_sockets", true]);
  await listenAs(running, await member("member"));
  open[0]?.leave();
  await eventually(() => listenAs(running, owner), 20);
});

test("many at once of one person are no more than one after the other", async () => {
  await emptied();
  const { owner } = await world(running);
  const told = await Promise.allSettled(Array.from({ length: 12 }, () => listenAs(running, owner)));
  expect(told.filter(({ status }) => status === "fulfilled")).toHaveLength(BOUNDS.sockets_per_person);
});

test("so many sockets of a Workspace, and of a process, and the next is told 429 and 503", async () => {
  await emptied();
  const [home, other] = [await world(running), await world(running)];
  for (let count = 0; count < BOUNDS.sockets_per_workspace; count++)
    await listenAs(running, await home.member("member"));
  expect(await tried(home.owner)).toEqual([429, "too_many_sockets", true]);
  await listenAs(running, other.owner);
  await listenAs(running, await other.member("member"));
  expect(await tried(await other.member("member"))).toEqual([503, "overloaded", true]);
});

test("so many subscriptions of a socket, and the next is refused until one is given up", async () => {
  await emptied();
  const { owner } = await world(running);
  const listener = await listenAs(running, owner);
  for (const id of ["a", "b", "c", "d"]) listener.send({ type: "subscribe", subscription_id: id, scope: "workspace" });
  await listener.settled();
  expect(listener.of("subscribed").map(({ subscription_id }) => subscription_id)).toEqual(["a", "b", "c"]);
  expect(listener.of("error")).toMatchObject([{ code: "too_many_subscriptions", subscription_id: "d" }]);
  listener.send({ type: "unsubscribe", subscription_id: "a" });
  await listener.subscribe("workspace", { id: "d" });
});

test("so many frames at once, and one more ends the socket; it can come back", async () => {
  await emptied();
  const { owner } = await world(running);
  const good = await listenAs(running, owner);
  for (let count = 0; count < BOUNDS.frames_at_once; count++) good.send({ type: "ping" });
  await good.until("each is answered", () => good.of("pong").length === BOUNDS.frames_at_once);
  const bad = await listenAs(running, owner);
  // The allowance of more seconds than any test lasts.
  const many = BOUNDS.frames_at_once + 100;
  for (let count = 0; count < many; count++) bad.send({ type: "ping" });
  const { code, retry_after, close } = await bad.bye();
  expect([code, retry_after >= 1, close]).toEqual(["rate_limited", true, 4429]);
  expect(bad.of("pong").length).toBeLessThan(many);
  await (await listenAs(running, owner)).settled();
});

test("a frame of so many bytes is read, and one more byte closes the socket with 1009", async () => {
  await emptied();
  const { owner } = await world(running);
  const listener = await listenAs(running, owner);
  listener.sendRaw(`{"type":"ping"}${" ".repeat(BOUNDS.frame_bytes - 15)}`);
  await listener.next("pong");
  listener.sendRaw(`{"type":"ping"}${" ".repeat(BOUNDS.frame_bytes - 14)}`);
  await listener.until("it is closed", () => listener.closed !== null);
  expect(listener.closed?.code).toBe(1009);
});

test("who does not read is ended once so much is unread, and resumes without a change lost", async () => {
  const { owner, workspaceId } = await world(usual);
  const { body: baseline } = await owner.call("GET", "/realtime/baseline");
  const ids = Array.from({ length: 1000 }, () => newId());
  await usual.sql(
    `insert into domain_events (workspace_id, id, type, command_id, resource_kind, resource_id)
    select $1, x.id, 'label.created', x.id, 'label', x.id from unnest($2::uuid[]) x(id)`,
    [workspaceId, ids],
    workspaceId,
  );
  // The kernel takes some megabytes before anything waits in the process, and nobody sees from outside when that is.
  async function slowly(pauseMs: number): Promise<Listener> {
    const listener = await listenAs(usual, owner);
    await listener.next("welcome");
    listener.channel.pause();
    for (let count = 0; count < limits.subscriptions; count++)
      listener.send({ type: "subscribe", subscription_id: `s${count}`, scope: "workspace", cursor: baseline.cursor });
    // Wait: if it was too short, the next one is twice as long.
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    listener.channel.resume();
    listener.send({ type: "ping" });
    await listener.until("it is ended or answered", () => listener.closed !== null || listener.of("pong").length > 0);
    return listener.closed ? listener : slowly(2 * pauseMs);
  }
  const slow = await slowly(1500);
  expect(await slow.bye()).toMatchObject({ code: "slow_reader", close: 4408 });
  const [first] = slow.of("change");
  const again = await listenAs(usual, owner);
  await again.subscribe("workspace", { cursor: first?.cursor ?? baseline.cursor });
  const told = () =>
    new Set([...again.of("change"), ...(first ? [first] : [])].flatMap(({ changes }) => changes.map(({ id }) => id)));
  await again.until("all is told", () => ids.every((id) => told().has(id)));
});

test("of who leaves while a subscription is asked for nothing is left behind", async () => {
  await emptied();
  const { owner } = await world(running);
  for (let round = 0; round < 5; round++) {
    const listener = await listenAs(running, owner);
    for (const id of ["a", "b", "c"]) listener.send({ type: "subscribe", subscription_id: id, scope: "workspace" });
    await new Promise((resolve) => setImmediate(resolve));
    listener.leave();
    await emptied();
  }
  await eventually(async () => {
    const text = await (await fetch(`http://127.0.0.1:${running.metricsPort}/metrics`)).text();
    expect(text).toMatch(/^svc_realtime_sockets 0$/m);
    expect(text).toMatch(/^svc_realtime_subscriptions 0$/m);
  }, 20);
});

test("a crowd is let in one after the other, and whoever would wait for too long is told when to come back", async () => {
  const { owner } = await world(slow);
  // They all come at the same moment.
  vi.spyOn(performance, "now").mockReturnValue(performance.now());
  onTestFinished(() => void vi.restoreAllMocks());
  const tries = await Promise.allSettled([1, 2, 3].map(() => listenAs(slow, owner)));
  expect(tries.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
  expect(String((tries[2] as PromiseRejectedResult).reason)).toContain("refused with 503");
});

test("a server that stops says bye and when to come back, and lets nobody in any more", async () => {
  await emptied();
  const { owner, member } = await world(running);
  const listeners: Listener[] = [await listenAs(running, owner), await listenAs(running, await member("member"))];
  for (const listener of listeners) await listener.applied();
  const closing = running.close();
  for (const listener of listeners) {
    const { code, retry_after, close } = await listener.bye();
    expect([code, close]).toEqual(["draining", 1012]);
    expect(retry_after).toBeGreaterThanOrEqual(1);
  }
  await closing;
  running.close = async () => {};
});
