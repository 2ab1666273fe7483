// Result sets and selections: what a query finds is captured once and never refreshed by itself, and what became of
// each Task is told under what its reader may see now.
import { expect, test } from "vitest";
import { any } from "../../../test/documents.ts";
import { hydrate, keep, type NativeAnswer, read, send, states } from "../../../test/native-work.ts";
import { joinProject, newProject, newTask, refusalOf, workshopOn } from "../../../test/work.ts";
import { newKey, type Person, service, type World } from "../../../test/world.ts";
import { indexSearch } from "../../knowledge/search/jobs.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();
const [SETS, SELECTIONS] = ["task-result-sets", "task-selections"] as const;
const capture = (person: Person, home: World, query: object): Promise<NativeAnswer> =>
  keep(person, home, SETS, { query });
const ids = ({ tasks }: NativeAnswer): string[] => tasks.map(({ id }: NativeAnswer) => id);

async function workshop(count: number) {
  const { home, owner, project } = await workshopOn(running);
  const tasks: NativeAnswer[] = [];
  for (let n = 0; n < count; n++) tasks.push(await newTask(owner, project.id, { title: `Gear ${n}` }));
  return { home, owner, project, tasks };
}
/** So many at once, the first by its title and its number. */
const manyTasks = (home: World, projectId: string, count: number) =>
  running.sql(
    `insert into tasks (workspace_id, id, project_id, number, title, status_id, position, created_by_actor_id)
     select $1, gen_random_uuid(), $2, 1000 + n, 'Task ' || lpad(n::text, 5, '0'),
       (select id from statuses where workspace_id = $1 order by id limit 1), n, $3
     from generate_series(1, $4::int) n`,
    [home.workspaceId, projectId, home.owner.actorId, count],
    home.workspaceId,
  );

test("a set has what the list of the Workspace has, for each of its filters, in its order and with the revisions", async () => {
  const { home, owner, project, tasks } = await workshop(4);
  const member = await home.member("member");
  const other = await newProject(home);
  await newTask(owner, other.id, { title: "Wheel" });
  const [a, b, c] = tasks;
  const change = (task: NativeAnswer, body: object) => owner.call("PATCH", `/tasks/${task.id}`, { body, ...any });
  await change(a, { priority: "high", due_date: "2026-12-24", assignee_actor_id: member.actorId });
  await change(b, { due_date: "2026-12-01" });
  await owner.call("POST", `/tasks/${c.id}/trash`, any);
  const queries: Record<string, string>[] = [
    {},
    { project_id: project.id },
    { project_id: `!${project.id}`, sort: "title" },
    { priority: "high,urgent" },
    { assignee_actor_id: "none", order: "asc" },
    { sort: "due" },
    { sort: "due", order: "desc", due_before: "2026-12-23" },
    { sort: "created", project_id: project.id },
    { text: "gear", sort: "title" },
    { category: "unstarted", created_by_actor_id: owner.actorId },
    { sort: "position", project_id: project.id, status_id: a.status_id },
    { label_id: newId() },
    { updated_since: "2020-01-01T00:00:00Z", completed_before: "2020-01-01T00:00:00Z" },
  ];
  for (const query of queries) {
    const set = await capture(owner, home, query);
    const listed = await owner.call("GET", `/workspaces/${home.workspaceId}/tasks?${new URLSearchParams(query)}`);
    const wanted = listed.body.items.map(({ id, revision }: NativeAnswer) => ({ id, revision }));
    expect(set.tasks, JSON.stringify(query)).toEqual(wanted);
    expect([set.query, set.count, set.complete, set.version]).toEqual([query, wanted.length, true, 1]);
  }
  expect(ids(await capture(owner, home, { trashed: true }))).toEqual([c.id]);
  expect((await capture(owner, home, {})).count).toBe(4);
});

test("words find as search does, filters hold among what they find, and nobody says that these are all", async () => {
  const { home, owner, project, tasks } = await workshop(3);
  const [a, b, c] = tasks;
  await newTask(owner, project.id, { title: "Wheel" });
  await owner.call("PATCH", `/tasks/${b.id}`, { body: { priority: "high", due_date: "2026-01-02" }, ...any });
  await owner.call("PATCH", `/tasks/${c.id}`, { body: { due_date: "2026-01-01" }, ...any });
  for (const ready of [async () => {}, () => indexSearch(running.database)]) {
    await ready();
    const found = await capture(owner, home, { q: " gear " });
    const searched = await owner.call("GET", `/workspaces/${home.workspaceId}/search?q=gear&type=task`);
    expect(ids(found)).toEqual(searched.body.items.map(({ id }: NativeAnswer) => id));
    expect([new Set(ids(found)), found.complete]).toEqual([new Set([a.id, b.id, c.id]), false]);
    expect(ids(await capture(owner, home, { q: "gear", priority: "high", project_id: project.id }))).toEqual([b.id]);
    expect(ids(await capture(owner, home, { q: "gear", sort: "due" }))).toEqual([c.id, b.id]);
    expect(ids(await capture(owner, home, { q: "gear", sort: "title", order: "desc" }))).toEqual([c.id, b.id, a.id]);
    expect(ids(await capture(owner, home, { q: a.code }))).toEqual([a.id]);
  }
  expect(refusalOf(await send(owner, home, SETS, { query: { q: "gear", trashed: true } }))).toEqual([
    ...[400, "invalid_request", "/body/query/q"],
  ]);
});

test("1,000 are captured and not one more, and it says whether that was all", async () => {
  const { home, owner, project } = await workshop(0);
  await manyTasks(home, project.id, 1000);
  const query = { project_id: project.id, sort: "title" };
  const whole = await capture(owner, home, query);
  expect([whole.count, whole.complete]).toEqual([1000, true]);
  await newTask(owner, project.id, { title: "Z" });
  const refreshed = await keep(owner, home, SETS, { result_set_id: whole.id, version: 1 });
  expect([refreshed.count, refreshed.complete, ids(refreshed)]).toEqual([1000, false, ids(whole)]);
  const shown = async (query: string) => {
    const { offset, count, next_offset, items } = await hydrate(owner, home, SETS, whole.id, query);
    return [offset, count, next_offset, items[0]?.task.title, items.length];
  };
  expect(await shown("version=1")).toEqual([0, 1000, 100, "Task 00001", 100]);
  expect(await shown("version=1&offset=950")).toEqual([950, 1000, null, "Task 00951", 50]);
  expect(await shown("version=1&offset=999")).toEqual([999, 1000, null, "Task 01000", 1]);
  for (const wrong of ["offset=1000", "offset=-1", "offset=x"])
    expect((await read(owner, home, `${SETS}/${whole.id}/hydrate?version=1&${wrong}`)).status).toBe(400);
  const few = await capture(owner, home, { text: "Task 00001" });
  expect((await hydrate(owner, home, SETS, few.id, "version=1&offset=999")).items).toEqual([]);
});

test("an exact version never changes; refreshing makes the next, of the same query and from the latest alone", async () => {
  const { home, owner, project, tasks } = await workshop(2);
  const query = { project_id: project.id, sort: "created" };
  const first = await capture(owner, home, query);
  expect(ids(first)).toEqual([tasks[1].id, tasks[0].id]);
  const third = await newTask(owner, project.id);
  await owner.call("PATCH", `/tasks/${tasks[0].id}`, { body: { title: "Other" }, ...any });
  const at = { result_set_id: first.id, version: 1 };
  const answers = await Promise.all(Array.from({ length: 4 }, () => send(owner, home, SETS, at)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  const refused = answers.find(({ status }) => status === 409) as NativeAnswer;
  expect([refused.body.code, refused.body.current_revision]).toEqual(["revision_conflict", "2"]);
  const second = (await read(owner, home, `${SETS}/${first.id}?version=2`)).body;
  expect([second.query, ids(second)]).toEqual([query, [third.id, tasks[1].id, tasks[0].id]]);
  expect(second.tasks[2].revision).toBe("2");
  expect((await read(owner, home, `${SETS}/${first.id}?version=1`)).body).toEqual({
    ...first,
    latest_version: 2,
    capabilities: ["result_set:read", "result_set:select"],
  });
  expect(second.capabilities).toContain("result_set:refresh");
  expect(await states(owner, home, SETS, first.id, "version=1")).toBe("current changed");
  expect(await states(owner, home, SETS, first.id, "version=2")).toBe("current current current");
  for (const path of [`${first.id}?version=3`, `${first.id}/hydrate?version=3`])
    expect((await read(owner, home, `${SETS}/${path}`)).status).toBe(404);
});

test("what is neither a query nor a refresh, and what a list refuses, is refused with a pointer", async () => {
  const { home, owner, project } = await workshop(1);
  const { id } = await capture(owner, home, {});
  for (const [body, ...told] of [
    [{}, 400, "invalid_request", "/body/query"],
    [{ query: {}, result_set_id: id, version: 1 }, 400, "invalid_request", "/body/query"],
    [{ result_set_id: id }, 400, "invalid_request", "/body/version"],
    [{ query: {}, version: 1 }, 400, "invalid_request", "/body/result_set_id"],
    [{ query: { surprise: "x" } }, 400, "invalid_request", "/body/query/surprise"],
    [{ query: { priority: "highest" } }, 400, "invalid_request", "/body/query/priority"],
    [{ query: { trashed: "true" } }, 400, "invalid_request", "/body/query/trashed"],
    [{ query: { trashed: true, sort: "due" } }, 400, "invalid_request", "/body/query/sort"],
    [{ query: { sort: "position", project_id: project.id } }, 400, "invalid_request", "/body/query/sort"],
    [{ query: { q: "x".repeat(201) } }, 400, "invalid_request", "/body/query/q"],
    [{ result_set_id: newId(), version: 1 }, 404, "not_found", "/body/result_set_id"],
  ] as const)
    expect(refusalOf(await send(owner, home, SETS, body)), JSON.stringify(body)).toEqual(told);
});

test("what changed says so, with what it is now; what went away, or is hidden, says nothing but that", async () => {
  const { home, owner, project, tasks } = await workshop(6);
  const member = await home.member("member");
  const set = await capture(member, home, { project_id: project.id, sort: "created", order: "asc" });
  const picked = await keep(member, home, SELECTIONS, { result_set_id: set.id, version: 1, task_ids: ids(set) });
  const hidden = await newProject(home, { visibility: "private" });
  const [bulk, moved, out, trashed, gone] = tasks;
  const changed = await owner.call("POST", `/workspaces/${home.workspaceId}/tasks/bulk`, {
    body: { task_ids: [bulk.id], changes: { priority: "urgent" } },
  });
  expect(changed.body.items[0].outcome).toBe("updated");
  const other = await newProject(home);
  await owner.call("POST", `/tasks/${moved.id}/move`, { body: { project_id: other.id }, ...any });
  await owner.call("POST", `/tasks/${out.id}/move`, { body: { project_id: hidden.id }, ...any });
  for (const { id } of [trashed, gone]) await owner.call("POST", `/tasks/${id}/trash`, any);
  await owner.call("DELETE", `/tasks/${gone.id}`);
  for (const [kind, id, query] of [
    [SETS, set.id, "version=1"],
    [SELECTIONS, picked.id, "offset=0"],
  ] as const) {
    const { items } = await hydrate(member, home, kind, id, query);
    expect(items.map(({ state }: NativeAnswer) => state).join(" ")).toBe(
      "changed changed unavailable changed unavailable current",
    );
    expect(items[0].task).toMatchObject({ priority: "urgent", revision: "2", code: bulk.code });
    expect(items[1].task.code).toMatch(new RegExp(`^${other.key}-`));
    expect(items[3].task.trashed_at).not.toBe(null);
    // Hidden and gone are one answer.
    const bare = ({ id: _, ...rest }: NativeAnswer) => rest;
    expect(bare(items[2])).toEqual({ revision: "1", state: "unavailable", task: null });
    expect(bare(items[4])).toEqual(bare(items[2]));
    expect(Object.keys(items[5].task).sort()).toEqual([
      ...["assignee_actor_id", "code", "completed_at", "due_date", "id", "milestone_id", "priority", "project_id"],
      ...["revision", "status_id", "title", "trashed_at", "updated_at"],
    ]);
  }
  await joinProject(home, hidden.id, member, "viewer");
  expect((await states(member, home, SETS, set.id)).split(" ")[2]).toBe("changed");
  await owner.call("PATCH", `/projects/${project.id}`, { body: { archived: true }, ...any });
  expect((await states(member, home, SETS, set.id)).split(" ").at(-1)).toBe("current");
  await owner.call("PATCH", `/projects/${project.id}`, { body: { visibility: "private" }, ...any });
  expect(await states(member, home, SELECTIONS, picked.id, "offset=0")).toBe(
    "unavailable changed changed unavailable unavailable unavailable",
  );
  expect(ids(await keep(member, home, SETS, { result_set_id: set.id, version: 1 }))).toEqual([]);
});

test("a private Project's Tasks are captured by who sees them, and by nobody else, by words neither", async () => {
  const { home, owner } = await workshop(0);
  const hidden = await newProject(home, { visibility: "private" });
  const secret = await newTask(owner, hidden.id, { title: "Secret gear" });
  const member = await home.member("member");
  for (const query of [{}, { project_id: hidden.id }, { q: "secret" }, { q: secret.code }]) {
    expect(ids(await capture(owner, home, query))).toEqual([secret.id]);
    expect(ids(await capture(member, home, query))).toEqual([]);
  }
});

test("nobody else sees a set or a selection, an owner of the Workspace neither, nor selects from it", async () => {
  const { home, owner, project, tasks } = await workshop(1);
  const viewer = await home.member("viewer");
  const set = await capture(viewer, home, { project_id: project.id });
  const chosen = { result_set_id: set.id, version: 1, task_ids: [tasks[0].id] };
  const { id } = await keep(viewer, home, SELECTIONS, chosen);
  for (const person of [owner, await home.member("admin")]) {
    for (const path of [`${SETS}/${set.id}?version=1`, `${SETS}/${set.id}/hydrate?version=1`, `${SELECTIONS}/${id}`])
      expect(refusalOf(await read(person, home, path)), path).toEqual([404, "not_found"]);
    expect(refusalOf(await read(person, home, `${SELECTIONS}/${id}/hydrate`))).toEqual([404, "not_found"]);
    expect((await send(person, home, SELECTIONS, chosen)).status).toBe(404);
    expect((await send(person, home, SETS, { result_set_id: set.id, version: 1 })).status).toBe(404);
  }
  const key = newKey();
  const [first, second] = [
    await send(viewer, home, SETS, { query: {} }, key),
    await send(viewer, home, SETS, { query: {} }, key),
  ];
  expect([second.text, second.headers.get("idempotent-replayed")]).toEqual([first.text, "true"]);
});
