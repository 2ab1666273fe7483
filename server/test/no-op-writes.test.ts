// A third of the operations that no-op-writes.ts sends twice (no-op-writes.slow.test.ts tests the others), and the
// events of a change of several fields, a refusal, a default and a move to the same place.
import { expect, test } from "vitest";
import { isPicked } from "./covering-set.ts";
import { named, placing, repeatable, testNoOpWrites } from "./no-op-writes.ts";
import { newProject, newTask } from "./work.ts";
import { newKey, service, world } from "./world.ts";

const running = service({});
testNoOpWrites(running, ({ id }) => isPicked(id, "no-op"));

test("there are such operations, and every exception is one", () => {
  expect(named.length).toBeGreaterThan(35);
  const ids = named.map(({ id }) => id);
  expect([...Object.keys(repeatable), ...placing].filter((id) => !ids.includes(id))).toEqual([]);
});

const any = { headers: { "if-match": "*" } };
type Told = { type: string; payload: Record<string, unknown> };
const EVENTS = "select type, payload from domain_events where workspace_id = $1 order by id";
/** What the work records. */
async function told(workspaceId: string, work: () => Promise<unknown>): Promise<Told[]> {
  const before = (await running.sql<Told>(EVENTS, [workspaceId], workspaceId)).length;
  await work();
  return (await running.sql<Told>(EVENTS, [workspaceId], workspaceId)).slice(before);
}

test("of a change of several fields, those are written and told that change", async () => {
  const home = await world(running);
  const { owner, workspaceId } = home;
  const project = await newProject(home);
  const task = await newTask(owner, project.id);
  const change = (path: string, body: object) => told(workspaceId, () => owner.call("PATCH", path, { body, ...any }));
  expect(await change(`/tasks/${task.id}`, { title: task.title, priority: "high" })).toMatchObject([
    { type: "task.priority_changed", payload: { to: "high" } },
  ]);
  expect(await change(`/projects/${project.id}`, { name: project.name, color: "red", archived: false })).toMatchObject([
    { payload: { from: { color: null }, to: { color: "red" } } },
  ]);
  expect(await change(`/workspaces/${workspaceId}/settings`, { locale: "en", week_start: "sunday" })).toMatchObject([
    { payload: { fields: ["week_start"] } },
  ]);
});

test("a stale revision and a caller who may not are refused, also where nothing would change", async () => {
  const home = await world(running);
  const { owner } = home;
  const task = await newTask(owner, (await newProject(home)).id);
  const body = { title: task.title };
  const send = (person: typeof owner, ifMatch: string) => person.call("PATCH", `/tasks/${task.id}`, { body, ifMatch });
  expect((await owner.call("PATCH", `/tasks/${task.id}`, { body: { priority: "low" }, ifMatch: "1" })).status).toBe(
    200,
  );
  expect((await send(owner, "1")).body).toMatchObject({ code: "revision_conflict", current_revision: "2" });
  expect((await send(await home.member("viewer"), "2")).body.code).toBe("forbidden");
  expect((await send(owner, "2")).body).toMatchObject({ revision: "2", priority: "low" });
});

test("to say what is the default already decides nothing", async () => {
  const { owner, workspaceId } = await world(running);
  const path = `/workspaces/${workspaceId}/ai-access-policy`;
  const events = await told(workspaceId, async () => {
    const { body } = await owner.call("PUT", path, { body: { enabled: true }, ifMatch: "0" });
    expect(body).toMatchObject({ enabled: true, revision: "0", updated_at: null });
  });
  expect(events).toEqual([]);
});

test("whatever stands behind its neighbour already is not moved, and everything else is", async () => {
  const home = await world(running);
  const { owner, workspaceId } = home;
  const projects = [await newProject(home), await newProject(home), await newProject(home)].map(({ id }) => id);
  const statuses: string[] = [];
  for (const name of ["Cut", "Glue", "Paint"]) {
    const body = { name, category: "backlog" };
    statuses.push((await owner.call("POST", `/projects/${projects[0]}/statuses`, { body, key: newKey() })).body.id);
  }
  for (const [path, [first, second, third]] of [
    ["/projects", projects],
    ["/statuses", statuses],
  ] as const) {
    const move = (id: string | undefined, after_id: string | null | undefined) =>
      told(workspaceId, async () => {
        const { status, text } = await owner.call("POST", `${path}/${id}/move`, { body: { after_id }, ...any });
        expect(status, text).toBe(200);
      });
    expect([await move(first, null), await move(second, first), await move(third, second)]).toEqual([[], [], []]);
    expect(await move(third, first)).toHaveLength(1);
    expect([await move(third, first), await move(second, third)]).toEqual([[], []]);
    expect(await move(second, null)).toHaveLength(1);
    expect(await move(second, null)).toEqual([]);
  }
});

test("a Task is not moved to the Project and Status that it is in, and to another Status of it by a change alone", async () => {
  const home = await world(running);
  const { owner, workspaceId } = home;
  const project = await newProject(home);
  const task = await newTask(owner, project.id);
  const move = (body: object) => owner.call("POST", `/tasks/${task.id}/move`, { body, ...any });
  const events = await told(workspaceId, async () => {
    for (const body of [{ project_id: project.id }, { project_id: project.id, status_id: task.status_id }])
      expect((await move(body)).body).toMatchObject({ id: task.id, revision: "1", updated_at: task.updated_at });
    const statuses = (await owner.call("GET", `/projects/${project.id}/statuses`)).body.items as { id: string }[];
    const status_id = statuses.find(({ id }) => id !== task.status_id)?.id;
    expect((await move({ project_id: project.id, status_id })).body.code).toBe("invalid_reference");
  });
  expect(events).toEqual([]);
});
