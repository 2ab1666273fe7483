import { expect, test } from "vitest";
import { newComment, newProject, newTask, pages, trashTask } from "../../../test/work.ts";
import { type Person, service, world } from "../../../test/world.ts";
import { indexSearch, sweepSearchWords } from "./jobs.ts";

const running = service({});
// biome-ignore lint/suspicious/noExplicitAny: shapes are held against the contract.
type Result = any;

async function library() {
  const home = await world(running);
  const project = await newProject(home);
  const find = async (query: string, person: Person = home.owner): Promise<Result[]> => {
    const answer = await person.call("GET", `/workspaces/${home.workspaceId}/search?${query}`);
    expect([answer.status, answer.trips], answer.text).toEqual([200, 1]);
    return answer.body.items;
  };
  const titles = async (query: string, person?: Person) => (await find(query, person)).map(({ title }) => title);
  const task = (title: string, body: object = {}) => newTask(home.owner, project.id, { title, ...body });
  /** So many at once, each with its number behind the title; the last is the newest, all at least so many days old. */
  const tasks = (count: number, title: string, { in: projectId = project.id, days = 0, text = "" } = {}) =>
    running.sql(
      `with made as (
         insert into tasks (workspace_id, id, project_id, number, title, description_markdown, status_id, position,
           created_by_actor_id, updated_at)
         select $1, gen_random_uuid(), $2, coalesce((select max(number) from tasks where project_id = $2), 0) + n,
           $5 || ' ' || n, $7,
           (select id from statuses where workspace_id = $1 limit 1), n, $3,
           now() - make_interval(days => $6::int, mins => $4::int - n)
         from generate_series(1, $4::int) n returning *
       ) insert into domain_events (workspace_id, id, type, command_id, project_id, task_id, resource_kind, resource_id)
         select workspace_id, id, 'task.created', id, project_id, id, 'task', id from made`,
      [home.workspaceId, projectId, home.owner.actorId, count, title, days, text],
      home.workspaceId,
    );
  return { ...home, home, project, find, titles, task, tasks, path: `/workspaces/${home.workspaceId}/search` };
}

for (const indexed of [false, true]) {
  const when = indexed ? "once it is indexed" : "at once";
  const ready = async () => {
    if (indexed) await indexSearch(running.database);
  };

  test(`titles, descriptions and comments are found ${when}, titles first`, async () => {
    const { owner, task, find } = await library();
    const other = await task("Paint the hull");
    await newComment(owner, other.id, "The gears are loud");
    await task("Order oil", { description_markdown: "For the **gears**, of course" });
    await task("Cut the gears");
    await ready();
    const found = await find("q=gears");
    expect(found.map(({ type, title }) => [type, title])).toEqual([
      ["task", "Cut the gears"],
      ["task", "Order oil"],
      ["comment", "Paint the hull"],
    ]);
    const marked = (text: string, ranges: [number, number][]) => ranges.map(([from, to]) => text.slice(from, to));
    expect(marked(found[0].title, found[0].title_matches)).toEqual(["gears"]);
    expect([found[1].snippet, marked(found[1].snippet, found[1].snippet_matches)]).toEqual([
      "For the gears, of course",
      ["gears"],
    ]);
    expect(found[2]).toMatchObject({ snippet: "The gears are loud", task_id: other.id, code: other.code });
  });

  test(`every word must be there, in any order and case, the last as the beginning of one, ${when}`, async () => {
    const { task, titles } = await library();
    await task("Cut the gears");
    await task("Cut the grass");
    await ready();
    expect((await titles("q=cut")).sort()).toEqual(["Cut the gears", "Cut the grass"]);
    expect((await titles("q=cut%20g")).sort()).toEqual(["Cut the gears", "Cut the grass"]);
    expect(await titles("q=GEA")).toEqual(["Cut the gears"]);
    expect(await titles("q=gears%20cut")).toEqual(["Cut the gears"]);
    expect(await titles("q=gear%20cut")).toEqual(indexed ? ["Cut the gears"] : []);
    expect(await titles("q=cut%20paper")).toEqual([]);
  });

  test(`what is hidden, trashed, deleted or elsewhere is not found ${when}`, async () => {
    const { home, owner, project, task, titles, find } = await library();
    const hidden = await newProject(home, { visibility: "private" });
    await newTask(owner, hidden.id, { title: "Secret gears" });
    const [gone, kept] = [await task("Trashed gears"), await task("Kept")];
    const comment = await newComment(owner, kept.id, "gears");
    await (await library()).task("Foreign gears");
    await ready();
    await trashTask(running, home, gone.id);
    await owner.call("DELETE", `/comments/${comment.id}`);
    const member = await home.member("member");
    expect(await titles("q=gears", member)).toEqual([]);
    expect(await titles("q=gears")).toEqual(["Secret gears"]);
    expect(await find(`q=gears&project_id=${project.id}`)).toEqual([]);
    expect(await titles(`q=gears&project_id=${hidden.id}`)).toEqual(["Secret gears"]);
  });

  test(`a text that was changed is found by its new words and not by its old ones, ${when}`, async () => {
    const { owner, task, titles } = await library();
    const { id } = await task("Alpha");
    await indexSearch(running.database);
    await owner.call("PATCH", `/tasks/${id}`, { body: { title: "Omega" }, ifMatch: "1" });
    await ready();
    expect([await titles("q=omega"), await titles("q=alpha")]).toEqual([["Omega"], []]);
  });

  test(`type, Project and category narrow what is found ${when}`, async () => {
    const { home, owner, project, task, find } = await library();
    const one = await task("Gears");
    await newComment(owner, one.id, "Gears!");
    const elsewhere = await newProject(home);
    await newTask(owner, elsewhere.id, { title: "Gears" });
    await ready();
    const counts = async (query: string) => (await find(`q=gears&${query}`)).map(({ type }) => type).sort();
    expect(await counts("type=task")).toEqual(["task", "task"]);
    expect(await counts("type=comment")).toEqual(["comment"]);
    expect(await counts(`project_id=${project.id}`)).toEqual(["comment", "task"]);
    expect(await counts(`project_id=${elsewhere.id}&type=task`)).toEqual(["task"]);
    expect(await counts(`project_id=${elsewhere.id}&type=comment`)).toEqual([]);
    expect(await counts("category=unstarted")).toEqual(["comment", "task", "task"]);
    expect(await counts("category=completed")).toEqual([]);
  });
}

test("a mistyped word finds what is like it in the titles, and a right one nothing else", async () => {
  const { task, titles } = await library();
  await task("Calibrate the compressor");
  await task("Comprehensive plan");
  await indexSearch(running.database);
  expect(await titles("q=compresor")).toEqual(["Calibrate the compressor"]);
  expect(await titles("q=calibrtae%20compressor")).toEqual(["Calibrate the compressor"]);
  expect(await titles("q=paln")).toEqual(["Comprehensive plan"]);
  expect(await titles("q=compressor")).toEqual(["Calibrate the compressor"]);
  expect(await titles("q=zzzzzzzz")).toEqual([]);
});

test("a code answers its Task first, in any case, and once", async () => {
  const { home, owner, task, find } = await library();
  const coded = await task("First");
  await task(`See ${coded.code}`);
  await newComment(owner, coded.id, `${coded.code} is this one`);
  await indexSearch(running.database);
  for (const q of [coded.code, coded.code.toLowerCase()]) {
    const found = await find(`q=${q}`);
    expect(found[0]).toMatchObject({ type: "task", id: coded.id });
    expect(found.filter(({ id }) => id === coded.id)).toHaveLength(1);
    expect(found).toHaveLength(3);
  }
  const hidden = await newProject(home, { visibility: "private" });
  const secret = await newTask(owner, hidden.id);
  expect(await find(`q=${secret.code}`, await home.member("member"))).toEqual([]);
  expect(await find("q=NONE-1")).toEqual([]);
});

test("pages hold everything once, best first", async () => {
  const { owner, task, path } = await library();
  for (let count = 0; count < 7; count++) await task(`Gears ${"x ".repeat(count)}`);
  await indexSearch(running.database);
  const { items } = await pages(owner, `${path}?q=gears`, 3);
  expect(new Set(items.map(({ id }) => id)).size).toBe(7);
  const scores = items.map(({ score }) => score as number);
  expect(scores).toEqual([...scores].sort((a, b) => b - a));
});

test("what is recent comes before what is old and alike", async () => {
  const { task, titles, workspaceId } = await library();
  const { id } = await task("Old gears");
  await task("New gears");
  await running.sql("update tasks set updated_at = now() - interval '1 year' where id = $1", [id], workspaceId);
  await indexSearch(running.database);
  expect(await titles("q=gears")).toEqual(["New gears", "Old gears"]);
});

test("q has 1 to 200 characters after trimming, and any text is a question", async () => {
  const { owner, path, task } = await library();
  const ask = async (q: string) => owner.call("GET", `${path}?q=${encodeURIComponent(q)}`);
  await task("Größe der Zahnräder");
  expect((await ask(`  ${"x".repeat(200)}  `)).status).toBe(200);
  for (const q of ["x".repeat(201), "", "   "]) expect((await ask(q)).body.errors[0].pointer).toBe("/query/q");
  expect((await owner.call("GET", path)).body.errors[0].pointer).toBe("/query/q");
  const odd = [
    "'",
    "''",
    "\\",
    "a & b | !c",
    "x:*",
    "<->",
    "😀",
    "%_%",
    "ENG-99999999999999999",
    "a".repeat(200),
    "*",
    "--",
    "(((",
  ];
  for (const q of odd) expect((await ask(q)).status, q).toBe(200);
  expect((await ask("zahnrä")).body.items).toHaveLength(1);
  expect((await ask("😀")).body.items).toEqual([]);
});

test("a deleted comment and a deleted Task leave nothing in the index", async () => {
  const { owner, task, workspaceId } = await library();
  const { id } = await task("Gears");
  const comment = await newComment(owner, id, "Gears");
  await indexSearch(running.database);
  const entries = () => running.sql<{ kind: string }>("select kind from search_entries order by kind", [], workspaceId);
  expect(await entries()).toEqual([{ kind: "comment" }, { kind: "task" }]);
  await owner.call("DELETE", `/comments/${comment.id}`);
  await indexSearch(running.database);
  expect(await entries()).toEqual([{ kind: "task" }]);
  await running.sql("delete from tasks where id = $1", [id], workspaceId);
  expect(await entries()).toEqual([]);
});

test("comments go along when their Task is moved: found in the new Project at once and for good, and not in the old one", async () => {
  const { home, owner, project, task, find } = await library();
  const elsewhere = await newProject(home);
  const { id } = await task("Paint the hull");
  const comment = await newComment(owner, id, "Gears everywhere");
  await indexSearch(running.database);
  const [from, to] = [project.id, elsewhere.id];
  const found = async (projectId: string) =>
    (await find(`q=gears&project_id=${projectId}&type=comment`)).map((each) => each.id);
  await owner.call("POST", `/tasks/${id}/move`, { body: { project_id: to }, ifMatch: "1" });
  expect([await found(to), await found(from)]).toEqual([[comment.id], []]);
  await indexSearch(running.database);
  expect([await found(to), await found(from)]).toEqual([[comment.id], []]);
  const stands = "select project_id from search_entries where id = $1";
  expect(await running.sql(stands, [comment.id], home.workspaceId)).toEqual([{ project_id: to }]);
  await owner.call("POST", `/tasks/${id}/move`, { body: { project_id: from }, ifMatch: "2" });
  await indexSearch(running.database);
  expect([await found(to), await found(from)]).toEqual([[], [comment.id]]);
});

test("words that nothing has any more are forgotten, and the others kept, however many turns it takes", async () => {
  const { owner, task, titles, workspaceId } = await library();
  const [renamed, deleted] = [await task("Compressor alpha"), await task("Turbine alpha")];
  await task("Gears kept");
  await indexSearch(running.database);
  const words = async () =>
    (await running.sql<{ word: string }>("select word from search_words order by word", [], workspaceId)).map(
      ({ word }) => word,
    );
  expect(await words()).toEqual(["alpha", "compressor", "gears", "kept", "turbine"]);
  await owner.call("PATCH", `/tasks/${renamed.id}`, { body: { title: "Omega alpha" }, ifMatch: "1" });
  await running.sql("delete from tasks where id = $1", [deleted.id], workspaceId);
  await indexSearch(running.database);
  // Two at a time, until it begins anew.
  const sweep = async () =>
    (await running.sql<{ looked: number }>("select sweep_search_words(2) as looked"))[0]?.looked;
  while ((await sweep()) === 2);
  expect(await words()).toEqual(["alpha", "gears", "kept", "omega"]);
  await sweepSearchWords(running.database);
  expect(await words()).toEqual(["alpha", "gears", "kept", "omega"]);
  expect(await titles("q=gearss")).toEqual(["Gears kept"]);
});

test("what is old is found behind a thousand newer ones, whatever they have of its words, and in its Project", async () => {
  const { home, project, task, tasks, titles } = await library();
  const elsewhere = await newProject(home);
  await task("Brass gears");
  await newTask(home.owner, elsewhere.id, { title: "Grand gears" });
  await indexSearch(running.database);
  await tasks(1000, "Grand garage");
  await indexSearch(running.database);
  const inProject = (projectId: string) => `project_id=${projectId}`;
  expect(await titles("q=brass")).toEqual(["Brass gears"]);
  expect(await titles("q=gears%20brass")).toEqual(["Brass gears"]);
  expect(await titles("q=brass%20g")).toEqual(["Brass gears"]);
  expect(await titles("q=brass%20h")).toEqual([]);
  expect(await titles(`q=brass%20g&type=task&${inProject(project.id)}`)).toEqual(["Brass gears"]);
  expect(await titles(`q=g&${inProject(elsewhere.id)}`)).toEqual(["Grand gears"]);
  expect(await titles(`q=brass%20g&${inProject(elsewhere.id)}`)).toEqual([]);
  expect(await titles("q=grand&limit=50")).toHaveLength(50);
});

test("what somebody does not see decides nothing of what they find", async () => {
  const { home, task, tasks, titles } = await library();
  const member = await home.member("member");
  const hidden = await newProject(home, { visibility: "private" });
  await task("Sail to zanzibat");
  await task("Repair the old lighthouse");
  await indexSearch(running.database);
  expect(await titles("q=zanzibar", member)).toEqual(["Sail to zanzibat"]);
  await newTask(home.owner, hidden.id, { title: "Secretly to zanzibar" });
  // Newer than all others, more than are looked at, and each of them a match.
  await tasks(1200, "Paint the lighthouse", { in: hidden.id });
  for (const indexed of [false, true]) {
    if (indexed) await indexSearch(running.database);
    expect(await titles("q=zanzibar", member), `indexed: ${indexed}`).toEqual(["Sail to zanzibat"]);
    expect(await titles("q=lighthouse", member), `indexed: ${indexed}`).toEqual(["Repair the old lighthouse"]);
    expect(await titles("q=lighthousse", member), `indexed: ${indexed}`).toEqual(["Repair the old lighthouse"]);
  }
  expect(await titles("q=zanzibar")).toEqual(["Secretly to zanzibar"]);
  await home.owner.call("DELETE", `/projects/${hidden.id}`);
  expect(await titles("q=zanzibar")).toEqual(["Sail to zanzibat"]);
});

// In a large Workspace the index is not asked for a word that much has.
const enlarge = (workspaceId: string) =>
  running.sql("update task_counters set last_number = 100000 where workspace_id = $1", [workspaceId], workspaceId);

/** What is found in the Workspace as it is, and as if it were large. */
async function inBothSizes(workspaceId: string, look: (where: string) => Promise<void>) {
  await look("in a small Workspace");
  await enlarge(workspaceId);
  await look("in a large Workspace");
}

test("of many old matches the newest are found, however rare or common the word and large the Workspace", async () => {
  const { tasks, titles, workspaceId } = await library();
  await tasks(500, "Brass", { days: 300 });
  await tasks(20, "Copper", { days: 40 });
  await tasks(500, "Zinc", { days: 30 });
  await tasks(20, "Other", { days: 20, text: "Of copper" });
  await tasks(300, "Zinc", { days: 10 });
  await indexSearch(running.database);
  // None of the rare ones is among the newest; of the others some are, and some stand further back.
  const brass = Array.from({ length: 50 }, (_, place) => `Brass ${451 + place}`);
  await inBothSizes(workspaceId, async (where) => {
    expect((await titles("q=brass&limit=50")).sort(), where).toEqual(brass);
    const copper = await titles("q=copper&limit=50");
    expect(
      copper.filter((title) => title.startsWith("Copper")),
      where,
    ).toHaveLength(20);
    expect(copper, where).toHaveLength(40);
  });
});

test("an old title is found among a thousand newer texts that mention its word, in any Workspace", async () => {
  const { task, tasks, titles, workspaceId } = await library();
  const { id } = await task("Gears");
  await running.sql("update tasks set updated_at = now() - interval '70 days' where id = $1", [id], workspaceId);
  // More than the newest that are looked through.
  await tasks(1100, "Other", { text: "These mention gears" });
  await indexSearch(running.database);
  await inBothSizes(workspaceId, async (where) => {
    expect((await titles("q=gears"))[0], where).toBe("Gears");
    expect((await titles("q=gea"))[0], where).toBe("Gears");
    expect(await titles("q=gears&limit=100"), where).toHaveLength(100);
  });
});

test("somebody who sees little finds all of it behind thousands of private matches, wherever they stand", async () => {
  const { home, tasks, titles, workspaceId } = await library();
  const hidden = await newProject(home, { visibility: "private" });
  await tasks(100, "Secret gears", { in: hidden.id, days: 100 });
  await tasks(30, "Our gears", { days: 50 });
  await tasks(1100, "Secret gears", { in: hidden.id, days: 10 });
  await enlarge(workspaceId);
  await indexSearch(running.database);
  const found = await titles("q=gears&limit=50", await home.member("member"));
  expect(found.filter((title) => title.startsWith("Our gears"))).toHaveLength(30);
  expect(found).toHaveLength(30);
});
