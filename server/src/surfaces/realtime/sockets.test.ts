// A realtime socket: subscriptions, deliveries and acknowledgements, and refusals with their reasons.
import pg from "pg";
import { afterEach, describe, expect, test } from "vitest";
import { discussPath, say, talkers } from "../../../test/discuss.ts";
import { eventually } from "../../../test/eventually.ts";
import { nativeTokens } from "../../../test/native.ts";
import { ideToken, type Listener, leaveAll, listenAs, listenWith, welcomedAt } from "../../../test/realtime.ts";
import { newComment, newProject, newTask, workshopOn } from "../../../test/work.ts";
import { newKey, type Person, service, testKeys, world } from "../../../test/world.ts";
import { type JournalPosition, openPlace, sealPlace } from "../../platform/database/journal.ts";
import { cursorSigner } from "../../platform/wire/cursor.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();
afterEach(leaveAll);

const welcomed = (person: Pick<Person, "session">) => welcomedAt(running, person);
/**
 * Transactions elsewhere in the cluster hold the journal back, and what is behind them is told again: here they have
 * ended.
 */
const passed = (column: "task_id" | "project_id", id: string) =>
  eventually(async () => {
    const asked = `select bool_and(tx < pg_snapshot_xmin(pg_current_snapshot())) as passed from domain_events
      where ${column} = $1`;
    expect(await running.asOwner(asked, [id])).toEqual([{ passed: true }]);
  });
const errorTo = async (listener: Listener, frame: unknown) => {
  listener.sendRaw(typeof frame === "string" ? frame : JSON.stringify(frame));
  const { code, subscription_id } = await listener.next("error");
  return subscription_id === undefined ? code : [code, subscription_id];
};

describe("following", () => {
  test("who subscribes with the cursor of a baseline is told what came since, acknowledges it, and resumes behind it", async () => {
    const { owner, project } = await workshopOn(running);
    const { body: baseline } = await owner.call("GET", "/realtime/baseline");
    const task = await newTask(owner, project.id);
    const listener = await welcomed(owner);
    expect((await listener.subscribe("workspace", { cursor: baseline.cursor })).cursor).not.toBe("");
    const first = await listener.next("change", ({ changes }) => changes.some(({ id }) => id === task.id));
    expect(first.changes.find(({ id }) => id === task.id)).toMatchObject({ kind: "task", action: "created" });
    expect(JSON.stringify(first)).not.toContain(task.title);
    listener.send({ type: "ack", subscription_id: "workspace", cursor: first.cursor });
    await listener.settled();
    expect(listener.of("error")).toEqual([]);
    listener.leave();

    const other = await newTask(owner, project.id);
    const again = await welcomed(owner);
    await again.subscribe("workspace", { cursor: first.cursor });
    const next = await again.next("change", ({ changes }) => changes.some(({ id }) => id === other.id));
    expect(next.changes.some(({ id }) => id === task.id)).toBe(false);
  });

  test("a read with X-Svc-Realtime-Baseline has a cursor of the workspace scope", async () => {
    const { owner, project } = await workshopOn(running);
    const read = await owner.call("GET", `/projects/${project.id}/tasks`, {
      headers: { "x-svc-realtime-baseline": "1" },
    });
    const cursor = read.headers.get("x-svc-realtime-cursor") as string;
    const task = await newTask(owner, project.id);
    const listener = await welcomed(owner);
    await listener.subscribe("workspace", { cursor });
    await listener.next("change", ({ changes }) => changes.some(({ id }) => id === task.id));
  });

  test("without a cursor it is told what comes from now on, and after unsubscribe nothing", async () => {
    const { owner, project } = await workshopOn(running);
    const before = await newTask(owner, project.id);
    await passed("task_id", before.id);
    const listener = await welcomed(owner);
    await listener.subscribe("workspace", { id: "a" });
    await listener.subscribe("workspace", { id: "b" });
    const task = await newTask(owner, project.id);
    for (const id of ["a", "b"]) {
      const told = await listener.next(
        "change",
        ({ subscription_id, changes }) => subscription_id === id && changes.length > 0,
      );
      expect(told.changes.map((change) => change.id)).toContain(task.id);
      expect(told.changes.map((change) => change.id)).not.toContain(before.id);
    }
    listener.send({ type: "unsubscribe", subscription_id: "a" });
    await listener.settled();
    const last = await newTask(owner, project.id);
    await listener.next(
      "change",
      ({ subscription_id, changes }) => subscription_id === "b" && changes.some(({ id }) => id === last.id),
    );
    expect(listener.of("change").filter(({ subscription_id }) => subscription_id === "a")).toEqual([]);
    // Its id is free again.
    await listener.subscribe("projects", { id: "a" });
  });

  test("comments are followed of a Task that one sees, and of no other", async () => {
    const { home, owner, project } = await workshopOn(running);
    const hidden = await newProject(home, { visibility: "private" });
    const [task, secret] = [await newTask(owner, project.id), await newTask(owner, hidden.id)];
    const listener = await welcomed(await home.member("member"));
    await listener.subscribe("task_comments", { resource_id: task.id });
    for (const resource_id of [secret.id, newId()])
      expect(
        await errorTo(listener, { type: "subscribe", subscription_id: "c", scope: "task_comments", resource_id }),
      ).toEqual(["not_found", "c"]);
    const { id } = await newComment(owner, task.id);
    const told = await listener.next("change", ({ changes }) => changes.length > 0);
    expect(told.changes).toEqual([expect.objectContaining({ kind: "comment", id })]);
  });

  test("frames are dealt with in their order, also behind one that asks the database", async () => {
    const { owner, project } = await workshopOn(running);
    // Nobody is told of the Project itself any more.
    await passed("project_id", project.id);
    const listener = await welcomed(owner);
    for (const id of ["a", "b", "c"]) listener.send({ type: "subscribe", subscription_id: id, scope: "projects" });
    listener.send({ type: "unsubscribe", subscription_id: "b" });
    listener.send({ type: "subscribe", subscription_id: "b", scope: "inbox" });
    listener.send({ type: "ping" });
    await listener.next("pong");
    expect(listener.heard.map((frame) => frame.type)).toEqual(["subscribed", "subscribed", "subscribed", "subscribed"]);
  });
});

describe("a cursor", () => {
  test("of somebody else, another session, another scope or another resource, or one that was changed, begins anew", async () => {
    const { home, owner, project } = await workshopOn(running);
    const ada = await home.member("member");
    const [one, other] = [await newTask(owner, project.id), await newTask(owner, project.id)];
    const cursorOf = async (person: Person, query = "") =>
      (await person.call("GET", `/realtime/baseline${query}`)).body.cursor as string;
    const mine = await cursorOf(owner);
    const listener = await welcomed(owner);
    const wrong: [string, string, string?][] = [
      ["workspace", await cursorOf(ada)],
      ["workspace", await cursorOf(owner, "?scope=projects")],
      ["projects", mine],
      ["workspace", `${mine.slice(0, -1)}${mine.endsWith("A") ? "B" : "A"}`],
      ["workspace", "x"],
      ["task_comments", await cursorOf(owner, `?scope=task_comments&resource_id=${one.id}`), other.id],
    ];
    for (const [scope, cursor, resource_id] of wrong) {
      listener.sendRaw(JSON.stringify({ type: "subscribe", subscription_id: "s", scope, cursor, resource_id }));
      expect(await listener.next("reset"), scope).toEqual({
        type: "reset",
        subscription_id: "s",
        reason: "invalid_cursor",
      });
    }
    // Nothing of it is followed.
    expect(await errorTo(listener, { type: "unsubscribe", subscription_id: "s" })).toEqual([
      "unknown_subscription",
      "s",
    ]);
    await listener.subscribe("workspace", { id: "s", cursor: mine });
  });

  test("older than 72 hours, or of another journal, begins anew and says why", async () => {
    const { owner } = await workshopOn(running);
    const { sealed } = await placeOf(owner);
    const listener = await welcomed(owner);
    const before = (hours: number) => ({ position: "3", at: new Date(Date.now() - hours * 3_600_000).toISOString() });
    listener.send({ type: "subscribe", subscription_id: "s", scope: "workspace", cursor: sealed(before(73)) });
    expect((await listener.next("reset")).reason).toBe("expired");
    listener.send({
      type: "subscribe",
      subscription_id: "s",
      scope: "workspace",
      cursor: sealed({ epoch: "another" }),
    });
    expect((await listener.next("reset")).reason).toBe("epoch_changed");
    await listener.subscribe("workspace", { id: "s", cursor: sealed(before(71)) });
  });

  test("of a token is bound to its grant: it ends with bye, and the next token resumes", async () => {
    const { home, owner, project } = await workshopOn(running);
    const { access, refresh } = await nativeTokens(running, owner.userId);
    const listener = await listenWith(running, access, home.workspaceId);
    const { cursor } = await listener.subscribe("workspace");
    await running.sql("update credentials set expires_at = now() where secret_hash = sha256($1::bytea)", [access]);
    expect(await listener.bye()).toEqual({ code: "token_ended", retry_after: 1, close: 4401 });
    const task = await newTask(owner, project.id);
    const refreshed = await running.send("POST", "/mobile/oauth/token", {
      raw: new URLSearchParams({
        grant_type: "refresh_token",
        client_id: "svc-mobile",
        refresh_token: refresh as string,
      }).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    const next = await listenWith(running, refreshed.body.access_token, home.workspaceId);
    await next.subscribe("workspace", { cursor });
    await next.next("change", ({ changes }) => changes.some(({ id }) => id === task.id));
    const other = await listenWith(running, (await nativeTokens(running, owner.userId)).access, home.workspaceId);
    other.send({ type: "subscribe", subscription_id: "s", scope: "workspace", cursor });
    expect((await other.next("reset")).reason).toBe("invalid_cursor");
  });
});

test("health tells of the source whenever it changes, and beside it how far each subscription was told and has applied", async () => {
  const { owner, project } = await workshopOn(running);
  const listener = await listenAs(running, owner);
  expect((await listener.next("welcome")).health.state).toMatch(/^(?:live|delayed)$/);
  const { cursor } = await listener.applied("w");
  await listener.subscribe("projects", { id: "p" });
  await listener.settled();
  const { opened } = await placeOf(owner);
  const holding = new pg.Client({ connectionString: running.databaseUrl });
  await holding.connect();
  await holding.query("begin");
  await holding.query("select pg_current_xact_id()");
  await newTask(owner, project.id);
  const delayed = await listener.next("health", ({ source }) => source.state === "delayed");
  await holding.query("rollback");
  await holding.end();
  expect(delayed.subscriptions.map(({ subscription_id }) => subscription_id)).toEqual(["w", "p"]);
  expect(delayed.subscriptions.map(({ applied }) => applied)).toEqual([opened(cursor, "workspace")?.position, null]);
  await listener.next("change", ({ subscription_id }) => subscription_id === "w");
  const { source } = await listener.next("health", (frame) => frame.source.state === "live");
  expect(source.since >= delayed.source.since).toBe(true);
});

test("discuss is followed from its own beginning, and nothing of the Workspace is told in it", async () => {
  const { owner, project } = await workshopOn(running);
  const { body: baseline } = await owner.call("GET", "/realtime/baseline?scope=discuss");
  const listener = await welcomed(owner);
  const { cursor } = await listener.subscribe("discuss", { id: "now" });
  await listener.subscribe("discuss", { id: "since", cursor: baseline.cursor });
  await listener.subscribe("workspace");
  const { opened } = await placeOf(owner);
  expect([opened(cursor, "discuss")?.position, opened(baseline.cursor, "discuss")?.position]).toEqual(["0", "0"]);
  const task = await newTask(owner, project.id);
  await listener.next("change", ({ changes }) => changes.some(({ id }) => id === task.id));
  // The Workspace may be told again what a transaction elsewhere in the cluster held back.
  expect(listener.of("change").filter(({ subscription_id }) => subscription_id !== "workspace")).toEqual([]);
  listener.send({ type: "ack", subscription_id: "since", cursor: baseline.cursor });
  await listener.settled();
  expect(listener.of("error")).toEqual([]);
});

test("messages, reminders and preferences of a conversation are told to its member, by identities alone, and to nobody else", async () => {
  const { home, ada, bob } = await talkers(running);
  const [listener, other] = [await welcomed(ada), await welcomed(bob)];
  for (const each of [listener, other]) await each.subscribe("discuss");
  const { user_message, assistant_message } = await say(ada, home, "A canary");
  const at = (rest: string) => discussPath(home, rest);
  const due = { text: "Canary", due_at: "2030-01-15T09:00:00Z", confirmed: true };
  const { id, revision } = (await ada.call("POST", at("reminders"), { body: due, key: newKey() })).body;
  await ada.call("PATCH", at("preferences"), { body: { opt_in: true }, ifMatch: "0" });
  await ada.call("PATCH", at(`reminders/${id}`), { body: { action: "complete" }, ifMatch: revision });
  await ada.call("POST", at(`messages/${assistant_message.id}/cancel`));
  const told = () => listener.of("change").flatMap(({ changes }) => changes);
  await eventually(async () => {
    const seen = told().map(({ kind, id: about, action }) => `${kind} ${about} ${action}`);
    for (const wanted of [
      `discuss_message ${user_message.id} created`,
      `discuss_message ${assistant_message.id}`,
      `reminder ${id}`,
      `discuss_preferences ${ada.actorId}`,
    ])
      expect(
        seen.some((one) => one.startsWith(wanted)),
        wanted,
      ).toBe(true);
    expect(told().findLast(({ id: about }) => about === id)?.revision).toBe("2");
    expect(told().findLast(({ id: about }) => about === assistant_message.id)?.revision).toBe("2");
  });
  const sequences = listener.of("change").map(({ cursor }) => cursor);
  expect(new Set(sequences).size).toBe(sequences.length);
  expect(JSON.stringify(listener.of("change"))).not.toMatch(/canary/i);
  await say(bob, home, "Mine");
  await other.next("change");
  expect(
    other
      .of("change")
      .flatMap(({ changes }) => changes)
      .some(({ id: about }) => told().some(({ id: own }) => own === about)),
  ).toBe(false);
  // What was told is not told again to who goes on behind it.
  const again = await welcomed(ada);
  await again.subscribe("discuss", { cursor: listener.of("change").at(-1)?.cursor as string });
  const { user_message: later } = await say(ada, home, "Later");
  const next = await again.next("change");
  expect(next.changes.some(({ id: about }) => about === user_message.id)).toBe(false);
  expect(next.changes.some(({ id: about }) => about === later.id)).toBe(true);
});

/** A place of the owner's own, to be changed and sealed. */
async function placeOf({ userId, session }: Person) {
  const [row] = await running.sql<{ id: string; workspace_id: string } & JournalPosition>(
    `select c.id, c.workspace_id, journal_epoch() as epoch, pg_snapshot_xmin(pg_current_snapshot())::text as position,
      clock_timestamp()::text as at, journal_proof(c.workspace_id, pg_snapshot_xmin(pg_current_snapshot())) as proof
      from credentials c where c.secret_hash = sha256($1::bytea)`,
    [session],
  );
  if (!row) throw new Error("no session");
  const { id: holderId, workspace_id: workspaceId, ...place } = row;
  const bound = { workspaceId, userId, holderId, scope: "workspace", resourceId: null };
  const cursors = cursorSigner(testKeys);
  return {
    sealed: (changes: Partial<typeof place>) => sealPlace(cursors, bound, { ...place, ...changes }),
    opened: (cursor: string, scope: string) => openPlace(cursors, { ...bound, scope }, cursor),
  };
}

describe("a frame is refused, and the socket stays", () => {
  test("where it is none", async () => {
    const { owner } = await world(running);
    const listener = await welcomed(owner);
    const none = [
      "",
      "hello",
      "[]",
      "null",
      "{}",
      '{"type":"welcome"}',
      '{"type":"constructor"}',
      '{"type":{"toString":1,"valueOf":1}}',
      '{"type":["ping"]}',
      `${"[".repeat(15_000)}${"]".repeat(15_000)}`,
      '{"type":"ping","more":1}',
      '{"type":"ping","type":"ping"}',
      { type: "subscribe", scope: "workspace" },
      { type: "subscribe", subscription_id: "", scope: "workspace" },
      { type: "subscribe", subscription_id: "x".repeat(65), scope: "workspace" },
      { type: "subscribe", subscription_id: 'a"b', scope: "workspace" },
      { type: "presence_renew" },
    ];
    for (const frame of none) expect(await errorTo(listener, frame), JSON.stringify(frame)).toBe("invalid_frame");
    const about = (frame: object) => errorTo(listener, { subscription_id: "s", ...frame });
    expect(await about({ type: "subscribe", scope: "everything" })).toEqual(["invalid_frame", "s"]);
    expect(await about({ type: "subscribe", scope: "task_comments" })).toEqual(["invalid_frame", "s"]);
    expect(await about({ type: "subscribe", scope: "projects", resource_id: newId() })).toEqual(["invalid_frame", "s"]);
    expect(await about({ type: "subscribe", scope: "workspace", cursor: "x".repeat(4097) })).toEqual([
      "invalid_frame",
      "s",
    ]);
    listener.sendRaw(Buffer.from('{"type":"ping"}'));
    expect((await listener.next("error")).code).toBe("invalid_frame");
    await listener.settled();
    expect(listener.closed).toBeNull();
  });

  test("where it names a subscription that there is not, or is already, or acknowledges what was not told", async () => {
    const { owner, project } = await workshopOn(running);
    const listener = await welcomed(owner);
    const { cursor } = await listener.subscribe("workspace", { id: "s" });
    expect(await errorTo(listener, { type: "subscribe", subscription_id: "s", scope: "projects" })).toEqual([
      "subscription_exists",
      "s",
    ]);
    expect(await errorTo(listener, { type: "ack", subscription_id: "t", cursor })).toEqual([
      "unknown_subscription",
      "t",
    ]);
    expect(await errorTo(listener, { type: "ack", subscription_id: "s", cursor: "x" })).toEqual([
      "invalid_cursor",
      "s",
    ]);
    await listener.subscribe("projects", { id: "p" });
    expect(await errorTo(listener, { type: "ack", subscription_id: "p", cursor })).toEqual(["invalid_cursor", "p"]);
    // A cursor of its own, but of later than what it was told.
    await running.sql("select pg_current_xact_id()");
    const later = (await placeOf(owner)).sealed({ position: String(10n ** 12n) });
    expect(await errorTo(listener, { type: "ack", subscription_id: "s", cursor: later })).toEqual([
      "invalid_cursor",
      "s",
    ]);
    await newTask(owner, project.id);
    const told = await listener.next("change", ({ subscription_id }) => subscription_id === "s");
    // Acknowledging an older one afterwards takes nothing back.
    listener.send({ type: "ack", subscription_id: "s", cursor: told.cursor });
    listener.send({ type: "ack", subscription_id: "s", cursor });
    listener.send({ type: "presence_renew", subscription_id: "s", cursor: told.cursor });
    await listener.settled();
    expect(listener.of("error")).toEqual([]);
  });

  test("where the credential does not follow the scope", async () => {
    const { home, owner } = await workshopOn(running);
    const ide = await listenWith(running, await ideToken(running, owner.userId, home.workspaceId));
    for (const scope of ["account", "account_security", "inbox", "personal_projects", "discuss"])
      expect(await errorTo(ide, { type: "subscribe", subscription_id: "s", scope }), scope).toEqual([
        "scope_not_allowed",
        "s",
      ]);
    for (const scope of ["workspace", "projects"] as const) await ide.subscribe(scope);
    const native = await listenWith(running, (await nativeTokens(running, owner.userId)).access);
    for (const scope of ["workspace", "projects", "inbox", "personal_projects", "discuss"])
      expect(await errorTo(native, { type: "subscribe", subscription_id: "s", scope }), scope).toEqual([
        "scope_not_allowed",
        "s",
      ]);
    for (const scope of ["account", "account_security"] as const) await native.subscribe(scope);
  });
});
