// Realtime feed: followers receive changes of what they see and removals of what they saw, and nothing else, whatever
// happens between a commit and its delivery.
import { describe, expect, test } from "vitest";
import { newDocument } from "../../../test/documents.ts";
import { following } from "../../../test/following.ts";
import { joinProject, newComment, newProject, newTask } from "../../../test/work.ts";
import { newKey, type Person, service, type World, world } from "../../../test/world.ts";
import type { RealtimeChange } from "./feed.ts";

const running = service();
const { follow, placeNow } = following(running);

const told = (changes: RealtimeChange[]) => changes.map(({ kind, id, action }) => `${kind} ${id} ${action}`);
const patch = async (person: Person, path: string, body: object) => {
  const { revision } = (await person.call("GET", path)).body;
  const answer = await person.call("PATCH", path, { body, ifMatch: revision, key: newKey() });
  if (answer.status >= 300) throw new Error(answer.text);
  return answer.body;
};
const move = async (person: Person, task: { id: string; revision: string }, project_id: string) => {
  const { revision } = (await person.call("GET", `/tasks/${task.id}`)).body;
  const answer = await person.call("POST", `/tasks/${task.id}/move`, {
    body: { project_id },
    ifMatch: revision,
    key: newKey(),
  });
  if (answer.status >= 300) throw new Error(answer.text);
};
const privately = (home: World, project: { id: string }, visibility = "private") =>
  patch(home.owner, `/projects/${project.id}`, { visibility });

describe("a change", () => {
  test("is told to whoever follows, with identity and revision and nothing else", async () => {
    const home = await world(running);
    const [project, member] = [await newProject(home), await home.member("member")];
    const hears = await follow(home.workspaceId, member, "workspace");
    const task = await newTask(home.owner, project.id);
    expect(await hears.settled()).toEqual([
      { kind: "task", id: task.id, revision: "1", action: "created", project_id: project.id },
    ]);
    await patch(home.owner, `/tasks/${task.id}`, { title: "Cut the teeth" });
    expect(await hears.settled()).toEqual([
      { kind: "task", id: task.id, revision: "2", action: "changed", project_id: project.id },
    ]);
  });

  test("of what a Document says states the revision of its content, beside that of the Document", async () => {
    const home = await world(running);
    const { id } = await newDocument(home, { markdown: "One" });
    const hears = await follow(home.workspaceId, home.owner, "workspace");
    const body = { markdown: "Two" };
    expect((await home.owner.call("PUT", `/documents/${id}/markdown`, { body, ifMatch: "1" })).status).toBe(200);
    expect(await hears.settled()).toEqual([
      { kind: "document", id, revision: "1", content_revision: "2", action: "changed" },
    ]);
    await home.owner.call("DELETE", `/documents/${id}`);
    await home.owner.call("DELETE", `/documents/${id}/permanent`);
    expect((await hears.settled()).at(-1)).toEqual({ kind: "document", id, revision: null, action: "removed" });
  });

  test("in a private Project is told to its members and to whoever manages the Workspace, and to nobody else", async () => {
    const home = await world(running);
    const [inside, outside] = [await home.member("member"), await home.member("member")];
    const project = await newProject(home, { visibility: "private" });
    await joinProject(home, project.id, inside, "member");
    const hears = await Promise.all(
      [home.owner, inside, outside].map((person) => follow(home.workspaceId, person, "workspace")),
    );
    const task = await newTask(home.owner, project.id);
    await newComment(home.owner, task.id);
    const [owner, member, other] = await Promise.all(hears.map((one) => one.settled()));
    expect(told(owner as []).length).toBe(2);
    expect(member).toEqual(owner);
    expect(other).toEqual([]);
  });

  test("of another Workspace is told to nobody here", async () => {
    const [home, elsewhere] = [await world(running), await world(running)];
    const hears = await follow(home.workspaceId, home.owner, "workspace");
    const project = await newProject(elsewhere);
    await newTask(elsewhere.owner, project.id);
    expect(await hears.settled()).toEqual([]);
  });

  test("is told from a place on, once more than needed rather than once too little", async () => {
    const home = await world(running);
    const project = await newProject(home);
    const place = await placeNow(home.workspaceId);
    const tasks = [];
    for (let count = 0; count < 5; count++) tasks.push(await newTask(home.owner, project.id));
    const hears = await follow(home.workspaceId, home.owner, "workspace", { place });
    const heard = (await hears.settled()).filter(({ kind }) => kind === "task").map(({ id }) => id);
    expect([...new Set(heard)]).toEqual(tasks.map(({ id }) => id));
    const again = await follow(home.workspaceId, home.owner, "workspace", { place: hears.place });
    expect((await again.settled()).map(({ id }) => id)).not.toContain(tasks[0].id);
  });
});

describe("what is taken out of sight", () => {
  test("a Task moved into a private Project has gone, and no more is said: not where to, and not that it changes there", async () => {
    const home = await world(running);
    const member = await home.member("member");
    const [open, hidden] = [await newProject(home), await newProject(home, { visibility: "private" })];
    const task = await newTask(home.owner, open.id);
    const hears = await follow(home.workspaceId, member, "workspace");
    await move(home.owner, task, hidden.id);
    expect(await hears.settled()).toEqual([
      { kind: "task", id: task.id, revision: null, action: "removed", project_id: open.id },
    ]);
    await patch(home.owner, `/tasks/${task.id}`, { title: "Unseen" });
    await newComment(home.owner, task.id);
    expect(await hears.settled()).toEqual([]);
    await move(home.owner, task, open.id);
    expect(told(await hears.settled())).toEqual([`task ${task.id} changed`]);
  });

  test("what was changed before it was moved away, and is told after, names no revision of what is hidden now", async () => {
    const home = await world(running);
    const member = await home.member("member");
    const [open, hidden] = [await newProject(home), await newProject(home, { visibility: "private" })];
    const task = await newTask(home.owner, open.id);
    const place = await placeNow(home.workspaceId);
    await patch(home.owner, `/tasks/${task.id}`, { title: "Seen" });
    await move(home.owner, task, hidden.id);
    await patch(home.owner, `/tasks/${task.id}`, { title: "Unseen" });
    const hears = await follow(home.workspaceId, member, "workspace", { place });
    const changes = (await hears.settled()).filter(({ id }) => id === task.id);
    expect(changes.length).toBeGreaterThan(0);
    for (const change of changes)
      expect(change).toEqual({ kind: "task", id: task.id, revision: null, action: "removed", project_id: open.id });
  });

  test("a Document that was in no Project and is taken into a private one has gone", async () => {
    const home = await world(running);
    const member = await home.member("member");
    const hidden = await newProject(home, { visibility: "private" });
    const created = await home.owner.call("POST", `/workspaces/${home.workspaceId}/documents`, {
      body: { title: "Plan" },
      key: newKey(),
    });
    const { id } = created.body;
    const hears = await follow(home.workspaceId, member, "workspace");
    await patch(home.owner, `/documents/${id}`, { project_id: hidden.id });
    expect(await hears.settled()).toEqual([{ kind: "document", id, revision: null, action: "removed" }]);
    await patch(home.owner, `/documents/${id}`, { title: "Unseen" });
    expect(await hears.settled()).toEqual([]);
  });

  test("a Project that becomes private has gone for those outside, and comes back when it is opened", async () => {
    const home = await world(running);
    const member = await home.member("member");
    const project = await newProject(home);
    const [all, projects] = [
      await follow(home.workspaceId, member, "workspace"),
      await follow(home.workspaceId, member, "projects"),
    ];
    await privately(home, project);
    for (const hears of [all, projects])
      expect(await hears.settled()).toEqual([{ kind: "project", id: project.id, revision: null, action: "removed" }]);
    await newTask(home.owner, project.id);
    await patch(home.owner, `/projects/${project.id}`, { name: "Unseen" });
    expect([await all.settled(), await projects.settled()]).toEqual([[], []]);
    await privately(home, project, "workspace");
    expect(told(await projects.settled())).toEqual([`project ${project.id} changed`]);
  });

  test("whoever is taken out of a private Project hears that it went, and whoever is let in that it is there", async () => {
    const home = await world(running);
    const member = await home.member("member");
    const project = await newProject(home, { visibility: "private" });
    const hears = await follow(home.workspaceId, member, "projects");
    await joinProject(home, project.id, member, "member");
    expect(told(await hears.settled())).toEqual([`project ${project.id} changed`]);
    const removed = await home.owner.call("DELETE", `/projects/${project.id}/members/${member.actorId}`, {
      key: newKey(),
      ifMatch: "1",
    });
    expect(removed.status, removed.text).toBeLessThan(300);
    expect(told(await hears.settled())).toEqual([`project ${project.id} removed`]);
  });

  test("a deleted Project has gone for all who saw it, and for nobody else", async () => {
    const home = await world(running);
    const member = await home.member("member");
    const [open, hidden] = [await newProject(home), await newProject(home, { visibility: "private" })];
    const hears = await follow(home.workspaceId, member, "projects");
    for (const { id, revision } of [open, hidden]) {
      const gone = await home.owner.call("DELETE", `/projects/${id}`, { key: newKey(), ifMatch: revision });
      expect(gone.status, gone.text).toBeLessThan(300);
    }
    expect(told(await hears.settled())).toEqual([`project ${open.id} removed`]);
  });

  test("whoever's role is changed begins anew, and others go on", async () => {
    const home = await world(running);
    const [admin, member] = [await home.member("admin"), await home.member("member")];
    const [turned, other] = [
      await follow(home.workspaceId, admin, "workspace"),
      await follow(home.workspaceId, member, "workspace"),
    ];
    const { body } = await home.owner.call("GET", `/workspaces/${home.workspaceId}/members?limit=100`);
    const { id, revision } = body.items.find(({ user_id }: { user_id: string }) => user_id === admin.userId);
    const changed = await home.owner.call("PATCH", `/workspaces/${home.workspaceId}/members/${id}`, {
      body: { role: "member" },
      ifMatch: revision,
      key: newKey(),
    });
    expect(changed.status, changed.text).toBe(200);
    await turned.settled();
    expect(turned.resets).toEqual(["access_changed"]);
    expect(told(await other.settled())).toEqual([`member ${id} changed`]);
  });

  test("whoever is no member any more is told nothing", async () => {
    const home = await world(running);
    const member = await home.member("member");
    const project = await newProject(home);
    const hears = await follow(home.workspaceId, member, "workspace");
    await running.sql(
      "update memberships set state = 'suspended' where workspace_id = $1 and user_id = $2",
      [home.workspaceId, member.userId],
      home.workspaceId,
    );
    await newTask(home.owner, project.id);
    expect(await hears.settled()).toEqual([]);
    expect(hears.resets).toEqual(["access_ended"]);
  });
});

describe("a scope", () => {
  test("of comments hears those of its Task alone, and that the Task went", async () => {
    const home = await world(running);
    const member = await home.member("member");
    const project = await newProject(home);
    const [task, other] = [await newTask(home.owner, project.id), await newTask(home.owner, project.id)];
    const hears = await follow(home.workspaceId, member, "task_comments", { resourceId: task.id });
    const comment = await newComment(home.owner, task.id);
    await newComment(home.owner, other.id);
    await patch(home.owner, `/tasks/${task.id}`, { title: "Quiet" });
    const [heard] = await hears.settled();
    expect(heard).toEqual({
      kind: "comment",
      id: comment.id,
      revision: "1",
      action: "created",
      project_id: project.id,
      task_id: task.id,
    });
    await privately(home, project);
    expect(told(await hears.settled())).toEqual([`task ${task.id} removed`]);
    await newComment(home.owner, task.id);
    expect(await hears.settled()).toEqual([]);
  });
});
