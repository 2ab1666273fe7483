// Ranking of search results, as documented in docs/search.md.
import { expect, test } from "vitest";
import { newComment, newProject, newTask } from "../../../test/work.ts";
import { service, world } from "../../../test/world.ts";
import { indexSearch } from "./jobs.ts";

const running = service({});

async function library() {
  const home = await world(running);
  const project = await newProject(home);
  const find = async (q: string, more = ""): Promise<[string, string][]> => {
    const asked = `q=${encodeURIComponent(q)}&limit=100${more}`;
    const { status, body, text } = await home.owner.call("GET", `/workspaces/${home.workspaceId}/search?${asked}`);
    expect(status, text).toBe(200);
    return body.items.map(({ type, title }: { type: string; title: string }) => [type, title]);
  };
  const titles = async (q: string, more?: string) => (await find(q, more)).map(([, title]) => title);
  const aged = async (id: string, days: number) => {
    for (const table of ["tasks", "comments"])
      await running.sql(
        `update ${table} set updated_at = now() - make_interval(days => $2) where id = $1`,
        [id, days],
        home.workspaceId,
      );
  };
  /** So many days old. */
  const task = async (title: string, days: number, description_markdown = "") => {
    const made = await newTask(home.owner, project.id, { title, description_markdown });
    await aged(made.id, days);
    return made;
  };
  const comment = async (taskId: string, text: string, days: number) =>
    aged((await newComment(home.owner, taskId, text)).id, days);
  return { ...home, home, project, find, titles, task, comment };
}

for (const indexed of [false, true]) {
  const when = indexed ? "once it is indexed" : "at once";
  const ready = async () => {
    if (indexed) await indexSearch(running.database);
  };

  test(`a title weighs as much as being 97 days newer than a description, and 138 than a comment, ${when}`, async () => {
    const { task, comment, find } = await library();
    const host = await task("Host", 0);
    await comment(host.id, "gears", 0);
    await task("Description of today", 0, "gears");
    await task("Gears of 90 days ago", 90);
    await task("Gears of 105 days ago", 105);
    await task("Gears of 145 days ago", 145);
    await ready();
    expect(await find("gears")).toEqual([
      ["task", "Gears of 90 days ago"],
      ["task", "Description of today"],
      ["task", "Gears of 105 days ago"],
      ["comment", "Host"],
      ["task", "Gears of 145 days ago"],
    ]);
  });

  test(`of several words, all in the title weigh most, some more than none, ${when}`, async () => {
    const { task, titles } = await library();
    await task("Nothing of it", 0, "brass gears");
    await task("Gears", 30, "of brass");
    await task("Brass gears", 60);
    await ready();
    expect(await titles("gears brass")).toEqual(["Brass gears", "Gears", "Nothing of it"]);
  });

  test(`a word ends at blanks and punctuation, and only the last is the beginning of one, ${when}`, async () => {
    const { task, titles } = await library();
    await task("(Gears)", 1);
    await task("Cast iron: gears.", 2);
    await task("Regears", 3);
    await task("Gearstick iron", 4);
    await ready();
    expect(await titles("gears")).toEqual(["(Gears)", "Cast iron: gears.", "Gearstick iron"]);
    expect(await titles("gears iron")).toEqual(["Cast iron: gears."]);
    expect(await titles("iron gears")).toEqual(["Cast iron: gears.", "Gearstick iron"]);
  });
}

test("comments are found by their type behind more Tasks than are ranked", async () => {
  const { workspaceId, owner, project, task, comment, find } = await library();
  const host = await task("Host", 400);
  await comment(host.id, "gears", 400);
  await running.sql(
    `with made as (
       insert into tasks (workspace_id, id, project_id, number, title, status_id, position, created_by_actor_id)
       select $1, gen_random_uuid(), $2, 100 + n, 'Gears', (select id from statuses where workspace_id = $1 limit 1), n,
         $3 from generate_series(1, 1200) n returning *
     ) insert into domain_events (workspace_id, id, type, command_id, project_id, task_id, resource_kind, resource_id)
       select workspace_id, id, 'task.created', id, project_id, id, 'task', id from made`,
    [workspaceId, project.id, owner.actorId],
    workspaceId,
  );
  await indexSearch(running.database);
  expect(await find("gears", "&type=comment")).toEqual([["comment", "Host"]]);
});

test("what was renamed twice is found by its last title alone, before and after it is indexed", async () => {
  const { owner, project, titles } = await library();
  const { id } = await newTask(owner, project.id, { title: "Early gears" });
  let revision = 1;
  const rename = (title: string) =>
    owner.call("PATCH", `/tasks/${id}`, { body: { title }, ifMatch: String(revision++) });
  for (const title of ["Middle gears", "Late gears"]) expect((await rename(title)).status).toBe(200);
  expect([await titles("gears"), await titles("middle"), await titles("early")]).toEqual([["Late gears"], [], []]);
  await indexSearch(running.database);
  expect([await titles("gears"), await titles("middle"), await titles("early")]).toEqual([["Late gears"], [], []]);
});
