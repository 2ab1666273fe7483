// Documents among what search finds: by title and by what they say, at once and from the index, wherever they go, and
// nothing that the caller does not see.
import { expect, test } from "vitest";
import { any, changeDocument, newDocument, say } from "../../../test/documents.ts";
import { newProject, newTask, pages } from "../../../test/work.ts";
import { type Person, service, type World, world } from "../../../test/world.ts";
import { indexSearch } from "./jobs.ts";

const running = service({});
// biome-ignore lint/suspicious/noExplicitAny: shapes are held against the contract.
type Result = any;
const find = async (home: World, query: string, person: Person = home.owner): Promise<Result[]> => {
  const answer = await person.call("GET", `/workspaces/${home.workspaceId}/search?${query}`);
  expect([answer.status, answer.trips], answer.text).toEqual([200, 1]);
  return answer.body.items;
};
const titles = async (home: World, query: string, person?: Person) =>
  (await find(home, query, person)).map(({ title }) => title);
const inCli = async (home: World, query: string, person: Person = home.owner) =>
  (await person.bearer(await home.token(["svc:read"], person), "GET", `/cli/search?${query}`)).body.items;
const index = () => indexSearch(running.database);
const entries = (home: World) =>
  running.sql<{ id: string; project_id: string }>(
    "select id, project_id from search_entries where kind = 'document' order by touched_at, id",
    [],
    home.workspaceId,
  );

for (const indexed of [false, true]) {
  const when = indexed ? "once it is indexed" : "at once";
  const ready = async () => {
    if (indexed) await index();
  };

  test(`a Document is found by its title and by what it says, with the passage, ${when}`, async () => {
    const home = await world(running);
    const project = await newProject(home);
    const titled = await newDocument(home, { title: "About lighthouses", project_id: project.id });
    const saying = await newDocument(home, { title: "Notes" });
    await say(running, home, saying.id, `${"Something else. ".repeat(40)}The lighthouses stand on rocks.`);
    const task = await newTask(home.owner, project.id, { title: "Other", description_markdown: "Paint lighthouses" });
    await ready();
    const found = await find(home, "q=lighthouses");
    expect(found.map(({ kind, id }) => [kind, id])).toEqual(
      expect.arrayContaining([
        ["document", titled.id],
        ["document", saying.id],
        ["task", task.id],
      ]),
    );
    expect(found[0]).toMatchObject({
      kind: "document",
      type: "document",
      id: titled.id,
      project_id: project.id,
      task_id: null,
      code: null,
      path: "about-lighthouses",
      status_id: null,
      author_actor_id: home.owner.actorId,
      title_matches: [[6, 17]],
    });
    const passage = found.find(({ id }) => id === saying.id);
    expect([passage.project_id, passage.snippet]).toEqual([
      null,
      expect.stringContaining("The lighthouses stand on rocks."),
    ]);
    expect(await titles(home, "q=lighthouses&type=document")).toEqual(["About lighthouses", "Notes"]);
    expect(await titles(home, "q=lighthouses&type=task")).toEqual(["Other"]);
    expect(await titles(home, `q=lighthouses&project_id=${project.id}`)).toEqual(["About lighthouses", "Other"]);
    expect(await titles(home, "q=lighthouses&category=unstarted")).toEqual(["Other"]);
  });

  test(`nothing of a private Project is found by others, ${when}`, async () => {
    const home = await world(running);
    const hidden = await newProject(home, { visibility: "private" });
    await newDocument(home, { title: "Secret lighthouse", project_id: hidden.id });
    await newDocument(home, { title: "Our lighthouse" });
    await ready();
    const member = await home.member("member");
    expect((await titles(home, "q=lighthouse")).length).toBe(2);
    expect(await titles(home, "q=lighthouse", member)).toEqual(["Our lighthouse"]);
    expect(await titles(home, "q=secret", member)).toEqual([]);
    // A word that stands only there is not known either.
    expect(await titles(home, "q=secert", member)).toEqual([]);
    if (indexed) expect(await titles(home, "q=lighthuose", member)).toEqual(["Our lighthouse"]);
  });

  test(`the command line finds both kinds by their codes, or one of them, ${when}`, async () => {
    const home = await world(running);
    const project = await newProject(home);
    const task = await newTask(home.owner, project.id, { title: "Paint the lighthouse" });
    await newDocument(home, { title: "Lighthouse keeping" });
    await newDocument(home, { title: "Lighthouse rules", project_id: project.id });
    await ready();
    const found = await inCli(home, "q=lighthouse");
    expect(found.map(({ code }: Result) => code).sort()).toEqual(
      [task.code, "lighthouse-keeping", "lighthouse-rules"].sort(),
    );
    expect(found.find(({ code }: Result) => code === "lighthouse-keeping")).toEqual({
      kind: "document",
      resource_type: "document",
      code: "lighthouse-keeping",
      title: "Lighthouse keeping",
      project_code: null,
    });
    const codes = async (query: string) => (await inCli(home, query)).map(({ code }: Result) => code);
    expect(await codes("q=lighthouse&resource_type=task")).toEqual([task.code]);
    expect((await codes("q=lighthouse&resource_type=document")).length).toBe(2);
    expect(await codes(`q=lighthouse&resource_type=document&project_code=${project.key}`)).toEqual([
      "lighthouse-rules",
    ]);
    const token = await home.token(["svc:read"]);
    const caller = { ...home.owner, call: (method: string, path: string) => home.owner.bearer(token, method, path) };
    const { items } = await pages(caller, "/cli/search?q=lighthouse", 1);
    expect(items.map(({ code }) => code)).toEqual(found.map(({ code }: Result) => code));
  });
}

test("what a Document said before, its old title and what is in the trash are not found; what comes back is", async () => {
  const home = await world(running);
  const top = await newDocument(home, { title: "Harbour" });
  const child = await newDocument(home, { title: "Piers", parent_id: top.id });
  await say(running, home, child.id, "Made of granite.");
  await index();
  expect(await titles(home, "q=granite")).toEqual(["Piers"]);
  await say(running, home, child.id, "Made of oak.");
  await changeDocument(home.owner, child.id, { title: "Jetties" });
  for (const prepare of [async () => {}, index]) {
    await prepare();
    expect(await titles(home, "q=granite")).toEqual([]);
    expect(await titles(home, "q=piers")).toEqual([]);
    expect(await titles(home, "q=oak")).toEqual(["Jetties"]);
  }
  await home.owner.call("DELETE", `/documents/${top.id}`);
  for (const prepare of [async () => {}, index]) {
    await prepare();
    expect(await titles(home, "q=oak")).toEqual([]);
  }
  expect(await entries(home)).toEqual([]);
  await home.owner.call("POST", `/documents/${top.id}/restore`, any);
  for (const prepare of [async () => {}, index]) {
    await prepare();
    expect(await titles(home, "q=oak")).toEqual(["Jetties"]);
  }
  await home.owner.call("DELETE", `/documents/${top.id}`);
  await home.owner.call("DELETE", `/documents/${top.id}/permanent`);
  expect(await entries(home)).toEqual([]);
  await index();
  expect(await titles(home, "q=oak")).toEqual([]);
});

test("what moves along into another Project is found there, and by who sees that", async () => {
  const home = await world(running);
  const hidden = await newProject(home, { visibility: "private" });
  const top = await newDocument(home, { title: "Harbour" });
  const child = await newDocument(home, { title: "Piers", parent_id: top.id });
  const leaf = await newDocument(home, { title: "Planks of the piers", parent_id: child.id });
  const member = await home.member("member");
  await index();
  expect((await titles(home, "q=piers", member)).length).toBe(2);
  await changeDocument(home.owner, top.id, { project_id: hidden.id });
  expect(await titles(home, "q=piers", member)).toEqual([]);
  await index();
  expect((await entries(home)).map(({ project_id }) => project_id)).toEqual([hidden.id, hidden.id, hidden.id]);
  expect(await titles(home, "q=piers", member)).toEqual([]);
  expect(new Set((await find(home, `q=piers&project_id=${hidden.id}`)).map(({ id }) => id))).toEqual(
    new Set([child.id, leaf.id]),
  );
});

test("words behind 30,000 characters are found, and those behind 100,000 are not", async () => {
  const home = await world(running);
  const { id } = await newDocument(home);
  await say(running, home, id, `${"x ".repeat(30_000)}granite ${"y ".repeat(30_000)}basalt`);
  await index();
  expect(await titles(home, "q=granite")).toEqual(["Handbook"]);
  expect((await find(home, "q=granite"))[0].snippet).toContain("granite");
  expect(await titles(home, "q=basalt")).toEqual([]);
});

test("a text of different words only, as many as there can be, is indexed", async () => {
  const home = await world(running);
  const { id } = await newDocument(home);
  const words = Array.from({ length: 87_000 }, (_, n) =>
    String.fromCodePoint(0x20000 + (n % 300), 0x20200 + ((n / 300) | 0)),
  );
  await say(running, home, id, words.join(" "));
  await index();
  expect((await entries(home)).length).toBe(1);
});
