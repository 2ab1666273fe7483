// Receipts: what became of a write, for who made it and lost the answer.
import { expect, test } from "vitest";
import { commandOf, redo, undo } from "../../../test/commands.ts";
import { newEntry } from "../../../test/time.ts";
import { joinProject, newProject, newTask } from "../../../test/work.ts";
import { insertCredential, newKey, type Person, service, world } from "../../../test/world.ts";
import { newId, newSecret } from "../../platform/wire/ids.ts";

const running = service();
const any = { headers: { "if-match": "*" } };

async function workshop() {
  const home = await world(running);
  const project = await newProject(home);
  const receipt = (person: Person, id: string) =>
    person.call("GET", `/workspaces/${home.workspaceId}/operation-receipts/${encodeURIComponent(id)}`);
  return { home, owner: home.owner, project, receipt };
}

test("a write is resolved by its command or by its key, in two round-trips, and says what it did", async () => {
  const { home, owner, project, receipt } = await workshop();
  const key = `lost/answer?${newKey()}`;
  expect((await receipt(owner, key)).status).toBe(404);
  const body = { title: "Cut the gears" };
  const made = await owner.call("POST", `/projects/${project.id}/tasks`, { body, key });
  const { body: found, trips, headers } = await receipt(owner, key);
  expect(found).toEqual({
    id: commandOf(made),
    operation: "createTask",
    state: "committed",
    credential_kind: "session",
    kind: "task",
    resource_type: "task",
    resource_id: made.body.id,
    occurred_at: made.body.created_at,
    effects: [
      {
        action: "task.created",
        type: "task.created",
        kind: "task",
        resource_type: "task",
        resource_id: made.body.id,
        code: made.body.code,
      },
    ],
    undo: { possible: true, reason: null, errors: [] },
    redo: { possible: false, reason: "not_undone", errors: [] },
    undoes: null,
    undone_by: null,
    redone_by: null,
    capabilities: ["command:undo"],
  });
  expect([trips, headers.get("cache-control"), headers.get("etag")]).toEqual([2, "no-store", null]);
  expect((await receipt(owner, commandOf(made).toUpperCase())).body).toEqual(found);
  // A key that looks like an id is still a key, in the spelling that it was sent in.
  const upper = newId().toUpperCase();
  const patched = await owner.call("PATCH", `/tasks/${made.body.id}`, {
    body: { title: "Other", priority: "low" },
    key: upper,
    ...any,
  });
  const several = (await receipt(owner, upper)).body;
  expect([several.id, several.operation]).toEqual([commandOf(patched), "updateTask"]);
  expect(several.effects.map(({ type }: { type: string }) => type)).toEqual(["task.priority_changed", "task.updated"]);
  expect((await receipt(owner, upper.toLowerCase())).status).toBe(404);
  // Whatever was written, if only it was written by them.
  const policy = { review_required: true };
  const elsewhere = await owner.call("PUT", `/projects/${project.id}/completion-policy`, { body: policy, ...any });
  expect((await receipt(owner, commandOf(elsewhere))).body).toMatchObject({
    resource_type: "project",
    undo: { possible: false, reason: "not_undoable" },
    capabilities: [],
  });
  // A write that was refused left nothing.
  const failed = newKey();
  await owner.call("POST", `/projects/${project.id}/tasks`, { body: { title: "T", status_id: newId() }, key: failed });
  expect((await receipt(owner, failed)).status).toBe(404);
  for (const [id, status] of [
    ["k".repeat(15), 400],
    ["k".repeat(16), 404],
    ["k".repeat(200), 404],
    ["k".repeat(201), 400],
    ["with a space inside", 400],
  ] as const)
    expect((await receipt(owner, id)).status).toBe(status);
  const [{ rows } = { rows: 0 }] = await running.sql<{ rows: number }>(
    "select count(*)::int as rows from domain_events where command_id = $1",
    [commandOf(patched)],
    home.workspaceId,
  );
  expect(rows).toBe(2);
});

test("it is found by who made the write, with whichever credential, and by nobody else", async () => {
  const { home, owner, project, receipt } = await workshop();
  const author = await home.member("member");
  const body = { title: "Task" };
  for (const [kind, prefix] of [
    ["personal", "pat"],
    ["developer", "dat"],
    ["native", "nat"],
  ] as const) {
    const [secret, key] = [newSecret(prefix), newKey()];
    const workspaceId = kind === "native" ? null : home.workspaceId;
    await insertCredential(running, kind, secret, author.userId, workspaceId, ["svc:read", "svc:write"]);
    const headers = { "x-svc-workspace-id": home.workspaceId };
    const made = await author.bearer(secret, "POST", `/projects/${project.id}/tasks`, { body, key, headers });
    expect((await receipt(author, key)).body).toMatchObject({ id: commandOf(made), credential_kind: kind });
    for (const id of [key, commandOf(made)]) expect((await receipt(owner, id)).status).toBe(404);
    expect((await undo(author, commandOf(made))).status).toBe(200);
  }
  const other = await world(running);
  const foreign = commandOf(await other.owner.call("PATCH", "/me", { body: { display_name: "Other" }, ...any }));
  expect((await receipt(owner, foreign)).status).toBe(404);
});

test("what its author cannot read any more is named without its id, like what is gone", async () => {
  const { home, owner, project, receipt } = await workshop();
  const author = await home.member("member");
  const [task, kept] = [await newTask(owner, project.id), await newTask(owner, (await newProject(home)).id)];
  const changes = { priority: "high" };
  const bulk = await author.call("POST", `/workspaces/${home.workspaceId}/tasks/bulk`, {
    body: { task_ids: [task.id, kept.id], changes },
  });
  const id = commandOf(bulk);
  const before = (await receipt(author, id)).body;
  expect(before.effects.map(({ code }: { code: string }) => code).sort()).toEqual([task.code, kept.code].sort());
  await owner.call("PATCH", `/projects/${project.id}`, { body: { visibility: "private" }, ...any });
  const hidden = (await receipt(author, id)).body;
  const action = "task.priority_changed";
  const effect = { action, type: action, kind: "task", resource_type: "task" };
  expect(hidden.effects).toContainEqual({ ...effect, resource_id: null, code: null });
  expect(hidden.effects).toContainEqual({ ...effect, resource_id: kept.id, code: kept.code });
  const gone = { pointer: expect.any(String), code: "not_found", detail: expect.any(String) };
  const refused = { possible: false, reason: "undo_conflict", errors: [gone] };
  expect([hidden.undo, hidden.resource_id]).toEqual([refused, null]);
  expect(JSON.stringify(hidden)).not.toContain(task.id);
  await owner.call("POST", `/tasks/${task.id}/trash`, any);
  await owner.call("DELETE", `/tasks/${task.id}`);
  expect((await receipt(author, id)).body).toEqual(hidden);
});

test("receipts tell of undoing and redoing, from each side, and a write is undone by its key", async () => {
  const { home, owner, project, receipt } = await workshop();
  const { id: taskId } = await newTask(owner, project.id);
  const key = newKey();
  const patched = await owner.call("PATCH", `/tasks/${taskId}`, { body: { priority: "high" }, key, ...any });
  const command = commandOf(patched);
  const path = `/workspaces/${home.workspaceId}/operation-receipts/undo`;
  const undone = await owner.call("POST", path, { body: { id: key } });
  expect([undone.status, undone.trips]).toEqual([200, 5]);
  const taken = undone.body;
  expect(taken).toMatchObject({
    id: commandOf(undone),
    operation: "undoOperation",
    undoes: command,
    state: "committed",
  });
  expect((await receipt(owner, taken.id)).body).toEqual(taken);
  expect((await receipt(owner, command)).body).toMatchObject({
    state: "undone",
    undone_by: taken.id,
    redone_by: null,
    undo: { possible: false, reason: "already_undone", errors: [] },
    redo: { possible: true, reason: null, errors: [] },
    capabilities: ["command:redo"],
  });
  const redone = (await redo(owner, command)).body;
  expect((await receipt(owner, redone.id)).body).toEqual(redone);
  expect(redone).toMatchObject({ operation: "redoCommand", undoes: taken.id });
  expect((await receipt(owner, command)).body).toMatchObject({
    state: "committed",
    undone_by: taken.id,
    redone_by: redone.id,
    capabilities: ["command:undo"],
  });
  expect((await receipt(owner, taken.id)).body).toMatchObject({ state: "undone", undone_by: redone.id });
  const again = await owner.call("POST", path, { body: { id: command } });
  expect((await receipt(owner, command)).body).toMatchObject({ state: "undone", undone_by: again.body.id });
  const twice = await owner.call("POST", path, { body: { id: command } });
  expect([twice.status, twice.body.code]).toEqual([409, "already_undone"]);
  // Somebody else's is as good as none.
  const member = await home.member("member");
  for (const id of [command, key, newId(), newKey()]) {
    const { status, body } = await member.call("POST", path, { body: { id } });
    expect([status, body.code, body.errors[0].pointer]).toEqual([404, "not_found", "/body/id"]);
  }
});

test("what its author may not do any more is not offered, and neither is taking back what changed nothing", async () => {
  const { home, owner, project, receipt } = await workshop();
  const author = await home.member("member");
  const other = await newProject(home);
  const [task, far] = [await newTask(author, project.id), await newTask(author, other.id)];
  await joinProject(home, project.id, author, "lead");
  await joinProject(home, other.id, author, "member");
  const put = (method: string, path: string, body?: object) =>
    author.call(method, path, { body, key: newKey(), ...any });
  const related = { type: "blocks", related_task_id: far.id };
  const { id: entry } = await newEntry(author, task.id);
  const writes = {
    field: await put("PATCH", `/tasks/${task.id}`, { priority: "high" }),
    relation: await put("POST", `/tasks/${task.id}/relations`, related),
    time: await put("PATCH", `/time-entries/${entry}`, { note: "Gears" }),
    follower: await put("PUT", `/tasks/${task.id}/subscription`),
    labels: await put("PUT", `/project/${project.id}/labels`, { label_ids: [] }),
    nothing: await put("PATCH", `/tasks/${task.id}`, { priority: "high" }),
  };
  const general = { body: { name: "Steel", purpose: "general" } };
  const steel = (await owner.call("POST", `/workspaces/${home.workspaceId}/label-definitions`, general)).body.id;
  const labelled = await put("PUT", `/project/${project.id}/labels`, { label_ids: [steel] });
  const all = Object.entries({ ...writes, labelled });
  /** What keeps each from being undone: as its receipt says. */
  const reasons = async () => {
    const told = all.map(async ([name, write]) => {
      const { undo: said, capabilities } = (await receipt(author, commandOf(write))).body;
      expect(capabilities).toEqual(said.possible ? ["command:undo"] : []);
      return [name, said.reason];
    });
    return Object.fromEntries(await Promise.all(told));
  };
  const unchanged = { nothing: "not_undoable", labels: "not_undoable" };
  const free = { field: null, relation: null, time: null, follower: null, labelled: null };
  expect(await reasons()).toEqual({ ...free, ...unchanged });
  const inProject = (role: string, id: string) =>
    owner.call("PATCH", `/projects/${id}/members/${author.actorId}`, { body: { role }, ...any });
  await inProject("member", project.id);
  expect(await reasons()).toEqual({ ...free, ...unchanged, labelled: "forbidden" });
  // A relation is changed by whoever may change one of its ends.
  await inProject("viewer", project.id);
  expect(await reasons()).toMatchObject({ field: "forbidden", relation: null, follower: null, labelled: "forbidden" });
  await inProject("viewer", other.id);
  expect(await reasons()).toMatchObject({ relation: "forbidden" });
  await running.sql("update memberships set role = 'viewer' where user_id = $1", [author.userId]);
  const forbidden = { field: "forbidden", relation: "forbidden", time: "forbidden", labelled: "forbidden" };
  expect(await reasons()).toEqual({ ...forbidden, ...unchanged, follower: null });
  for (const [name, write] of all) {
    const { status, body } = await undo(author, commandOf(write));
    const refused = name in unchanged ? [409, "not_undoable"] : [403, "forbidden"];
    expect([name, status, body.code]).toEqual([name, ...(name === "follower" ? [200, undefined] : refused)]);
  }
});
