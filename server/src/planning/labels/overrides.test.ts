// How a Project shows the labels of the Workspace: what an override changes, who decides it, and how many are listed.
import { expect, test } from "vitest";
import { nativeTokens } from "../../../test/native.ts";
import { eventsOf, joinProject, newProject, newTask } from "../../../test/work.ts";
import { type Person, service, type World, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();

async function workshop() {
  const home = await world(running);
  const project = await newProject(home);
  const path = `/projects/${project.id}`;
  return { ...home, home, project, path, bug: await label(home, "Bug") };
}
async function label({ owner, workspaceId }: World, name: string) {
  return (await owner.call("POST", `/workspaces/${workspaceId}/label-definitions`, { body: { name } })).body;
}
const override = (person: Person, path: string, id: string, body: object, ifMatch = "0") =>
  person.call("PUT", `${path}/label-overrides/${id}`, { body, ifMatch });
const shown = async (person: Person, path: string, query = "") =>
  (await person.call("GET", `${path}/label-definitions${query}`)).body.items;

test("an override changes how the Project shows a label, and nothing elsewhere", async () => {
  const { owner, home, path, bug, project } = await workshop();
  await label(home, "Crank");
  const made = await override(owner, path, bug.id, { name: "Defect", color: "red" });
  expect(made.status).toBe(200);
  expect(made.body).toMatchObject({
    project_id: project.id,
    label_id: bug.id,
    name: "Defect",
    color: "red",
    hidden: false,
    revision: "1",
    capabilities: ["label_override:update", "label_override:delete"],
  });
  expect(await shown(owner, path)).toMatchObject([
    { name: "Crank", color: "gray", overridden: false, hidden: false },
    { id: bug.id, name: "Defect", color: "red", overridden: true, hidden: false, revision: "1" },
  ]);
  const other = await newProject(home);
  expect(await shown(owner, `/projects/${other.id}`)).toMatchObject([{ name: "Bug" }, { name: "Crank" }]);
  expect((await owner.call("GET", `/label-definitions/${bug.id}`)).body.name).toBe("Bug");
  const task = await newTask(owner, project.id);
  const put = { body: { label_ids: [bug.id] }, ifMatch: "1" };
  const borne = await owner.call("PUT", `/task/${task.id}/labels`, put);
  expect(borne.body.labels).toMatchObject([{ id: bug.id, name: "Defect", color: "red", overridden: true }]);
  expect((await owner.call("GET", `/task/${task.id}/labels`)).body).toEqual(borne.body);
});

test("a hidden label is left out unless it is asked for, and stays on what bears it", async () => {
  const { owner, path, bug, project } = await workshop();
  const task = await newTask(owner, project.id);
  await owner.call("PUT", `/task/${task.id}/labels`, { body: { label_ids: [bug.id] }, ifMatch: "1" });
  await override(owner, path, bug.id, { hidden: true });
  expect(await shown(owner, path)).toEqual([]);
  expect(await shown(owner, path, "?include_hidden=false")).toEqual([]);
  expect(await shown(owner, path, "?include_hidden=true")).toMatchObject([{ name: "Bug", hidden: true }]);
  const { body } = await owner.call("GET", `/task/${task.id}/labels`);
  expect(body.labels).toMatchObject([{ name: "Bug", hidden: true }]);
});

test("an override is replaced whole, under its revision, and 0 is that of none", async () => {
  const { owner, home, path, bug } = await workshop();
  expect((await override(owner, path, bug.id, { name: "A" }, "1")).body.current_revision).toBe("0");
  expect((await override(owner, path, bug.id, { name: "A", color: "red", hidden: true })).body.revision).toBe("1");
  expect((await override(owner, path, bug.id, { name: "B" })).body).toMatchObject({
    code: "revision_conflict",
    current_revision: "1",
  });
  const replaced = await override(owner, path, bug.id, { name: "B" }, "1");
  expect(replaced.body).toMatchObject({ name: "B", color: null, hidden: false, revision: "2" });
  const [, first, second] = await eventsOf(running, home, bug.id);
  const before = { name: "A", color: "red", hidden: true };
  const after = { name: "B", color: null, hidden: false };
  expect([first, second]).toMatchObject([
    { type: "label.override_replaced", activity: null, payload: { from: null, to: before } },
    { type: "label.override_replaced", payload: { from: before, to: after } },
  ]);
});

test("of many who override a label first, one does", async () => {
  const { owner, path, bug } = await workshop();
  const all = Array.from({ length: 10 }, (_, n) => override(owner, path, bug.id, { name: `Name ${n}` }));
  expect((await Promise.all(all)).map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
});

test("without its override a label is shown as everywhere; there is none to delete twice", async () => {
  const { owner, home, path, bug } = await workshop();
  await override(owner, path, bug.id, { name: "Defect" });
  const remove = (ifMatch?: string) => owner.call("DELETE", `${path}/label-overrides/${bug.id}`, { ifMatch });
  expect((await remove("2")).body.code).toBe("revision_conflict");
  expect((await remove("1")).status).toBe(204);
  expect((await remove()).status).toBe(404);
  expect(await shown(owner, path)).toMatchObject([{ name: "Bug", overridden: false }]);
  expect((await eventsOf(running, home, bug.id)).at(-1)).toMatchObject({
    type: "label.override_deleted",
    payload: { from: { name: "Defect", color: null, hidden: false }, to: null },
  });
  expect((await override(owner, path, bug.id, { hidden: true })).body.revision).toBe("1");
});

test("only labels of the Workspace are overridden, in a Project that the caller manages", async () => {
  const { owner, home, path, bug, project } = await workshop();
  const [member, viewer, lead] = [
    await home.member("member"),
    await home.member("viewer"),
    await home.member("member"),
  ];
  await joinProject(home, project.id, lead, "lead");
  const own = (await owner.call("POST", `${path}/label-definitions`, { body: { name: "Own" } })).body;
  const foreign = await label(await world(running), "Foreign");
  for (const id of [own.id, foreign.id, newId()])
    expect((await override(owner, path, id, { hidden: true })).status).toBe(404);
  for (const person of [member, viewer])
    expect((await override(person, path, bug.id, { hidden: true })).status).toBe(403);
  expect((await override(lead, path, bug.id, { hidden: true })).status).toBe(200);
  const secret = await newProject(home, { visibility: "private" });
  expect((await override(member, `/projects/${secret.id}`, bug.id, { hidden: true })).status).toBe(404);
  expect((await member.call("GET", `/projects/${secret.id}/label-overrides`)).status).toBe(404);
  expect((await viewer.call("GET", `${path}/label-overrides`)).body.items).toMatchObject([{ label_id: bug.id }]);
});

test("the overrides of a Project are listed up to 100; one more is 409 catalog_incomplete, for a native client too", async () => {
  const { owner, workspaceId, path, bug, project } = await workshop();
  await running.sql(
    `with l as (
       insert into label_definitions (workspace_id, id, project_id, name, color, purpose, created_by_actor_id)
       select $1, gen_random_uuid(), null, 'Filled ' || n, 'gray', 'task', $2 from generate_series(1, 100) n
       returning id
     )
     insert into label_overrides (workspace_id, project_id, label_id, hidden) select $1, $3, id, true from l`,
    [workspaceId, owner.actorId, project.id],
    workspaceId,
  );
  const list = () => owner.call("GET", `${path}/label-overrides`);
  const full = await list();
  expect([full.status, full.body.items.length, full.trips]).toEqual([200, 100, 2]);
  await override(owner, path, bug.id, { hidden: true });
  const { access } = await nativeTokens(running, owner.userId);
  const headers = { "x-svc-workspace-id": workspaceId };
  for (const refused of [await list(), await owner.bearer(access, "GET", `${path}/label-overrides`, { headers })])
    expect([refused.status, refused.body.code]).toEqual([409, "catalog_incomplete"]);
  expect((await owner.call("DELETE", `/label-definitions/${bug.id}`)).status).toBe(204);
  expect((await list()).body.items.length).toBe(100);
  const left = await running.sql("select from label_overrides where label_id = $1", [bug.id], workspaceId);
  expect(left.length).toBe(0);
});
