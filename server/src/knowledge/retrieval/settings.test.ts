// Knowledge settings: the default follows the Workspace's entitlement until somebody chooses, and nothing is indexed
// without a Project.
import { expect, test } from "vitest";
import { joinProject, newProject } from "../../../test/work.ts";
import { service, type World, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();
const pathOf = ({ workspaceId }: World) => `/workspaces/${workspaceId}/knowledge-settings`;
const read = async (place: World, person = place.owner) => (await person.call("GET", pathOf(place))).body;
const change = (place: World, body: object, ifMatch: string, person = place.owner) =>
  person.call("PATCH", pathOf(place), { body, ifMatch });
const setPlan = ({ workspaceId }: World, plan: string) =>
  running.sql("update workspaces set plan = $2 where id = $1", [workspaceId, plan]);

test("until somebody chooses, it is wished for, whatever the plan; without Projects nothing is indexed", async () => {
  const place = await world(running);
  const answer = await place.owner.call("GET", pathOf(place));
  expect([answer.trips, answer.headers.get("etag")]).toEqual([1, '"0"']);
  const untouched = {
    workspace_id: place.workspaceId,
    revision: "0",
    updated_at: null,
    enabled: true,
    included_projects: [],
    include_workspace_documents: false,
    workspace_knowledge_entitled: true,
    indexing_active: false,
    capabilities: ["knowledge:manage"],
  };
  expect(answer.body).toEqual(untouched);
  for (const plan of ["team", "business", "free"]) {
    await setPlan(place, plan);
    expect(await read(place)).toEqual(untouched);
  }
});

test("it is active with the wish and a Project, and without one of them it is not", async () => {
  const place = await world(running);
  const project = await newProject(place);
  const first = await change(place, { enabled: true, included_projects: [project.id] }, "0");
  expect(first.trips).toBeLessThanOrEqual(5);
  expect(first.body).toMatchObject({
    revision: "1",
    enabled: true,
    included_projects: [project.id],
    workspace_knowledge_entitled: true,
    indexing_active: true,
  });
  expect((await change(place, { enabled: false }, "1")).body).toMatchObject({
    included_projects: [project.id],
    indexing_active: false,
  });
  expect((await change(place, { enabled: true }, "2")).body.indexing_active).toBe(true);
  expect((await change(place, { included_projects: [] }, "3")).body).toMatchObject({
    enabled: true,
    indexing_active: false,
  });
});

test("an explicit choice stays, and null goes back to what the Workspace is entitled to", async () => {
  const place = await world(running);
  expect((await change(place, { enabled: false }, "0")).body.enabled).toBe(false);
  await setPlan(place, "business");
  expect((await read(place)).enabled).toBe(false);
  expect((await change(place, { enabled: null }, "1")).body).toMatchObject({ enabled: true, revision: "2" });
});

test("Documents that are in no Project are chosen beside Projects, and do not make it active alone", async () => {
  const place = await world(running);
  const alone = await change(place, { include_workspace_documents: true }, "0");
  expect(alone.body).toMatchObject({ revision: "1", include_workspace_documents: true, indexing_active: false });
  const { id } = await newProject(place);
  expect((await change(place, { included_projects: [id] }, "1")).body).toMatchObject({
    include_workspace_documents: true,
    indexing_active: true,
  });
});

test("Projects must be of the Workspace and not deleted; one that is deleted later counts for nothing", async () => {
  const [place, other] = [await world(running), await world(running)];
  const [own, gone, foreign] = [await newProject(place), await newProject(place), await newProject(other)];
  const remove = (id: string) =>
    running.sql("update projects set deleted_at = now() where id = $1", [id], place.workspaceId);
  await remove(gone.id);
  const answer = await change(place, { included_projects: [foreign.id, own.id, gone.id, newId()] }, "0");
  expect([answer.status, answer.body.code]).toEqual([422, "invalid_reference"]);
  expect(answer.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
    "/body/included_projects/0",
    "/body/included_projects/2",
    "/body/included_projects/3",
  ]);
  expect((await read(place)).revision, "nothing was saved").toBe("0");
  expect((await change(place, { included_projects: [own.id] }, "0")).body.indexing_active).toBe(true);
  await remove(own.id);
  expect(await read(place)).toMatchObject({ included_projects: [], indexing_active: false });
});

test("at most 1,000 Projects, each once", async () => {
  const place = await world(running);
  const { workspaceId, owner } = place;
  const made = await running.sql<{ id: string }>(
    `insert into projects (workspace_id, id, key, name, visibility, created_by_actor_id, position)
     select $1, gen_random_uuid(), 'F' || n, 'Filler', 'workspace', $2, n from generate_series(1, 1001) n returning id`,
    [workspaceId, owner.actorId],
    workspaceId,
  );
  const ids = made.map(({ id }) => id);
  for (const wrong of [ids, [ids[0], ids[0]]]) {
    const answer = await change(place, { included_projects: wrong }, "0");
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, "/body/included_projects"]);
  }
  const { body } = await change(place, { included_projects: ids.slice(0, 1000) }, "0");
  expect(body.included_projects).toEqual(ids.slice(0, 1000));
});

test("everybody reads it, of private Projects only their members; owners and admins choose", async () => {
  const [place, other] = [await world(running), await world(running)];
  const [open, hidden] = [await newProject(place), await newProject(place, { visibility: "private" })];
  await change(place, { included_projects: [hidden.id, open.id] }, "0");
  const [member, inside, viewer, admin] = await Promise.all(
    (["member", "member", "viewer", "admin"] as const).map(place.member),
  );
  await joinProject(place, hidden.id, inside as never, "member");
  for (const [person, seen] of [
    [member, [open.id]],
    [viewer, [open.id]],
    [inside, [hidden.id, open.id]],
    [admin, [hidden.id, open.id]],
  ] as const)
    expect(await read(place, person)).toMatchObject({ included_projects: seen, indexing_active: true });
  for (const [person, status] of [
    [member, 403],
    [viewer, 403],
    [other.owner, 404],
    [admin, 200],
  ] as const)
    expect((await change(place, { enabled: false }, "1", person)).status).toBe(status);
  expect((await other.owner.call("GET", pathOf(place))).status).toBe(404);
});

test("the revision decides: a stale one is refused, and of many first choices at once one is made", async () => {
  const place = await world(running);
  expect((await change(place, { enabled: false }, "1")).body).toMatchObject({
    code: "revision_conflict",
    current_revision: "0",
  });
  const answers = await Promise.all(Array.from({ length: 6 }, () => change(place, { enabled: false }, "0")));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect((await place.owner.call("PATCH", pathOf(place), { body: { enabled: false } })).body.code).toBe(
    "if_match_required",
  );
});
