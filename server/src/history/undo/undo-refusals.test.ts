// When undoing refuses: things that have moved on, rules and rights of today, people who did not make the write, and
// races.
import pg from "pg";
import { expect, test } from "vitest";
import { commandOf, lasting, redo, undo } from "../../../test/commands.ts";
import { joinProject, newComment, newMilestone, newProject, newTask } from "../../../test/work.ts";
import { newKey, type Person, service, world } from "../../../test/world.ts";
import { eraseDeletedProjects } from "../../planning/projects/deletion/erasure.ts";

const running = service();

async function workshop() {
  const home = await world(running);
  const project = await newProject(home);
  const { items } = (await home.owner.call("GET", `/workspaces/${home.workspaceId}/statuses`)).body;
  const status = (wanted: string) => items.find(({ name }: { name: string }) => name === wanted).id as string;
  return { home, owner: home.owner, project, status };
}
const any = { headers: { "if-match": "*" } };
const patch = (person: Person, id: string, body: object) => person.call("PATCH", `/tasks/${id}`, { body, ...any });
const read = async (person: Person, id: string) => (await person.call("GET", `/tasks/${id}`)).body;
/** The code of the refusal, then what is in the way and where. */
const refusal = ({ status, body }: Awaited<ReturnType<typeof undo>>) => [
  status,
  body.code,
  ...(body.errors ?? []).map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`),
];

test("a field that somebody has changed since is in the way, each is named, and nothing is put back; others are not", async () => {
  const { home, owner, project, status } = await workshop();
  const other = await home.member("member");
  const task = await newTask(owner, project.id, { due_date: "2026-05-05" });
  const id = commandOf(
    await patch(owner, task.id, {
      title: "Mine",
      description_markdown: "Mine",
      priority: "high",
      due_date: "2026-06-05",
    }),
  );
  // The others are not those that the command has changed.
  await patch(other, task.id, { status_id: status("In Progress"), start_date: "2026-05-20" });
  expect(refusal(await undo(owner, id))).toEqual([409, "undo_conflict", "/effects/0 invalid_dates"]);
  await patch(other, task.id, { start_date: null, title: "Theirs", description_markdown: "Theirs", priority: "low" });
  const before = await read(owner, task.id);
  expect(refusal(await undo(owner, id)).sort()).toEqual(
    [
      409,
      "undo_conflict",
      "/effects/3/title moved_on",
      "/effects/2/description_markdown moved_on",
      "/effects/1/priority moved_on",
    ].sort(),
  );
  expect(await read(owner, task.id)).toEqual(before);
  // Back to what the command made of them, whoever did that.
  await patch(other, task.id, { title: "Mine", description_markdown: "Mine", priority: "high" });
  expect((await undo(owner, id)).status).toBe(200);
  expect(lasting(await read(owner, task.id))).toMatchObject({
    title: task.title,
    description_markdown: "",
    priority: "none",
    due_date: "2026-05-05",
    status_id: status("In Progress"),
  });
  await patch(other, task.id, { priority: "urgent" });
  expect(refusal(await redo(owner, id))).toEqual([409, "undo_conflict", "/effects/1/priority moved_on"]);
});

test("what is archived, closed, gone or in the trash is not put back", async () => {
  const { home, owner, project, status } = await workshop();
  const milestone = await newMilestone(owner, project.id);
  const member = await home.member("member");
  const own = { name: "Milling", category: "started" };
  const milling = (await owner.call("POST", `/projects/${project.id}/statuses`, { body: own })).body.id;
  const task = await newTask(owner, project.id, {
    status_id: milling,
    milestone_id: milestone.id,
    assignee_actor_id: member.actorId,
  });
  const id = commandOf(
    await patch(owner, task.id, { status_id: status("Todo"), milestone_id: null, assignee_actor_id: null }),
  );
  await owner.call("POST", `/statuses/${milling}/archive-and-replace`, {
    body: { replacement_id: status("Todo"), acknowledged: true },
    ...any,
  });
  await owner.call("DELETE", `/milestones/${milestone.id}`, any);
  await running.sql("update memberships set state = 'suspended' where user_id = $1", [member.userId]);
  expect(refusal(await undo(owner, id))).toEqual([
    409,
    "undo_conflict",
    "/effects/0/status_id invalid_reference",
    "/effects/1/assignee_actor_id invalid_reference",
    "/effects/2/milestone_id invalid_reference",
  ]);
  const titled = commandOf(await patch(owner, task.id, { title: "Other" }));
  const trashed = commandOf(await owner.call("POST", `/tasks/${task.id}/trash`, any));
  expect(refusal(await undo(owner, titled))).toEqual([409, "undo_conflict", "/effects/0 task_trashed"]);
  const deleted = commandOf(await owner.call("DELETE", `/tasks/${task.id}`));
  expect(refusal(await undo(owner, titled))).toEqual([409, "undo_conflict", "/effects/0 not_found"]);
  expect(refusal(await undo(owner, trashed))).toEqual([409, "undo_conflict", "/effects/0 not_found"]);
  const policy = { review_required: true };
  for (const write of [
    deleted,
    commandOf(await owner.call("PUT", `/projects/${project.id}/completion-policy`, { body: policy, ...any })),
    commandOf(await patch(owner, (await newTask(owner, project.id)).id, { priority: "none" })),
  ])
    expect(refusal(await undo(owner, write))).toEqual([409, "not_undoable"]);
});

test("what happened in a Project that is erased is not undone, although the Task has left it before and lives", async () => {
  const { home, owner, project } = await workshop();
  const left = await newProject(home);
  const task = await newTask(owner, left.id);
  const comment = await newComment(owner, task.id);
  const reaction = `/comments/${comment.id}/reactions/heart`;
  const calls: [string, string, object?][] = [
    ["PATCH", `/tasks/${task.id}`, { title: "Other" }],
    ["PATCH", `/tasks/${task.id}`, { description_markdown: "Steel" }],
    ["PUT", `/tasks/${task.id}/subscription/mute`],
    ["PUT", `/task/${task.id}/labels`, { label_ids: [] }],
    ["PATCH", `/comments/${comment.id}`, { markdown: "Second" }],
    ["PUT", reaction],
    ["DELETE", reaction],
  ];
  const commands: string[] = [];
  for (const [method, path, body] of calls) commands.push(commandOf(await owner.call(method, path, { body, ...any })));
  const said = await owner.call("POST", `/tasks/${task.id}/comments`, { body: { markdown: "Hm" }, key: newKey() });
  await owner.call("POST", `/tasks/${task.id}/move`, { body: { project_id: project.id }, ...any });
  await owner.call("DELETE", `/projects/${left.id}`);
  const ago = "update projects set deleted_at = now() - interval '31 days' where id = $1";
  await running.sql(ago, [left.id], home.workspaceId);
  const client = new pg.Client(running.databaseUrl);
  await client.connect();
  await eraseDeletedProjects(client);
  await client.end();
  for (const id of commands) {
    const told = await owner.call("GET", `/workspaces/${home.workspaceId}/operation-receipts/${id}`);
    expect(told.body.undo).toEqual({ possible: false, reason: "not_undoable", errors: [] });
    expect(refusal(await undo(owner, id))).toEqual([409, "not_undoable"]);
  }
  // What was made there can still go.
  expect((await undo(owner, commandOf(said))).status).toBe(200);
});

test("only its author undoes a command, with the rights of today", async () => {
  const { home, owner, project } = await workshop();
  const [author, admin, elsewhere] = [await home.member("member"), await home.member("admin"), await world(running)];
  const task = await newTask(owner, project.id);
  const id = commandOf(await patch(author, task.id, { priority: "high" }));
  for (const person of [owner, admin, elsewhere.owner])
    for (const way of [undo, redo]) expect(refusal(await way(person, id))).toEqual([404, "not_found"]);
  const role = (name: string) =>
    running.sql("update memberships set role = $1 where user_id = $2", [name, author.userId]);
  await role("viewer");
  expect(refusal(await undo(author, id))).toEqual([403, "forbidden"]);
  await role("member");
  await owner.call("PATCH", `/projects/${project.id}`, { body: { visibility: "private" }, ...any });
  expect(refusal(await undo(author, id))).toEqual([409, "undo_conflict", "/effects/0 not_found"]);
  await joinProject(home, project.id, author, "viewer");
  expect(refusal(await undo(author, id))).toEqual([403, "forbidden"]);
  await owner.call("PATCH", `/projects/${project.id}/members/${author.actorId}`, { body: { role: "member" }, ...any });
  expect((await undo(author, id)).status).toBe(200);
  // Back into a Project that its author does not see any more.
  const secret = await newProject(home, { visibility: "private" });
  const joined = await joinProject(home, secret.id, author, "member");
  const hidden = await newTask(author, secret.id);
  await owner.call("PATCH", `/projects/${project.id}`, { body: { visibility: "workspace" }, ...any });
  const moved = await author.call("POST", `/tasks/${hidden.id}/move`, { body: { project_id: project.id }, ...any });
  expect(joined.role).toBe("member");
  await owner.call("DELETE", `/projects/${secret.id}/members/${author.actorId}`);
  expect(refusal(await undo(author, commandOf(moved)))).toEqual([
    409,
    "undo_conflict",
    "/effects/0/project_id not_found",
  ]);
});

test("a command is undone once and redone once, also by many at the same moment, and a repeated call is answered as the first", async () => {
  const { owner, project } = await workshop();
  const task = await newTask(owner, project.id);
  const id = commandOf(await patch(owner, task.id, { priority: "high" }));
  expect(refusal(await redo(owner, id))).toEqual([409, "not_undone"]);
  const key = newKey();
  const all = await Promise.all([
    ...Array.from({ length: 15 }, () => undo(owner, id)),
    ...Array.from({ length: 5 }, () => undo(owner, id, key)),
  ]);
  const won = all.filter(({ status }) => status === 200);
  expect(new Set(won.map(commandOf)).size).toBe(1);
  const lost = all.filter(({ status }) => status !== 200);
  expect(new Set(lost.map(({ body }) => body.code))).toEqual(new Set(["already_undone"]));
  expect(won.length === 1 || won.length === 5).toBe(true);
  expect((await read(owner, task.id)).revision).toBe("3");

  const undone = commandOf(won[0] as (typeof won)[0]);
  const redone = await Promise.all(Array.from({ length: 10 }, () => redo(owner, id)));
  expect(redone.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(new Set(redone.filter(({ status }) => status !== 200).map(({ body }) => body.code))).toEqual(
    new Set(["not_undone"]),
  );
  expect((await read(owner, task.id)).priority).toBe("high");
  // What undid it is undone itself by now, and undoing what redid it undoes the command.
  expect(refusal(await undo(owner, undone))).toEqual([409, "already_undone"]);
  const again = redone.find(({ status }) => status === 200);
  expect((await undo(owner, again?.body.id)).status).toBe(200);
  expect(refusal(await undo(owner, id))).toEqual([409, "already_undone"]);
  // With that, what undid it stands again, and undoing that redoes the command.
  const last = newKey();
  const [first, second] = [await undo(owner, undone, last), await undo(owner, undone, last)];
  expect([first.status, second.text, second.headers.get("idempotent-replayed")]).toEqual([200, first.text, "true"]);
  expect((await read(owner, task.id)).priority).toBe("high");
  expect(refusal(await redo(owner, id))).toEqual([409, "not_undone"]);
});
