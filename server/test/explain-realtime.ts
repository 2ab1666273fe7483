// Baselines of clients that follow changes: everything is found by an index. Part of explain.slow.test.ts, as
// explain-one.ts is.
import { scopes } from "@svc/contract/surfaces/realtime/frames.ts";
import { expect, test } from "vitest";
import { changesBetween, placeOf, resetOf } from "../src/platform/database/journal.ts";
import { NIL } from "../src/platform/wire/ids.ts";
import type { Answer } from "./answer.ts";
import { explaining } from "./explained.ts";
import { leaveAll, listenAs } from "./realtime.ts";
import { newComment, newTask } from "./work.ts";
import { asTenant, type Person } from "./world.ts";

const { running, seen, explain, allFaultsOf } = explaining();

async function expectNoFaults() {
  const { home } = seen.loaded;
  const statements = new Map(seen.recorded.map((statement) => [statement.sql, statement]));
  for (const statement of statements.values())
    expect(allFaultsOf(await explain(statement, home.workspaceId), statement.sql), statement.sql).toEqual([]);
  return statements.size;
}

/** Of some thousand tokens, Workspaces and people there may be none. */
const expectWhole = ({ status, body, text }: Answer) =>
  expect(status === 200 || body.code === "baseline_bounds", text.slice(0, 300)).toBe(true);

test("a baseline of each scope, and its next page, reads what it shows", async () => {
  const { home, reader, task } = seen.loaded;
  for (let count = 0; count < 3; count++) await newComment(home.owner, task.id);
  const scopes = ["projects&limit=50", `task_comments&resource_id=${task.id}`, "account", "account_security", "inbox"];
  const queries = ["", ...[...scopes, "personal_projects", "discuss"].map((scope) => `?scope=${scope}`)];
  const read = async (person: Person, query: string) => {
    const answer = await person.call("GET", `/realtime/baseline${query}`);
    expectWhole(answer);
    expect(answer.trips, query).toBe(2);
    return answer.body.continuation as string | null;
  };
  seen.recorded = [];
  for (const person of [home.owner, reader])
    for (const query of queries) {
      const continuation = await read(person, query);
      if (continuation) await read(person, `${query}&continuation=${encodeURIComponent(continuation)}`);
    }
  expect(await expectNoFaults()).toBeGreaterThan(9);
});

test("Home and My Work read what they show", async () => {
  const { home, reader } = seen.loaded;
  const { workspaceId } = home;
  seen.recorded = [];
  for (const person of [home.owner, reader]) {
    const own = await person.call("GET", `/me/home-work-baseline?workspace_id=${workspaceId}`);
    expectWhole(own);
    expect(own.trips).toBe(2);
    for (const view of ["assigned", "created", "reviewing", "delegated", "due_soon", "completed"]) {
      const query = `view=${view}&following=true`;
      expectWhole(await person.call("GET", `/workspaces/${workspaceId}/home-work-baseline?${query}`));
    }
  }
  expect(await expectNoFaults()).toBeGreaterThan(9);
});

test("what came since a place in the journal, and whether one can go on from there, is found by an index", async () => {
  const { home } = seen.loaded;
  const { cursor: _, ...body } = (await home.owner.call("GET", "/realtime/baseline")).body;
  seen.recorded = [];
  await asTenant(running, home.workspaceId, async (tx) => {
    await changesBetween(tx, { tx: "3", id: NIL }, body.position, 100);
    await resetOf(tx, await placeOf(tx));
  });
  seen.recorded = seen.recorded.filter(({ sql }) => /domain_events|journal_pro/.test(sql));
  expect(await expectNoFaults()).toBe(3);
});

test("a socket is opened, subscribes to every scope, observes, and is asked for again", async () => {
  const { home, reader, task } = seen.loaded;
  seen.recorded = [];
  for (const person of [home.owner, reader]) {
    const listener = await listenAs(running, person);
    const { subscription_id, cursor } = await listener.applied();
    for (const scope of scopes)
      await listener.subscribe(scope, scope === "task_comments" ? { resource_id: task.id } : {});
    listener.send({ type: "subscribe", subscription_id: "again", scope: "workspace", cursor });
    await listener.next("subscribed");
    listener.send({ type: "presence_observe", subscription_id, cursor, user_ids: [home.owner.userId, reader.userId] });
    await listener.until(
      "it is told",
      () => listener.of("presence").length + listener.of("presence_unknown").length > 0,
    );
  }
  const isAsked = () => seen.recorded.some(({ sql }) => sql.includes("a(credential_id, workspace_id, user_id, place)"));
  while (!isAsked()) await new Promise((resolve) => setTimeout(resolve, 50));
  leaveAll();
  expect(await expectNoFaults()).toBeGreaterThan(7);
});

test("what followers are told is found by an index, whatever they follow", async () => {
  const { home, reader, task, projectId } = seen.loaded;
  const listeners = await Promise.all([home.owner, reader].map((person) => listenAs(running, person)));
  for (const listener of listeners)
    for (const scope of scopes)
      await listener.subscribe(scope, scope === "task_comments" ? { resource_id: task.id } : {});
  seen.recorded = [];
  await newTask(home.owner, projectId);
  await newComment(home.owner, task.id);
  for (const listener of listeners)
    await listener.next("change", ({ changes }) => changes.some(({ kind }) => kind === "comment"));
  const asks = (words: string) => seen.recorded.some(({ sql }) => sql.includes(words));
  const ASKED = ["as place_id", "private_changes", "seen_by", "f(id)", "journal_moved", "t.project_id from tasks t"];
  await listeners[0]?.until("all is asked", () => ASKED.every(asks));
  leaveAll();
  seen.recorded = seen.recorded.filter(({ sql }) => ASKED.some((words) => sql.includes(words)));
  expect(await expectNoFaults()).toBeGreaterThanOrEqual(ASKED.length);
});
