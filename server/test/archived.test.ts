// An archived Project is only read, and so is everything in it: every write of the contract, on a Project that was
// archived just before, is refused with project_archived, or stands here with the reason why not. A new operation meets
// the rule by itself.
import { isUnsafe } from "@svc/contract/kit.ts";
import { operations } from "@svc/contract/operations.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commandOf, undo } from "./commands.ts";
import { fixtures } from "./fixtures.ts";
import { attempt, ready, type Stage, stageOn } from "./stage.ts";
import { newComment, newProject, newTask } from "./work.ts";
import { newKey, service, world } from "./world.ts";

const running = service();
let stage: Stage;
beforeAll(async () => {
  stage = await stageOn(running, [...operations.values()], fixtures);
});
afterAll(() => stage?.admin.end());

/** Path parameters that name a Project or something in one. */
const IN_PROJECT = new Set([
  ...["project_id", "task_id", "task_code", "comment_id", "milestone_id", "attachment_id", "relation_id", "entry_id"],
  ...["project_code", "target_id", "override_id", "document_id"],
]);
const own = "is the caller's own: what they follow, read and think of a Task";
const itself = "is about the Project itself, which whoever manages it may still change, restore, place and delete";
const reading =
  "is about a session in which an archived Project is only read (server/src/knowledge/collaboration/sessions.test.ts)";
/** Writes that name something in a Project and stay possible. */
const possible: Record<string, string> = {
  updateProject: itself,
  deleteProject: itself,
  moveProject: itself,
  removeProjectMember: "takes access away, which nobody has to restore a Project for",
  followTask: own,
  unfollowTask: own,
  muteTask: own,
  unmuteTask: own,
  giveSuggestionFeedback: own,
  downloadAttachment: "reads",
  previewAttachment: "reads",
  openTaskSession: reading,
  endTaskSession: reading,
  openDocumentSession: reading,
  endDocumentSession: reading,
  downloadPublicAttachment: "reads",
  previewPublicAttachment: "reads",
};
const writes = [...operations.values()].filter(
  (operation) => isUnsafe(operation) && operation.params.some((name) => IN_PROJECT.has(name)),
);
const ARCHIVE = "update projects set archived_at = now() where workspace_id = $1";
const RESTORE = "update projects set archived_at = null where workspace_id = $1";

test("there are such writes, and every exception is one", () => {
  expect(writes.length).toBeGreaterThan(40);
  expect(Object.keys(possible).filter((id) => !writes.some((operation) => operation.id === id))).toEqual([]);
});

for (const operation of writes) {
  const why = possible[operation.id];
  test(`${operation.id} ${why ?? "is refused in an archived Project"}`, async () => {
    const { workspaceId } = stage.home;
    const call = await ready(stage, operation, true);
    try {
      await running.sql(ARCHIVE, [workspaceId], workspaceId);
      const { status, body, text } = await attempt(stage, operation, call, {
        headers: operation.ifMatch ? { "if-match": "*" } : {},
      });
      if (why) expect(status, text).toBeLessThan(300);
      else expect([status, body?.code], text).toEqual([409, "project_archived"]);
    } finally {
      await running.sql(RESTORE, [workspaceId], workspaceId);
    }
  });
}

async function archived() {
  const home = await world(running);
  const { owner } = home;
  const [project, other] = [await newProject(home), await newProject(home)];
  const member = await home.member("member");
  const task = await newTask(member, project.id);
  const set = (value: boolean) =>
    owner.call("PATCH", `/projects/${project.id}`, { body: { archived: value }, headers: { "if-match": "*" } });
  return { home, owner, member, project, other, task, archive: () => set(true), restore: () => set(false) };
}
const refusal = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];
const refused = [409, "project_archived"];

test("what is in it is read as before, with what may be done now; restored, everything is possible again", async () => {
  const { owner, member, project, task, archive, restore } = await archived();
  const comment = await newComment(member, task.id);
  const paths = [`/tasks/${task.id}`, `/comments/${comment.id}`, `/projects/${project.id}`];
  const capable = async (person: typeof owner) =>
    Promise.all(paths.map(async (path) => (await person.call("GET", path)).body.capabilities));
  const before = [await capable(member), await capable(owner)];
  expect((await archive()).body.capabilities).toEqual([
    "work:read",
    "project:update",
    "project:restore",
    "project:delete",
  ]);
  expect(await capable(member)).toEqual([["work:read"], [], ["work:read"]]);
  expect(await capable(owner)).toEqual([
    ["work:read"],
    [],
    ["work:read", "project:update", "project:restore", "project:delete"],
  ]);
  for (const path of [...paths, `/tasks/${task.id}/comments`, `/tasks/${task.id}/activity`])
    expect((await member.call("GET", path)).status).toBe(200);
  expect((await restore()).body.capabilities).toEqual([
    "work:read",
    "work:write",
    "work:manage",
    "project:update",
    "project:delete",
  ]);
  expect([await capable(member), await capable(owner)]).toEqual(before);
  const change = { body: { title: "Again" }, ifMatch: task.revision };
  expect((await member.call("PATCH", `/tasks/${task.id}`, change)).status).toBe(200);
});

test("whoever may not write there at all is told that, and not that the Project is archived", async () => {
  const { home, task, archive } = await archived();
  const viewer = await home.member("viewer");
  await archive();
  const change = { body: { title: "No" }, ifMatch: task.revision };
  expect(refusal(await viewer.call("PATCH", `/tasks/${task.id}`, change))).toEqual([403, "forbidden"]);
});

test("a Project's own Statuses and labels are left alone, those of the Workspace are not", async () => {
  const { home, owner, project, archive } = await archived();
  const make = async (path: string, body: object) => (await owner.call("POST", path, { body, key: newKey() })).body;
  const status = await make(`/projects/${project.id}/statuses`, { name: "Forge", category: "started" });
  const label = await make(`/projects/${project.id}/label-definitions`, { name: "iron" });
  const shared = await make(`/workspaces/${home.workspaceId}/label-definitions`, { name: "steel" });
  await archive();
  const headers = { "if-match": "*" };
  for (const path of [`/statuses/${status.id}`, `/label-definitions/${label.id}`]) {
    expect(refusal(await owner.call("PATCH", path, { body: { name: "Other" }, headers }))).toEqual(refused);
    expect(refusal(await owner.call("DELETE", path, { headers }))).toEqual(refused);
  }
  expect(
    (await owner.call("PATCH", `/label-definitions/${shared.id}`, { body: { name: "tin" }, headers })).status,
  ).toBe(200);
});

test("no Task moves in or out, a bulk change leaves those out, and nothing is undone or redone there", async () => {
  const { home, owner, member, project, other, task, archive } = await archived();
  const free = await newTask(member, other.id);
  const renamed = await member.call("PATCH", `/tasks/${task.id}`, { body: { title: "New" }, ifMatch: "1" });
  const left = await newTask(member, project.id);
  const moved = await member.call("POST", `/tasks/${left.id}/move`, { body: { project_id: other.id }, ifMatch: "1" });
  await archive();
  const move = (id: string, project_id: string) =>
    owner.call("POST", `/tasks/${id}/move`, { body: { project_id }, headers: { "if-match": "*" } });
  expect(refusal(await move(task.id, other.id))).toEqual(refused);
  expect(refusal(await move(free.id, project.id))).toEqual(refused);
  const body = { task_ids: [task.id, free.id], changes: { priority: "high" } };
  const { items } = (await owner.call("POST", `/workspaces/${home.workspaceId}/tasks/bulk`, { body })).body;
  expect(items.map(({ outcome, code }: { outcome: string; code: string }) => [outcome, code])).toEqual([
    ["conflict", "project_archived"],
    ["updated", null],
  ]);
  for (const command of [renamed, moved]) {
    const undone = await undo(member, commandOf(command));
    expect([undone.body.code, undone.body.errors[0].code]).toEqual(["undo_conflict", "project_archived"]);
  }
});

test("a relation is changed at the end that is not archived, and not at all where both are", async () => {
  const { owner, member, other, task, archive } = await archived();
  const free = await newTask(member, other.id);
  const relate = (from: string, related_task_id: string) =>
    member.call("POST", `/tasks/${from}/relations`, { body: { type: "blocks", related_task_id }, key: newKey() });
  await archive();
  expect(refusal(await relate(task.id, free.id))).toEqual(refused);
  const related = await relate(free.id, task.id);
  expect(related.status).toBe(201);
  const path = `/task-relations/${related.body.id}`;
  await owner.call("PATCH", `/projects/${other.id}`, { body: { archived: true }, headers: { "if-match": "*" } });
  expect(refusal(await member.call("DELETE", path))).toEqual(refused);
  await owner.call("PATCH", `/projects/${other.id}`, { body: { archived: false }, headers: { "if-match": "*" } });
  expect((await member.call("DELETE", path)).status).toBe(204);
});
