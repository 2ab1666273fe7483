// Finding people by the beginning of a name: active members of this Workspace, and with a Project those who see it.
import { expect, test } from "vitest";
import { joinProject, joinWorkspace, newProject } from "../../../test/work.ts";
import { type Person, service, type World, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();

let count = 0;
/** Everybody has a username of this test's own: they are unique in the whole service. */
async function cast(names: [username: string, displayName: string][]) {
  const home = await world(running);
  const mark = `t${++count}`;
  const people: Person[] = [];
  for (const [username, displayName] of names) {
    const person = await home.member("member");
    await rename(person, `${username}-${mark}`, displayName);
    people.push(person);
  }
  await rename(home.owner, `zz-owner-${mark}`, "Zoe");
  return { home, people, mark, owner: home.owner };
}
const rename = ({ userId }: Person, username: string, displayName: string) =>
  running.sql("update users set username = $2, display_name = $3 where id = $1", [userId, username, displayName]);
const resolve = (person: Person, { workspaceId }: World, q: string, project = "") =>
  person.call(
    "GET",
    `/workspaces/${workspaceId}/members/resolve?q=${encodeURIComponent(q)}${project && `&project_id=${project}`}`,
  );
const found = async (person: Person, home: World, q: string, project = ""): Promise<string[]> =>
  (await resolve(person, home, q, project)).body.items.map((item: { display_name: string }) => item.display_name);

test("the exact username comes first, then usernames, then display names, each in order and everybody once", async () => {
  const { home, owner, people, mark } = await cast([
    ["zoltan", "Adam Smith"],
    ["ada-lovelace", "Lady Ada"],
    ["ada", "Augusta"],
    ["bob", "Ada Byron"],
    ["carl", "Carl"],
  ]);
  expect(await found(owner, home, "ada")).toEqual(["Lady Ada", "Augusta", "Ada Byron", "Adam Smith"]);
  expect(await found(owner, home, `ada-${mark}`)).toEqual(["Augusta"]);
  expect(await found(owner, home, "adam")).toEqual(["Adam Smith"]);
  const { body, trips } = await resolve(owner, home, `ADA-${mark}`);
  expect(trips).toBeLessThanOrEqual(2);
  expect(body.items).toEqual([
    {
      kind: "human",
      actor_id: people[2]?.actorId,
      user_id: people[2]?.userId,
      username: `ada-${mark}`,
      display_name: "Augusta",
      role: "member",
      has_picture: false,
      picture_url: null,
    },
  ]);
});

test("an exact username comes before those that go on behind it", async () => {
  const { home, owner, people } = await cast([
    ["x", "One"],
    ["y", "Two"],
  ]);
  await rename(people[0] as Person, "ann", "One");
  await rename(people[1] as Person, "ann-1", "Two");
  expect(await found(owner, home, "ann")).toEqual(["One", "Two"]);
});

test("case does not matter, nor an @ before it; a later word is found, and two words", async () => {
  const { home, owner } = await cast([
    ["a", "Ada King Lovelace"],
    ["b", "Élodie Ørsted"],
    ["c", "100% _wild_"],
  ]);
  for (const q of ["LOVE", "@love", "king l", " Ada  ", "ada king lovelace"])
    expect(await found(owner, home, q), q).toEqual(["Ada King Lovelace"]);
  for (const q of ["éL", "ØR"]) expect(await found(owner, home, q), q).toEqual(["Élodie Ørsted"]);
  for (const q of ["%", "\\", "da", "lovelacee", "ada lovelace"]) expect(await found(owner, home, q), q).toEqual([]);
  for (const q of ["100%", "_wild"]) expect(await found(owner, home, q), q).toEqual(["100% _wild_"]);
});

test("accents do not matter on either side, however they are encoded, nor how many spaces stand where", async () => {
  const { home, owner } = await cast([
    ["a", "Jürgen\u00a0 Ångström"],
    ["b", "Zoe\u0308 de la Cruz"],
  ]);
  for (const q of ["jurgen", "JÜR", "ju\u0308r", "angstrom", "jürgen\u00a0a", "@ jurgen  ang"])
    expect(await found(owner, home, q), q).toEqual(["Jürgen\u00a0 Ångström"]);
  for (const q of ["zoë", "zoe d", "de  la"]) expect(await found(owner, home, q), q).toContain("Zoe\u0308 de la Cruz");
});

test("at most 20 are found, the first ones in order", async () => {
  const names = Array.from(
    { length: 21 },
    (_, n) => [`same${String(n).padStart(2, "0")}`, `Same ${n}`] as [string, string],
  );
  const { home, owner } = await cast(names.slice().reverse());
  expect(await found(owner, home, "same")).toEqual(names.slice(0, 20).map(([, name]) => name));
  expect((await found(owner, home, "@")).length).toBe(20);
});

test("who is suspended, removed or only invited is not found, and is again when active; a new name is known at once", async () => {
  const { home, owner, people } = await cast([["ada", "Ada"]]);
  const [ada] = people as [Person];
  const become = (state: string) =>
    running.sql("update memberships set state = $2 where user_id = $1", [ada.userId, state]);
  for (const state of ["suspended", "removed", "left", "invited"]) {
    await become(state);
    expect(await found(owner, home, "ada"), state).toEqual([]);
  }
  await become("active");
  expect(await found(owner, home, "ada")).toEqual(["Ada"]);
  await ada.call("PATCH", "/me", { body: { display_name: "Grace Hopper" }, headers: { "if-match": "*" } });
  expect(await found(owner, home, "hop")).toEqual(["Grace Hopper"]);
});

test("only people of this Workspace are found, also where somebody belongs to several", async () => {
  const { home, owner, people } = await cast([["ada", "Ada"]]);
  const other = await cast([["adam", "Adam"]]);
  expect(await found(owner, home, "ada")).toEqual(["Ada"]);
  await joinWorkspace(running, other.home.workspaceId, (people[0] as Person).userId);
  expect(await found(other.owner, other.home, "ada")).toEqual(["Ada", "Adam"]);
  expect((await resolve(other.owner, home, "ada")).status).toBe(404);
});

test("with a Project only those who see it are found; one that the caller does not see is refused like none", async () => {
  const { home, owner, people } = await cast([
    ["ada", "Ada"],
    ["adam", "Adam"],
    ["adele", "Adele"],
  ]);
  const [ada, adam, adele] = people as [Person, Person, Person];
  await running.sql("update memberships set role = 'admin' where user_id = $1", [adele.userId]);
  const [open, closed] = [await newProject(home), await newProject(home, { visibility: "private" })];
  await joinProject(home, closed.id, ada, "viewer");
  expect(await found(adam, home, "ad", open.id)).toEqual(["Ada", "Adam", "Adele"]);
  expect(await found(owner, home, "ad", closed.id)).toEqual(["Ada", "Adele"]);
  for (const id of [closed.id, newId(), (await newProject((await cast([])).home)).id]) {
    const answer = await resolve(adam, home, "ad", id);
    expect([answer.status, answer.body.code, answer.body.errors[0].pointer]).toEqual([
      422,
      "invalid_reference",
      "/query/project_id",
    ]);
  }
});

test("q has 1 to 100 characters and is no blank; a viewer may ask", async () => {
  const { home, owner } = await cast([]);
  for (const q of ["", " ", "x".repeat(101), "\u0000"])
    expect((await resolve(owner, home, q)).body.code).toBe("invalid_request");
  expect((await resolve(await home.member("viewer"), home, "x".repeat(100))).body).toEqual({ items: [] });
  expect((await owner.call("GET", `/workspaces/${home.workspaceId}/members/resolve`)).body.code).toBe(
    "invalid_request",
  );
});

test("a new name and a new membership do not miss each other", async () => {
  const { home, owner } = await cast([]);
  const { owner: joining } = await cast([]);
  await Promise.all([
    joinWorkspace(running, home.workspaceId, joining.userId),
    rename(joining, `new-${joining.userId.slice(-12)}`, "Newly Named"),
  ]);
  expect(await found(owner, home, "newly")).toEqual(["Newly Named"]);
  expect(await found(owner, home, "new-")).toEqual(["Newly Named"]);
});
