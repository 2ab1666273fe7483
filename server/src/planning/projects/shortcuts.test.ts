// Project shortcuts: one's own, in one's own order, and only what one sees.
import { expect, test } from "vitest";
import { joinProject, newProject } from "../../../test/work.ts";
import { type Person, service, type World, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();
const pathOf = ({ workspaceId }: World) => `/workspaces/${workspaceId}/project-shortcuts`;
const read = (home: World, person: Person = home.owner) => person.call("GET", pathOf(home));
const replace = (home: World, project_ids: string[], ifMatch = "0", person: Person = home.owner) =>
  person.call("PUT", pathOf(home), { body: { project_ids }, ifMatch });
async function projects(home: World, count: number, body: object = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made++) ids.push((await newProject(home, body)).id);
  return ids;
}

test("somebody has none at revision 0, and keeps the order that they give", async () => {
  const home = await world(running);
  const [a, b] = (await projects(home, 2)) as [string, string];
  expect((await read(home)).body).toEqual({ project_ids: [], revision: "0", updated_at: null });
  const kept = await replace(home, [b, a]);
  expect(kept.body).toMatchObject({ project_ids: [b, a], revision: "1" });
  expect((await read(home)).body).toEqual(kept.body);
  expect((await replace(home, [a])).body).toMatchObject({ code: "revision_conflict", current_revision: "1" });
  expect((await replace(home, [], "1")).body).toMatchObject({ project_ids: [], revision: "2" });
  expect((await read(home)).headers.get("cache-control")).toBe("no-store");
});

test("they are the member's own, also a viewer's, and nobody else's", async () => {
  const home = await world(running);
  const [a] = (await projects(home, 1)) as [string];
  const viewer = await home.member("viewer");
  expect((await replace(home, [a], "0", viewer)).status).toBe(200);
  expect((await read(home)).body.project_ids).toEqual([]);
  expect((await read(home, viewer)).body.project_ids).toEqual([a]);
  expect((await read(home, (await world(running)).owner)).status).toBe(404);
});

test("a Project that is not seen cannot be kept, and is pointed to", async () => {
  const home = await world(running);
  const member = await home.member("member");
  const [open, hidden] = [...(await projects(home, 1)), ...(await projects(home, 1, { visibility: "private" }))] as [
    string,
    string,
  ];
  const foreign = (await newProject(await world(running))).id;
  const refused = await replace(home, [open, hidden, foreign, newId()], "0", member);
  expect(refused.body.code).toBe("invalid_reference");
  expect(refused.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
    "/body/project_ids/1",
    "/body/project_ids/2",
    "/body/project_ids/3",
  ]);
  expect((await read(home, member)).body.revision).toBe("0");
});

test("50 are kept and 51 are not, and none twice", async () => {
  const home = await world(running);
  await running.sql(
    `insert into projects (workspace_id, id, key, name, created_by_actor_id, position)
     select $1, gen_random_uuid(), 'P' || n, 'x', $2, n from generate_series(1, 51) n`,
    [home.workspaceId, home.owner.actorId],
    home.workspaceId,
  );
  const ids = (await running.sql<{ id: string }>("select id from projects", [], home.workspaceId)).map(({ id }) => id);
  expect((await replace(home, ids.slice(0, 50))).status).toBe(200);
  expect((await replace(home, ids, "1")).body.errors[0].pointer).toBe("/body/project_ids");
  const [one] = ids as [string];
  expect((await replace(home, [one, one], "1")).body.errors[0].code).toBe("repeated");
  expect((await replace(home, [one, one.toUpperCase()], "1")).body.project_ids).toEqual([one]);
});

test("what somebody does not see any more is left out, and back when they see it again", async () => {
  const home = await world(running);
  const member = await home.member("member");
  const [hidden, gone, kept] = [
    ...(await projects(home, 1, { visibility: "private" })),
    ...(await projects(home, 2)),
  ] as [string, string, string];
  await joinProject(home, hidden, member, "member");
  await replace(home, [hidden, gone, kept], "0", member);
  await home.owner.call("DELETE", `/projects/${hidden}/members/${member.actorId}`);
  await home.owner.call("DELETE", `/projects/${gone}`);
  expect((await read(home, member)).body).toMatchObject({ project_ids: [kept], revision: "1" });
  await joinProject(home, hidden, member, "member");
  expect((await read(home, member)).body.project_ids).toEqual([hidden, kept]);
});

test("of many first writers one wins", async () => {
  const home = await world(running);
  const ids = await projects(home, 1);
  const answers = await Promise.all(Array.from({ length: 8 }, () => replace(home, ids)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
});
