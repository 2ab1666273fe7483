// Which labels a Task or a Project bears: full sets under the bearer's revision, only labels that fit, and no label
// that is deleted.
import { expect, test } from "vitest";
import { nativeTokens } from "../../../test/native.ts";
import { overlapping } from "../../../test/overlap.ts";
import { eventsOf, joinProject, newProject, newTask, trashTask } from "../../../test/work.ts";
import { type Person, service, type World, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();

async function label({ owner, workspaceId }: World, body: object, projectId?: string): Promise<string> {
  const scope = projectId === undefined ? `/workspaces/${workspaceId}` : `/projects/${projectId}`;
  const answer = await owner.call("POST", `${scope}/label-definitions`, { body });
  expect(answer.status, answer.text).toBe(201);
  return answer.body.id;
}
async function workshop() {
  const home = await world(running);
  const project = await newProject(home);
  const [bug, brass] = [await label(home, { name: "Bug" }), await label(home, { name: "Brass" }, project.id)];
  return { ...home, home, project, task: await newTask(home.owner, project.id), bug, brass };
}
const put = (person: Person, kind: string, id: string, label_ids: string[], ifMatch = "1") =>
  person.call("PUT", `/${kind}/${id}/labels`, { body: { label_ids }, ifMatch });
const assignments = ({ workspaceId }: World) =>
  running.sql<{ label_id: string; target_kind: string; target_id: string }>(
    "select label_id, target_kind, target_id from label_assignments order by label_id, target_id",
    [],
    workspaceId,
  );

test("the full set replaces what was there, in the order given, and the Task shows it at its next revision", async () => {
  const { owner, home, task, bug, brass } = await workshop();
  expect((await owner.call("GET", `/task/${task.id}/labels`)).body).toEqual({
    target_kind: "task",
    target_id: task.id,
    label_ids: [],
    labels: [],
    revision: "1",
    capabilities: ["work:read", "work:write", "work:manage"],
  });
  const first = await put(owner, "task", task.id, [brass, bug]);
  expect([first.status, first.headers.get("etag"), first.trips]).toEqual([200, '"2"', 3]);
  expect(first.body).toMatchObject({ label_ids: [brass, bug], labels: [{ name: "Brass" }, { name: "Bug" }] });
  expect((await owner.call("GET", `/task/${task.id}/labels`)).body).toEqual(first.body);
  expect((await owner.call("GET", `/tasks/${task.id}`)).body).toMatchObject({ label_ids: [brass, bug], revision: "2" });
  expect((await put(owner, "task", task.id, [bug], "2")).body).toMatchObject({ label_ids: [bug], revision: "3" });
  expect(await assignments(home)).toEqual([{ label_id: bug, target_kind: "task", target_id: task.id }]);
  expect((await put(owner, "task", task.id, [], "3")).body).toMatchObject({ label_ids: [], labels: [] });
  expect(await assignments(home)).toEqual([]);
  expect((await eventsOf(running, home, task.id)).slice(1)).toEqual(
    [
      { from: [], to: [brass, bug] },
      { from: [brass, bug], to: [bug] },
      { from: [bug], to: [] },
    ].map((payload) => ({ type: "task.labels_changed", activity: null, payload })),
  );
});

test("a stale revision changes nothing, and of many who replace at once one does", async () => {
  const { owner, task, bug, brass } = await workshop();
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) => put(owner, "task", task.id, [n % 2 === 0 ? bug : brass])),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(11).fill(409)]);
  const winner = answers.find(({ status }) => status === 200)?.body.label_ids;
  expect((await owner.call("GET", `/tasks/${task.id}`)).body).toMatchObject({ label_ids: winner, revision: "2" });
  expect((await put(owner, "task", task.id, [])).body).toMatchObject({
    code: "revision_conflict",
    current_revision: "2",
  });
});

test("a Task that is moved while somebody replaces its labels is found where it is then", async () => {
  const { owner, home, task, bug, brass, workspaceId } = await workshop();
  const other = await newProject(home);
  const moving = "update tasks set project_id = $2, number = 7 where id = $1";
  const replacing = (label_ids: string[]) => () => put(owner, "task", task.id, label_ids);
  const moved = await overlapping(running, [moving, task.id, other.id], 1, replacing([brass]), workspaceId);
  expect([moved.status, moved.body.code]).toEqual([422, "invalid_reference"]);
  const back = await overlapping(running, [moving, task.id, task.project_id], 1, replacing([bug, brass]), workspaceId);
  expect([back.status, back.body.label_ids]).toEqual([200, [bug, brass]]);
});

test("every label must fit: of the Workspace or this Project, for this kind, live, and of this tenant", async () => {
  const { owner, home, task, project, bug } = await workshop();
  const gone = await label(home, { name: "Gone" });
  await owner.call("DELETE", `/label-definitions/${gone}`);
  const unusable = [
    await label(home, { name: "Elsewhere" }, (await newProject(home)).id),
    await label(home, { name: "For Projects", purpose: "project" }),
    await label(home, { name: "For Documents", purpose: "document" }, project.id),
    await label(await world(running), { name: "Foreign" }),
    gone,
    newId(),
  ];
  const refused = await put(owner, "task", task.id, [unusable[0] as string, bug, ...unusable.slice(1)]);
  expect([refused.status, refused.body.code]).toEqual([422, "invalid_reference"]);
  expect(refused.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(
    [0, 2, 3, 4, 5, 6].map((index) => `/body/label_ids/${index}`),
  );
  expect(new Set(refused.body.errors.map(({ detail }: { detail: string }) => detail)).size).toBe(1);
  expect((await owner.call("GET", `/tasks/${task.id}`)).body).toMatchObject({ label_ids: [], revision: "1" });
});

test("a set has at most 50 labels, each once", async () => {
  const { owner, home, task, bug } = await workshop();
  const many = await Promise.all(Array.from({ length: 51 }, (_, n) => label(home, { name: `Label ${n}` })));
  expect((await put(owner, "task", task.id, many)).status).toBe(400);
  expect((await put(owner, "task", task.id, [bug, bug])).status).toBe(400);
  expect((await put(owner, "task", task.id, many.slice(1))).body.label_ids).toEqual(many.slice(1));
  const spelled = await put(owner, "task", task.id, [bug.toUpperCase(), bug], "2");
  expect(spelled.body.label_ids).toEqual([bug]);
});

test("a Project bears labels that are for Projects, and whoever manages it decides", async () => {
  const { owner, home, project, bug } = await workshop();
  const [area, own] = [
    await label(home, { name: "Area", purpose: "project" }),
    await label(home, { name: "Own", purpose: "general" }, project.id),
  ];
  expect((await put(owner, "project", project.id, [bug])).body.code).toBe("invalid_reference");
  const answer = await put(owner, "project", project.id, [area, own]);
  expect(answer.body).toMatchObject({
    target_kind: "project",
    target_id: project.id,
    label_ids: [area, own],
    revision: "2",
  });
  expect((await owner.call("GET", `/projects/${project.id}`)).body.revision).toBe("2");
  expect((await owner.call("GET", `/project/${project.id}/labels`)).body).toEqual(answer.body);
  expect((await eventsOf(running, home, project.id)).at(-1)).toEqual({
    type: "project.labels_changed",
    activity: null,
    payload: { from: [], to: [area, own] },
  });
  const member = await home.member("member");
  expect((await put(member, "project", project.id, [], "2")).status).toBe(403);
});

test("members label Tasks, viewers only read, and what cannot be seen is not found", async () => {
  const { home, task, bug } = await workshop();
  const secret = await newProject(home, { visibility: "private" });
  const hidden = await newTask(home.owner, secret.id);
  const [member, viewer, reader, outsider] = [
    await home.member("member"),
    await home.member("viewer"),
    await home.member("member"),
    (await world(running)).owner,
  ];
  await joinProject(home, secret.id, reader, "viewer");
  expect((await put(member, "task", task.id, [bug])).status).toBe(200);
  expect((await put(viewer, "task", task.id, [], "2")).status).toBe(403);
  expect((await viewer.call("GET", `/task/${task.id}/labels`)).body.capabilities).toEqual(["work:read"]);
  expect((await put(reader, "task", hidden.id, [])).status).toBe(403);
  expect((await reader.call("GET", `/task/${hidden.id}/labels`)).status).toBe(200);
  for (const [person, kind, id] of [
    [member, "task", hidden.id],
    [member, "project", secret.id],
    [outsider, "task", task.id],
    [outsider, "project", task.project_id],
  ] as const) {
    expect((await put(person, kind, id, [])).status).toBe(404);
    expect((await person.call("GET", `/${kind}/${id}/labels`)).status).toBe(404);
  }
});

test("another kind, a Document and an id of another kind are not found", async () => {
  const { owner, task, project } = await workshop();
  for (const [kind, id] of [
    ["document", newId()],
    ["document", task.id],
    ["tasks", task.id],
    ["projects", project.id],
    ["milestone", newId()],
    ["constructor", task.id],
    ["project", task.id],
    ["task", project.id],
  ] as const) {
    expect([kind, (await owner.call("GET", `/${kind}/${id}/labels`)).status]).toEqual([kind, 404]);
    expect([kind, (await put(owner, kind, id, [])).status]).toEqual([kind, 404]);
  }
  expect((await owner.call("GET", "/task/x/labels")).status).toBe(400);
});

test("a native client reads the labels of Tasks and of nothing else", async () => {
  const { owner, workspaceId, task, project, bug } = await workshop();
  await put(owner, "task", task.id, [bug]);
  const { access } = await nativeTokens(running, owner.userId);
  const headers = { "x-svc-workspace-id": workspaceId };
  const read = (path: string) => owner.bearer(access, "GET", path, { headers });
  expect((await read(`/task/${task.id}/labels`)).body.label_ids).toEqual([bug]);
  expect((await read(`/project/${project.id}/labels`)).status).toBe(404);
  const nowhere = await owner.bearer(access, "GET", `/task/${task.id}/labels`);
  expect([nowhere.status, nowhere.body.errors?.[0]?.pointer]).toEqual([400, "/headers/x-svc-workspace-id"]);
});

test("in the trash labels are only read", async () => {
  const { owner, home, task, bug } = await workshop();
  await put(owner, "task", task.id, [bug]);
  await trashTask(running, home, task.id);
  expect((await put(owner, "task", task.id, [], "2")).body.code).toBe("task_trashed");
  expect((await owner.call("GET", `/task/${task.id}/labels`)).body.label_ids).toEqual([bug]);
});

test("while a label is put on many Tasks it is deleted: no Task keeps it", async () => {
  const { owner, home, project, workspaceId } = await workshop();
  for (let round = 0; round < 3; round++) {
    const short = await label(home, { name: `Short-lived ${round}` });
    const tasks = await Promise.all(Array.from({ length: 16 }, () => newTask(owner, project.id)));
    const answers = await Promise.all([
      ...tasks.slice(0, 8).map(({ id }) => put(owner, "task", id, [short])),
      owner.call("DELETE", `/label-definitions/${short}`),
      ...tasks.slice(8).map(({ id }) => put(owner, "task", id, [short])),
    ]);
    expect(answers[8]?.status).toBe(204);
    for (const { status, body } of answers) if (status >= 400) expect(body.code).toBe("invalid_reference");
    const left = "select id from tasks where $1 = any(label_ids)";
    expect(await running.sql(left, [short], workspaceId)).toEqual([]);
    expect((await assignments(home)).filter(({ label_id }) => label_id === short)).toEqual([]);
  }
});

test("whoever writes a Task's labels, the way from a label to its Tasks follows; a deleted one is never added", async () => {
  const { owner, home, project, task, bug, brass, workspaceId } = await workshop();
  const ids = async () => (await assignments(home)).map(({ label_id, target_id }) => [label_id, target_id]);
  const set = (labels: string[]) =>
    running.sql("update tasks set label_ids = $2 where id = $1", [task.id, labels], workspaceId);
  const copy = newId();
  await set([bug, brass]);
  await running.sql(
    `insert into tasks (workspace_id, id, project_id, number, title, status_id, position, created_by_actor_id,
     label_ids)
     select workspace_id, $2, project_id, 99, title, status_id, 99, created_by_actor_id, label_ids from tasks
     where id = $1`,
    [task.id, copy],
    workspaceId,
  );
  const all = [bug, brass].flatMap((labelId) => [task.id, copy].map((id) => [labelId, id]));
  expect(new Set(await ids())).toEqual(new Set(all));
  await set([brass, bug]);
  await running.sql("delete from tasks where id = $1", [copy], workspaceId);
  expect(new Set(await ids())).toEqual(new Set(all.filter(([, id]) => id === task.id)));
  await set([]);
  await owner.call("DELETE", `/label-definitions/${bug}`);
  await expect(set([bug])).rejects.toMatchObject({ code: "40001" });
  await expect(set([await label(await world(running), { name: "Foreign" })])).rejects.toMatchObject({ code: "40001" });
  const other = await newProject(home);
  const wide = await label(home, { name: "Wide" });
  const kept = "select labels_in_project($1, $2, 'task', $3) as ids";
  const keep = async (projectId: string) =>
    (await running.sql<{ ids: string[] }>(kept, [workspaceId, [bug, wide, brass], projectId], workspaceId))[0]?.ids;
  expect([await keep(project.id), await keep(other.id)]).toEqual([[wide, brass], [wide]]);
});
