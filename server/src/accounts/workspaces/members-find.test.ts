// Finding people: by the beginning of a name, by role and by state, in a Workspace and in a Project; and where their
// pictures are.
import { expect, test } from "vitest";
import { newProject, newTask } from "../../../test/work.ts";
import { type Person, service, type World, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();

const rename = (person: Person, displayName: string, username = `u-${newId().slice(-12)}`) =>
  running.sql("update users set display_name = $2, username = $3 where id = $1", [
    ...[person.userId, displayName, username],
  ]);
const namesAt = async (person: Person, path: string) => {
  const { status, body, trips } = await person.call("GET", path);
  expect([status, trips]).toEqual([200, 1]);
  return body.items.map((row: { display_name: string }) => row.display_name);
};
/** Everybody, read in pages of this size. */
async function everyPage(person: Person, path: string, limit: number): Promise<string[]> {
  const found: string[] = [];
  let cursor = "";
  for (let page = 0; page < 50; page++) {
    const { body } = await person.call("GET", `${path}&limit=${limit}${cursor}`);
    found.push(...body.items.map((row: { display_name: string }) => row.display_name));
    if (!body.has_more) return found;
    cursor = `&cursor=${body.next_cursor}`;
  }
  throw new Error("the pages do not end");
}

async function people(home: World) {
  const [ada, grace, joan] = [await home.member("admin"), await home.member("member"), await home.member("viewer")];
  await rename(home.owner, "Zoe Quartz", `zoe-${newId().slice(-12)}`);
  await rename(ada, "Áda King Lovelace", `countess-${newId().slice(-12)}`);
  await rename(grace, "Grace Hopper", `ada-fan-${newId().slice(-12)}`);
  await rename(joan, "Joan Clarke");
  return { ada, grace, joan };
}

test("q finds active members by the beginning of username, name or a later word of it, each once, in the order of names", async () => {
  const home = await world(running);
  await people(home);
  const path = `/workspaces/${home.workspaceId}/members`;
  const cases: [string, string[]][] = [
    ["ada", ["Áda King Lovelace", "Grace Hopper"]],
    ["ÁD", ["Áda King Lovelace", "Grace Hopper"]],
    ["@ada-f", ["Grace Hopper"]],
    ["love", ["Áda King Lovelace"]],
    ["king  love", ["Áda King Lovelace"]],
    ["zo", ["Zoe Quartz"]],
    ["arke", []],
    ["%", []],
    ["_", []],
  ];
  for (const [q, found] of cases)
    expect(await namesAt(home.owner, `${path}?q=${encodeURIComponent(q)}`), q).toEqual(found);
  for (const q of ["", "%20", "x".repeat(101)])
    expect((await home.owner.call("GET", `${path}?q=${q}`)).body.errors[0].pointer, q).toBe("/query/q");
});

test("somebody who has left or is suspended is not found by name, and nobody of another Workspace is", async () => {
  const [home, other] = [await world(running), await world(running)];
  const { ada, grace } = await people(home);
  const path = `/workspaces/${home.workspaceId}/members`;
  await people(other);
  await running.sql("update memberships set state = 'left' where user_id = $1", [ada.userId]);
  expect(await namesAt(home.owner, `${path}?q=ada`)).toEqual(["Grace Hopper"]);
  await running.sql("update memberships set state = 'suspended' where user_id = $1", [grace.userId]);
  expect(await namesAt(home.owner, `${path}?q=ada`)).toEqual([]);
  expect(await namesAt(home.owner, `${path}?q=ada&state=left,suspended`)).toEqual([]);
  expect((await other.owner.call("GET", `${path}?q=ada`)).status).toBe(404);
});

test("role and state filter the list, one or several, alone and with a name", async () => {
  const home = await world(running);
  const { grace } = await people(home);
  await running.sql("update memberships set state = 'suspended' where user_id = $1", [grace.userId]);
  const path = `/workspaces/${home.workspaceId}/members`;
  const cases: [string, string[]][] = [
    ["role=owner", ["Zoe Quartz"]],
    ["role=viewer,owner", ["Zoe Quartz", "Joan Clarke"]],
    ["role=viewer,viewer", ["Joan Clarke"]],
    ["role=member", ["Grace Hopper"]],
    ["role=!member,owner", ["Áda King Lovelace", "Joan Clarke"]],
    ["role=!owner,admin,member,viewer", []],
    ["state=!active", ["Grace Hopper"]],
    ["role=member&state=active", []],
    ["state=active", ["Zoe Quartz", "Áda King Lovelace", "Joan Clarke"]],
    ["state=suspended,left", ["Grace Hopper"]],
    ["role=admin&q=lo", ["Áda King Lovelace"]],
    ["role=owner&q=lo", []],
  ];
  for (const [query, found] of cases) expect(await namesAt(home.owner, `${path}?${query}`), query).toEqual(found);
  for (const wrong of ["role=boss", "role=owner,", "role=", "state=gone", "role=owner&role=admin"])
    expect((await home.owner.call("GET", `${path}?${wrong}`)).status, wrong).toBe(400);
});

test("pages of one and of two hold everybody once; a cursor belongs to its filter", async () => {
  const home = await world(running);
  await people(home);
  const path = `/workspaces/${home.workspaceId}/members`;
  for (const limit of [1, 2]) {
    expect(await everyPage(home.owner, `${path}?q=ada`, limit)).toEqual(["Áda King Lovelace", "Grace Hopper"]);
    expect(await everyPage(home.owner, `${path}?role=admin,member,viewer`, limit)).toHaveLength(3);
  }
  const { next_cursor } = (await home.owner.call("GET", `${path}?q=ada&limit=1`)).body;
  const elsewhere = await home.owner.call("GET", `${path}?q=zoe&limit=1&cursor=${next_cursor}`);
  expect([elsewhere.status, elsewhere.body.code]).toEqual([400, "invalid_cursor"]);
});

test("include brings along the people of the page that is shown, also where others were examined between them", async () => {
  const home = await world(running);
  const { ada, grace } = await people(home);
  // Four names of Ada's fit, and Grace's comes behind them.
  await rename(ada, "Gr Gr Gr Gr", `gr-${newId().slice(-12)}`);
  const project = await newProject(home);
  for (const { actorId } of [ada, grace])
    await home.owner.call("POST", `/projects/${project.id}/members`, { body: { actor_id: actorId, role: "member" } });
  for (const path of [
    `/workspaces/${home.workspaceId}/members?q=gr`,
    `/projects/${project.id}/members?q=gr`,
    `/projects/${project.id}/members?role=member`,
  ]) {
    const { body, trips } = await home.owner.call("GET", `${path}&limit=2&include=people`);
    const actors = body.items.map((row: { actor_id: string }) => row.actor_id).sort();
    expect([trips, Object.keys(body.included.actors).sort()], path).toEqual([1, actors]);
    expect(actors, path).toEqual([ada.actorId, grace.actorId].sort());
  }
});

test("the members of a Project are found by name and by their role in it, and nobody who is not in it", async () => {
  const home = await world(running);
  const { ada, grace, joan } = await people(home);
  const project = await newProject(home, { visibility: "private" });
  const path = `/projects/${project.id}/members`;
  for (const [person, role] of [
    [grace, "lead"],
    [joan, "viewer"],
  ] as const)
    await home.owner.call("POST", path, { body: { actor_id: person.actorId, role } });
  expect(await namesAt(home.owner, `${path}?q=ada`)).toEqual(["Grace Hopper"]);
  expect(await namesAt(home.owner, `${path}?role=viewer`)).toEqual(["Joan Clarke"]);
  expect(await namesAt(home.owner, `${path}?role=viewer&q=ada`)).toEqual([]);
  expect(await everyPage(home.owner, `${path}?role=viewer,lead`, 1)).toEqual(
    expect.arrayContaining(["Grace Hopper", "Joan Clarke"]),
  );
  const outsider = await home.member("member");
  expect((await outsider.call("GET", `${path}?q=ada`)).status).toBe(404);
  expect(ada.actorId).not.toBe(grace.actorId);
});

test("every row of a person says where the picture is, and null where there is none", async () => {
  const home = await world(running);
  const { grace } = await people(home);
  const project = await newProject(home);
  const task = await newTask(home.owner, project.id, { assignee_actor_id: grace.actorId });
  await home.owner.call("POST", `/projects/${project.id}/members`, { body: { actor_id: grace.actorId, role: "lead" } });
  await running.sql("update users set picture_key = $2 where id = $1", [grace.userId, `pictures/${newId()}`]);
  const url = `/api/v1/workspaces/${home.workspaceId}/people/${grace.userId}/profile-picture/content`;
  const [{ username } = { username: "" }] = await running.sql<{ username: string }>(
    "select username from users where id = $1",
    [grace.userId],
  );
  for (const path of [
    `/workspaces/${home.workspaceId}/members`,
    `/workspaces/${home.workspaceId}/members?q=grace`,
    `/workspaces/${home.workspaceId}/members/resolve?q=grace`,
    `/projects/${project.id}/members`,
    `/tasks/${task.id}/subscribers`,
    `/tasks/${task.id}/participants`,
  ]) {
    const { items } = (await home.owner.call("GET", path)).body;
    const row = (actorId: string) => items.find((item: { actor_id: string }) => item.actor_id === actorId);
    expect(row(grace.actorId), path).toMatchObject({ display_name: "Grace Hopper", username, picture_url: url });
    if (row(home.owner.actorId)) expect(row(home.owner.actorId).picture_url, path).toBeNull();
  }
  const person = await home.owner.call("GET", `/workspaces/${home.workspaceId}/people/${username}`);
  expect(person.body.picture_url).toBe(url);
});
