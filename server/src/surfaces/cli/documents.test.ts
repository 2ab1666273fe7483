// Documents on the command line: what is at the top, and one by its path, with as much of its text as an answer has.
import { expect, test } from "vitest";
import { changeDocument, newDocument, say } from "../../../test/documents.ts";
import { newProject, pages } from "../../../test/work.ts";
import { type Person, service, type World, world } from "../../../test/world.ts";

const running = service();
/** Somebody who calls with a personal API token. */
async function asToken(home: World, person = home.owner): Promise<Person> {
  const token = await home.token(["svc:read"], person);
  return { ...person, call: (method, path, options) => person.bearer(token, method, path, options) };
}
const titles = async (person: Person, query = "") =>
  (await person.call("GET", `/cli/documents${query}`)).body.items.map(({ title }: { title: string }) => title);

test("lists what is at the top and neither archived nor in the trash, by title, without an id", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const top = await newDocument(home, { title: "Handbook" });
  await newDocument(home, { title: "Below", parent_id: top.id });
  await newDocument(home, { title: "Atlas", project_id: project.id });
  const [old, gone] = [await newDocument(home, { title: "Old" }), await newDocument(home, { title: "Gone" })];
  await changeDocument(home.owner, old.id, { archived: true });
  await home.owner.call("DELETE", `/documents/${gone.id}`);
  const caller = await asToken(home);
  const { body, text, trips } = await caller.call("GET", "/cli/documents");
  expect(trips).toBe(1);
  expect(body.items).toEqual([
    expect.objectContaining({ path: "atlas", title: "Atlas", project_code: project.key, has_children: false }),
    expect.objectContaining({ path: "handbook", title: "Handbook", project_code: null, has_children: true }),
  ]);
  expect(text).not.toContain(top.id);
  expect(await titles(caller, `?project_code=${project.key.toLowerCase()}`)).toEqual(["Atlas"]);
  const unknown = await caller.call("GET", "/cli/documents?project_code=NOSUCH");
  expect([unknown.status, unknown.body.errors[0].pointer, unknown.trips]).toEqual([404, "/query/project_code", 1]);
});

test("goes on page by page, behind titles that are the same too", async () => {
  const home = await world(running);
  for (const title of ["B", "A", "B", "C"]) await newDocument(home, { title });
  const { items } = await pages(await asToken(home), "/cli/documents", 1);
  expect(items.map(({ title }) => title)).toEqual(["A", "B", "B", "C"]);
  expect(new Set(items.map(({ path }) => path)).size).toBe(4);
});

test("shows nothing of a private Project to others, by list, by code or by path", async () => {
  const home = await world(running);
  const hidden = await newProject(home, { visibility: "private" });
  const { path } = await newDocument(home, { title: "Secret", project_id: hidden.id });
  const [owner, member] = [await asToken(home), await asToken(home, await home.member("member"))];
  expect([await titles(owner), await titles(member)]).toEqual([["Secret"], []]);
  expect((await member.call("GET", `/cli/documents?project_code=${hidden.key}`)).status).toBe(404);
  expect((await owner.call("GET", `/cli/documents/${path}`)).status).toBe(200);
  expect((await member.call("GET", `/cli/documents/${path}`)).status).toBe(404);
});

test("one is found by a path that it has or had, with its slashes encoded or not, and says what it says", async () => {
  const home = await world(running);
  const top = await newDocument(home, { title: "Handbook" });
  const child = await newDocument(home, { title: "How we plan", parent_id: top.id });
  await say(running, home, child.id, "Quarter by quarter.");
  const caller = await asToken(home);
  for (const path of ["handbook/how-we-plan", "handbook%2Fhow-we-plan", "HANDBOOK/How-We-Plan"]) {
    const { status, body, trips, text } = await caller.call("GET", `/cli/documents/${path}`);
    expect([status, trips]).toEqual([200, 1]);
    expect(body).toMatchObject({
      path: "handbook/how-we-plan",
      text: "Quarter by quarter.",
      truncated: false,
      capabilities: expect.arrayContaining(["documents:read"]),
    });
    expect(text).not.toContain(child.id);
  }
  await changeDocument(home.owner, top.id, { title: "Guide" });
  expect((await caller.call("GET", "/cli/documents/handbook/how-we-plan")).body.path).toBe("guide/how-we-plan");
  expect((await caller.call("GET", "/cli/documents/handbook/nothing")).status).toBe(404);
  expect((await caller.call("GET", `/cli/documents/${"x".repeat(200)}`)).status).toBe(404);
  expect((await caller.call("GET", `/cli/documents/${"x".repeat(201)}`)).body.code).toBe("invalid_request");
});

test("of a text it has 65,536 characters, and says where there are more", async () => {
  const home = await world(running);
  const { id } = await newDocument(home);
  const caller = await asToken(home);
  for (const [length, truncated] of [
    [65_536, false],
    [65_537, true],
  ] as const) {
    await say(running, home, id, "\u{1f600}".repeat(length));
    const { body } = await caller.call("GET", "/cli/documents/handbook");
    expect([[...body.text].length, body.truncated]).toEqual([65_536, truncated]);
  }
});

test("a session does not reach it", async () => {
  const home = await world(running);
  for (const path of ["/cli/documents", "/cli/documents/handbook"])
    expect((await home.owner.call("GET", path)).body.code).toBe("credential_kind_not_allowed");
});
