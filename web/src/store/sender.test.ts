// The queue against a real service: each change once, however often its answer is lost; in order per object; nothing overwritten.
import { type ClientOptions, createClient, newKey } from "@svc/client";
import { expect, test } from "vitest";
import { eventually } from "../../../server/test/eventually.ts";
import { newComment, newTask, workshopOn } from "../../../server/test/work.ts";
import { type Person, service, sessionHeaders } from "../../../server/test/world.ts";
import { tasksDomain } from "../tasks/operations.ts";
import { partsDomain } from "../tasks/panel/operations.ts";
import { type Change, KEY_KEPT_MS, PROVISIONAL } from "./change.ts";
import { together } from "./domain.ts";
import { type Outcome, sender, verdictOf } from "./sender.ts";
import { Store } from "./store.ts";

const running = service();
const domains = together([tasksDomain, partsDomain]);

/** The queue of one tab, with what it keeps, and what it was told. */
function desk(person: Person, workspaceId: string, options: ClientOptions = {}, now = Date.now) {
  const store = new Store(domains);
  const kept = new Map<string, Change>();
  const outcomes: Outcome[] = [];
  const reached: string[] = [];
  const headers = sessionHeaders(person.session);
  const api = createClient({ url: running.url, attempts: 1, workspaceId, headers, ...options });
  const sending = sender({
    ...{ api, workspaceId, store, domains, now },
    async take({ keys, replaced, brought, alias }) {
      for (const key of keys) kept.delete(key);
      for (const change of replaced) kept.set(change.key, change);
      store.settle(keys, replaced, brought, alias);
    },
    report: (outcome) => outcomes.push(outcome),
    reached: (how) => reached.push(how),
  });
  let order = 0;
  const make = (operation: string, ids: string[], input: Record<string, unknown>, more: Partial<Change> = {}) => {
    const row = store.get("task", ids[0] ?? "") as Record<string, unknown> | undefined;
    const key = newKey();
    const change: Change = {
      ...{ key, order: ++order, operation, kind: "task", ids, creates: null, input, guess: {} },
      ...{
        at: row ? { [ids[0] as string]: String(row.revision) } : {},
        madeAt: Date.now(),
        sentAt: null,
        state: "waiting",
      },
      saw: row ? { [ids[0] as string]: Object.fromEntries(Object.keys(input).map((name) => [name, row[name]])) } : {},
      ...more,
    };
    store.put(change);
    kept.set(change.key, change);
    return change;
  };
  const empty = () => eventually(() => expect([...kept.values()]).toEqual([]));
  return { store, kept, outcomes, reached, sending, make, empty, api };
}
const tasksOf = async (person: Person, projectId: string) =>
  (await person.call("GET", `/projects/${projectId}/tasks?limit=100`)).body.items as { id: string; title: string }[];

/** Does it, and loses so many answers. */
function losing(count: number): typeof fetch {
  let left = count;
  return async (input, init) => {
    const answer = await fetch(input, init);
    if (init?.method === "GET" || left-- <= 0) return answer;
    throw new TypeError("fetch failed");
  };
}

test("what is made, changed and placed before its first answer happens once and in order", async () => {
  const { owner, project, workspaceId } = await workshopOn(running);
  const { make, store, sending, empty, outcomes } = desk(owner, workspaceId, { fetch: losing(2) });
  const id = `${PROVISIONAL}1`;
  make("createTask", [], { project_id: project.id, title: "First" }, { creates: id });
  make("updateTask", [id], { task_id: id, title: "Second" }, { at: {} });
  make("updateTask", [id], { task_id: id, priority: "high" }, { at: {} });
  expect(store.get("task", id)).toMatchObject({ title: "Second", priority: "high" });
  sending.lead();
  await empty();
  expect(await tasksOf(owner, project.id)).toMatchObject([{ title: "Second", priority: "high", revision: "3" }]);
  expect(store.get("task", id)).toMatchObject({ title: "Second", revision: "3", number: 1 });
  expect(outcomes.map(({ kind }) => kind)).toEqual(["done", "done", "done"]);
  expect(outcomes.every((outcome) => outcome.kind === "done" && outcome.commandId)).toBe(true);
});

test("a record that may have been sent before a crash is asked about, and sent again under its key", async () => {
  const { owner, project, workspaceId } = await workshopOn(running);
  const first = desk(owner, workspaceId, { fetch: losing(1000) });
  const change = first.make(
    "createTask",
    [],
    { project_id: project.id, title: "Once" },
    { creates: `${PROVISIONAL}2` },
  );
  first.sending.lead();
  await eventually(() => expect(first.reached).toContain("unreached"));
  first.sending.stop();
  const asked: string[] = [];
  const watching: typeof fetch = (input, init) => {
    asked.push(`${init?.method} ${new URL(String(input)).pathname.split("/").at(-2)}`);
    return fetch(input, init);
  };
  const second = desk(owner, workspaceId, { fetch: watching });
  const kept = first.kept.get(change.key) as Change;
  expect(kept.sentAt, "written down before it was sent").not.toBeNull();
  second.store.put(kept);
  second.kept.set(kept.key, kept);
  second.sending.lead();
  await second.empty();
  expect(asked[0]).toBe("GET operation-receipts");
  expect(await tasksOf(owner, project.id)).toHaveLength(1);
});

test("a write of unknown outcome that is older than the kept keys is shown and never sent again", async () => {
  const { owner, project, workspaceId } = await workshopOn(running);
  const { make, sending, outcomes, kept } = desk(owner, workspaceId);
  make(
    "createTask",
    [],
    { project_id: project.id, title: "Old" },
    { creates: "new-3", sentAt: Date.now() - KEY_KEPT_MS },
  );
  sending.lead();
  await eventually(() => expect(outcomes).toMatchObject([{ kind: "old" }]));
  sending.wake();
  expect([...kept.values()]).toMatchObject([{ state: "old" }]);
  expect(await tasksOf(owner, project.id)).toEqual([]);
});

test("somebody else's change of another field stays, and ours goes on top of it", async () => {
  const { owner, project, workspaceId } = await workshopOn(running);
  const task = await newTask(owner, project.id, { title: "Before" });
  const { make, store, sending, empty } = desk(owner, workspaceId);
  store.accept({ task: [task] });
  await owner.call("PATCH", `/tasks/${task.id}`, { body: { title: "Theirs" }, ifMatch: "1" });
  const { key } = make("updateTask", [task.id], { task_id: task.id, priority: "high" });
  make("updateTask", [task.id], { task_id: task.id, due_date: "2026-12-24" });
  sending.lead();
  await empty();
  expect(await tasksOf(owner, project.id)).toMatchObject([
    { title: "Theirs", priority: "high", due_date: "2026-12-24", revision: "4" },
  ]);
  expect(key).toBeTruthy();
});

test("the same field is not overwritten: it waits, with theirs beside it, and so does what comes behind it", async () => {
  const { owner, project, workspaceId } = await workshopOn(running);
  const task = await newTask(owner, project.id, { title: "Before" });
  const { make, store, sending, outcomes, kept } = desk(owner, workspaceId);
  store.accept({ task: [task] });
  await owner.call("PATCH", `/tasks/${task.id}`, { body: { title: "Theirs" }, ifMatch: "1" });
  make("updateTask", [task.id], { task_id: task.id, title: "Mine" });
  make("updateTask", [task.id], { task_id: task.id, priority: "low" });
  sending.lead();
  await eventually(() => expect(outcomes).toMatchObject([{ kind: "conflict" }]));
  expect([...kept.values()]).toMatchObject([
    { state: "waiting", input: { priority: "low" } },
    {
      state: "conflict",
      theirs: { fields: ["title"], row: { title: "Theirs", revision: "2" } },
      at: { [task.id]: "2" },
    },
  ]);
  expect(store.said("task", task.id)?.title).toBe("Theirs");
  expect(store.get("task", task.id)?.title).toBe("Mine");
  expect((await tasksOf(owner, project.id))[0]).toMatchObject({ title: "Theirs", priority: "none" });
});

test("a refusal takes the change back with what depends on it, and nothing else", async () => {
  const { home, owner, project, workspaceId } = await workshopOn(running);
  const viewer = await home.member("viewer");
  const task = await newTask(owner, project.id, { title: "Before" });
  const { make, store, sending, empty, outcomes } = desk(viewer, workspaceId);
  store.accept({ task: [task] });
  make("createTask", [], { project_id: project.id, title: "Mine" }, { creates: "new-4" });
  make("updateTask", ["new-4"], { task_id: "new-4", title: "Mine too" }, { at: {} });
  make("updateTask", [task.id], { task_id: task.id, title: "Mine" });
  sending.lead();
  await empty();
  expect(outcomes).toMatchObject([
    { kind: "refused", code: "forbidden" },
    { kind: "refused", code: "forbidden" },
  ]);
  expect(store.get("task", "new-4")).toBeUndefined();
  expect(store.get("task", task.id)?.title).toBe("Before");
});

test("an ended session pauses the queue and loses nothing", async () => {
  const { owner, project, workspaceId } = await workshopOn(running);
  const headers = { ...sessionHeaders(owner.session), cookie: "" };
  const { make, sending, kept, reached, empty } = desk(owner, workspaceId, { headers });
  make("createTask", [], { project_id: project.id, title: "Kept" }, { creates: "new-5" });
  sending.lead();
  await eventually(() => expect(reached).toEqual(["session"]));
  sending.wake();
  expect(kept.size).toBe(1);
  Object.assign(headers, sessionHeaders(owner.session));
  sending.resume();
  await empty();
  expect(await tasksOf(owner, project.id)).toMatchObject([{ title: "Kept" }]);
});

test("a session that is in another Workspace is no refusal: nothing of this one is found there", async () => {
  const { owner, project, workspaceId } = await workshopOn(running);
  const elsewhere = await workshopOn(running);
  const { make, sending, kept, reached } = desk(elsewhere.owner, workspaceId);
  make("createTask", [], { project_id: project.id, title: "Kept" }, { creates: "new-6" });
  sending.lead();
  await eventually(() => expect(reached).toEqual(["session"]));
  expect(kept.size).toBe(1);
  expect(await tasksOf(owner, project.id)).toEqual([]);
});

test("what a refusal means is decided by what it says of the write", () => {
  const of = (status: number, code = "x", outcome: "refused" | "unknown" = "refused") =>
    verdictOf({ status, code, outcome });
  expect([of(401), of(403, "invalid_csrf_token"), of(0, "unreachable", "unknown"), of(500), of(503), of(429)]).toEqual([
    ...["session", "session", "later", "later", "later", "later"],
  ]);
  expect([of(409, "idempotency_in_progress"), of(409, "revision_conflict"), of(412, "revision_conflict")]).toEqual([
    ...["later", "conflict", "conflict"],
  ]);
  expect([of(403, "forbidden"), of(404, "not_found"), of(422, "invalid_request"), of(409, "undo_conflict")]).toEqual(
    Array(4).fill("refused"),
  );
});

test("what is answered without a body can be taken back by its receipt, and what has no way back offers none", async () => {
  const { owner, project, workspaceId } = await workshopOn(running);
  const task = await newTask(owner, project.id);
  const comment = await newComment(owner, task.id);
  const { make, store, sending, empty, outcomes, api } = desk(owner, workspaceId);
  store.accept({ comment: [comment] });
  const about = { kind: "comment" as const, at: {} };
  make("addReaction", [comment.id], { comment_id: comment.id, reaction: "heart" }, about);
  make("removeReaction", [comment.id], { comment_id: comment.id, reaction: "heart" }, about);
  make("deleteComment", [comment.id], { comment_id: comment.id }, about);
  sending.lead();
  await empty();
  const ids = outcomes.map((outcome) => (outcome.kind === "done" ? outcome.commandId : outcome.kind));
  expect(ids).toEqual([expect.any(String), expect.any(String), undefined]);
  const { operation } = await api.getOperationReceipt({ workspace_id: workspaceId, id: ids[1] as string });
  expect(operation).toBe("removeReaction");
});
