// Search matches: what the caller cannot see and what is in the trash displaces no result, and equal spellings of a
// letter match.
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newComment, newProject, newTask } from "../../../test/work.ts";
import { type Person, service, type World, world } from "../../../test/world.ts";
import { indexSearch } from "./jobs.ts";

const running = service({});
let client: pg.Client;
beforeAll(async () => {
  client = new pg.Client(running.databaseUrl);
  await client.connect();
});
afterAll(() => client?.end());

// biome-ignore lint/suspicious/noExplicitAny: shapes are held against the contract.
type Result = any;
const index = () => indexSearch(running.database);

async function library() {
  const home = await world(running);
  const project = await newProject(home);
  const find = async (q: string, person: Person = home.owner): Promise<Result[]> => {
    const asked = `q=${encodeURIComponent(q)}&limit=100`;
    const { status, body, text } = await person.call("GET", `/workspaces/${home.workspaceId}/search?${asked}`);
    expect(status, text).toBe(200);
    return body.items;
  };
  const titles = async (q: string, person?: Person) => (await find(q, person)).map(({ title }) => title);
  const task = (title: string, body: object = {}) => newTask(home.owner, project.id, { title, ...body });
  const aged = (id: string, days: number) =>
    running.sql(
      "update tasks set updated_at = now() - make_interval(days => $2) where id = $1",
      [id, days],
      home.workspaceId,
    );
  return { ...home, home, project, find, titles, task, aged };
}
/** Events of the last seconds are read once more: these are to be older. */
const forgetEvents = ({ workspaceId }: Pick<World, "workspaceId">) =>
  client.query("update domain_events set occurred_at = occurred_at - interval '1 hour' where workspace_id = $1", [
    workspaceId,
  ]);
/**
 * So many entries of a Task, each with these words, as if they were comments of it; or of other kinds, with these words
 * as their titles.
 */
const entries = (
  { workspaceId }: World,
  task: { id: string; project_id: string },
  count: number,
  words: string,
  kind = "comment",
  days = 0,
) =>
  client.query(
    `insert into search_entries (workspace_id, kind, id, task_id, project_id, words, touched_at, revision)
     select $1, $6, gen_random_uuid(), case $6 when 'document' then null else $2::uuid end, $3,
       search_vector(search_mark($1), $5) || search_place(search_mark($1), $6, $3)
       || case $6 when 'comment' then '' else search_title(search_mark($1), $5) end,
         now() - make_interval(days => $7), 1
     from generate_series(1, $4)`,
    [workspaceId, task.id, task.project_id, count, words, kind, days],
  );
/** As if there were so many Tasks. */
const counted = ({ workspaceId }: World, tasks: number) =>
  client.query("update task_counters set last_number = $2 where workspace_id = $1", [workspaceId, tasks]);

for (const [where, more] of [
  ["one Project", 0],
  ["many Projects", 4],
] as const)
  test(`of what is seen in ${where} everything is found, however much more has its words where the caller sees nothing`, async () => {
    const { home, task, titles, find, aged } = await library();
    const hidden = await newProject(home, { visibility: "private" });
    for (let count = 0; count < more; count++) {
      await newProject(home);
      await newProject(home, { visibility: "private" });
    }
    const secret = await newTask(home.owner, hidden.id, { title: "Paint the lighthouse" });
    await index();
    // With few Projects on either side, more than are looked at; they stand before the others.
    await entries(home, secret, more === 0 ? 8200 : 1200, "lighthouse secretly");
    for (const title of ["Our lighthouse", "Our lighthuose"]) await aged((await task(title)).id, 10);
    await index();
    const member = await home.member("member");
    expect(await titles("lighthouse", member)).toEqual(["Our lighthouse"]);
    // Nor is a word known that stands only there.
    await aged((await task("We meet secretli")).id, 10);
    await index();
    expect(await titles("secretly", member)).toEqual(["We meet secretli"]);
    expect((await find("paint", member)).length).toBe(0);
  });

test("somebody who sees some of many Projects finds what is theirs behind 8,000 matches elsewhere", async () => {
  const { home, task, titles, aged } = await library();
  const hidden = await newProject(home, { visibility: "private" });
  const secret = await newTask(home.owner, hidden.id, { title: "Paint" });
  // More than are looked through one by one.
  for (let count = 0; count < 10; count++) {
    await newProject(home);
    await newProject(home, { visibility: "private" });
  }
  await index();
  await entries(home, secret, 8200, "lighthouse");
  const ours = await task("Our lighthouse");
  await aged(ours.id, 10);
  await index();
  await forgetEvents(home);
  // Behind the others, in the order in which the index gives them.
  const again = `with gone as (delete from search_entries where task_id = $1 returning *) insert into search_entries select *
      from gone`;
  await client.query(again, [ours.id]);
  expect(await titles("lighthouse", await home.member("member"))).toEqual(["Our lighthouse"]);
});

test("of Tasks with a word that very many have the newest are found, also where everything newer is of another kind", async () => {
  const { home, task, find, aged } = await library();
  const other = await task("Other");
  await index();
  await entries(home, other, 8200, "lighthouse", "task", 10);
  await aged((await task("Our lighthouse")).id, 5);
  await index();
  await forgetEvents(home);
  await entries(home, other, 1200, "something else");
  await entries(home, other, 1200, "something else", "document");
  await counted(home, 8200);
  expect((await find("lighthouse"))[0]?.title).toBe("Our lighthouse");
});

for (const kind of ["document", "comment"] as const)
  test(`a word that very many ${kind}s have finds a Task that is older than these and says it`, async () => {
    const { home, task, find, aged } = await library();
    const other = await task("Other");
    await aged((await task("Ours", { description_markdown: "Paint the lighthouse" })).id, 10);
    await index();
    await forgetEvents(home);
    await entries(home, other, 1200, "lighthouse", kind);
    await counted(home, 5000);
    expect((await find("lighthouse")).map(({ title }) => title)).toContain("Ours");
  });

test("what an owner has deleted takes no place before what is there", async () => {
  const { home, task, titles } = await library();
  const deleted = await newProject(home);
  const gone = await newTask(home.owner, deleted.id, { title: "Lighthouse" });
  await task("Our lighthouse");
  await index();
  await entries(home, gone, 1200, "lighthouse");
  expect((await home.owner.call("DELETE", `/projects/${deleted.id}`)).status).toBe(204);
  expect(await titles("lighthouse")).toEqual(["Our lighthouse"]);
});

test("an admin finds what is in a private Project of others, also after another Project was deleted", async () => {
  const { home, task, titles } = await library();
  const hidden = await newProject(home, { visibility: "private" });
  await newTask(home.owner, hidden.id, { title: "Private lighthouse" });
  await task("Our lighthouse");
  await index();
  const found = async (role: "admin" | "member") => (await titles("lighthouse", await home.member(role))).sort();
  expect(await found("admin")).toEqual(["Our lighthouse", "Private lighthouse"]);
  const deleted = await newProject(home);
  expect((await home.owner.call("DELETE", `/projects/${deleted.id}`)).status).toBe(204);
  expect(await found("admin")).toEqual(["Our lighthouse", "Private lighthouse"]);
  expect(await found("member")).toEqual(["Our lighthouse"]);
});

test("somebody who sees no Project finds nothing", async () => {
  const { home, project, task, titles } = await library();
  await task("Gears");
  await home.owner.call("PATCH", `/projects/${project.id}`, { body: { visibility: "private" }, ifMatch: "1" });
  await index();
  expect([await titles("gears"), await titles("gears", await home.member("viewer"))]).toEqual([["Gears"], []]);
});

test("words of another Workspace are not known, even where both have the same mark", async () => {
  const { workspaceId, task, titles } = await library();
  await task("Calibrate the compressor");
  await index();
  const other = await library();
  const { id } = await other.task("Elsewhere");
  await client.query(
    `insert into search_entries (workspace_id, kind, id, task_id, project_id, words, touched_at, revision)
     values ($1, 'task', $2, $2, $3, search_vector(search_mark($4), 'compresor'), now(), 1)`,
    [other.workspaceId, id, other.project.id, workspaceId],
  );
  expect(await titles("compresor")).toEqual(["Calibrate the compressor"]);
});

test("what is in the trash takes no place in the index, and comes back with its comments", async () => {
  const { owner, workspaceId, task, find } = await library();
  const { id } = await task("Gears");
  await newComment(owner, id, "More gears");
  const kinds = async () =>
    (await client.query("select kind from search_entries where workspace_id = $1 order by kind", [workspaceId])).rows;
  await index();
  expect(await kinds()).toEqual([{ kind: "comment" }, { kind: "task" }]);
  expect((await owner.call("POST", `/tasks/${id}/trash`, { ifMatch: "1" })).status).toBe(200);
  await index();
  await index();
  expect([await kinds(), await find("gears")]).toEqual([[], []]);
  expect((await owner.call("POST", `/tasks/${id}/restore`, { ifMatch: "2" })).status).toBe(200);
  await index();
  await index();
  expect(await kinds()).toEqual([{ kind: "comment" }, { kind: "task" }]);
  expect((await find("gears")).map(({ type }) => type)).toEqual(["task", "comment"]);
});

test("a change of something else than its words does not move a Task, neither at once nor when it is indexed", async () => {
  const { owner, workspaceId, task, titles, aged } = await library();
  const { id } = await task("Old gears");
  await aged(id, 100);
  await aged((await task("New gears")).id, 50);
  await index();
  await forgetEvents({ workspaceId });
  const expected = ["New gears", "Old gears"];
  await owner.call("PATCH", `/tasks/${id}`, { body: { priority: "high" }, ifMatch: "1" });
  expect(await titles("gears")).toEqual(expected);
  await index();
  expect(await titles("gears")).toEqual(expected);
});

test("a snippet shows the word, and not a longer one before that has it inside", async () => {
  const { owner, task, find } = await library();
  const text = `Start here. ${"On and on. ".repeat(60)}A work of (art), at last.`;
  const { id } = await task("Museum", { description_markdown: text });
  await newComment(owner, id, text);
  for (const { snippet, snippet_matches } of await find("art")) {
    expect(snippet).toContain("A work of (art)");
    expect(snippet_matches.map(([from, to]: [number, number]) => snippet.slice(from, to))).toEqual(["art"]);
  }
  expect(await find("art")).toHaveLength(2);
});

test("an accent is the same whether it is a part of its letter or a character of its own", async () => {
  const { task, find } = await library();
  const [composed, decomposed] = ["Café gebaut", "Cafe\u0301 offen"];
  await task(composed);
  await task(decomposed);
  for (const indexed of [false, true]) {
    if (indexed) await index();
    for (const q of ["café", "cafe\u0301"]) {
      const found = await find(q);
      expect(found.map(({ title }) => title).sort(), `${q}, indexed: ${indexed}`).toEqual(
        [composed, decomposed].sort(),
      );
      for (const { title, title_matches } of found)
        expect(title_matches.map(([from, to]: [number, number]) => title.slice(from, to).normalize())).toEqual([
          "Café",
        ]);
    }
  }
});
