// The queue against a real service: in order per object, nothing overwritten, and nothing lost by an ended session.
// What it must never do is in queue-promises.test.ts.
import { expect, onTestFinished, test, vi } from "vitest";
import { eventually } from "../../../../server/test/eventually.ts";
import { newComment, newTask, workshopOn } from "../../../../server/test/work.ts";
import { service, sessionHeaders } from "../../../../server/test/world.ts";
import { desk, losing, tasksOf } from "../../../test/desk.ts";
import { PROVISIONAL } from "./change.ts";
import { verdictOf } from "./sender.ts";

const running = service();

test("what is made, changed and placed before its first answer happens once and in order", async () => {
  const { owner, project, workspaceId } = await workshopOn(running);
  const { make, store, sending, empty, outcomes } = desk(running, owner, workspaceId, { fetch: losing(2) });
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

test("somebody else's change of another field stays, and ours goes on top of it", async () => {
  const { owner, project, workspaceId } = await workshopOn(running);
  const task = await newTask(owner, project.id, { title: "Before" });
  const { make, store, sending, empty } = desk(running, owner, workspaceId);
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

test("an ended session pauses the queue and loses nothing", async () => {
  const { owner, project, workspaceId } = await workshopOn(running);
  const headers = { ...sessionHeaders(owner.session), cookie: "" };
  const { make, sending, kept, reached, empty } = desk(running, owner, workspaceId, { headers });
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
  const { make, sending, kept, reached } = desk(running, elsewhere.owner, workspaceId);
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
  // The budget of the assistant holds up no other change.
  expect([of(429, "turns_exceeded"), of(429, "runs_exceeded")]).toEqual(["refused", "refused"]);
  expect([of(403, "forbidden"), of(404, "not_found"), of(422, "invalid_request"), of(409, "undo_conflict")]).toEqual(
    Array(4).fill("refused"),
  );
});

test("what is answered without a body can be taken back by its receipt, and what has no way back offers none", async () => {
  const { owner, project, workspaceId } = await workshopOn(running);
  const task = await newTask(owner, project.id);
  const comment = await newComment(owner, task.id);
  const { make, store, sending, empty, outcomes, api } = desk(running, owner, workspaceId);
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

test("what cannot be written down is not sent, and is tried again later and not at once", async () => {
  const logged = vi.spyOn(console, "error").mockImplementation(() => {});
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => {
    vi.useRealTimers();
    logged.mockRestore();
  });
  const { owner, project, workspaceId } = await workshopOn(running);
  let full = true;
  const { make, sending, empty } = desk(running, owner, workspaceId, {}, ({ take, ...sound }) => ({
    ...sound,
    take: (step) => (full ? Promise.reject(new Error("The disk is full.")) : take(step)),
  }));
  make("createTask", [], { project_id: project.id, title: "Kept" }, { creates: `${PROVISIONAL}9` });
  sending.lead();
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
  expect(logged).toHaveBeenCalledTimes(1);
  expect(await tasksOf(owner, project.id)).toEqual([]);
  full = false;
  sending.wake();
  vi.useRealTimers();
  await empty();
  expect(await tasksOf(owner, project.id)).toMatchObject([{ title: "Kept" }]);
});
