// Deleting a Project: gone for everybody at once, its key kept for ever, what was in it erased after 30 days however
// often that is begun.
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { changeDocument, newDocument } from "../../../../test/documents.ts";
import { newEntry } from "../../../../test/time.ts";
import {
  eventsOf,
  newComment,
  newMilestone,
  newProject,
  newProjectStatus,
  newTask,
  pages,
} from "../../../../test/work.ts";
import { type Person, service, type World, world } from "../../../../test/world.ts";
import { eraseDeletedProjects } from "./erasure.ts";

const running = service();
let client: pg.Client;
beforeAll(async () => {
  client = new pg.Client(running.databaseUrl);
  await client.connect();
});
afterAll(() => client.end());

const remove = (person: Person, id: string) => person.call("DELETE", `/projects/${id}`);
const age = ({ workspaceId }: World, id: string, interval: string) =>
  running.sql("update projects set deleted_at = now() - $2::interval where id = $1", [id, interval], workspaceId);

/** A Project with one of everything that can be in it. */
async function fullProject(home: World) {
  const { owner } = home;
  const project = await newProject(home);
  await newProjectStatus(running, home, project.id, "Own");
  const task = await newTask(owner, project.id, { title: "A secret title", assignee_actor_id: owner.actorId });
  const changed = { body: { description_markdown: "New", title: "Another secret" }, ifMatch: "1" };
  await owner.call("PATCH", `/tasks/${task.id}`, changed);
  const comment = await newComment(owner, task.id);
  await owner.call("PATCH", `/comments/${comment.id}`, { body: { markdown: "Edited" }, ifMatch: "1" });
  await owner.call("PUT", `/comments/${comment.id}/reactions/heart`);
  const milestone = await newMilestone(owner, project.id);
  await newEntry(owner, task.id, { note: "Spent" });
  await owner.call("PUT", `/projects/${project.id}/completion-policy`, {
    body: { review_required: true },
    ifMatch: "0",
  });
  await owner.call("PATCH", `/projects/${project.id}`, { body: { published: true }, ifMatch: "1" });
  const labels = [`/projects/${project.id}`, `/workspaces/${home.workspaceId}`].map((scope) =>
    owner.call("POST", `${scope}/label-definitions`, { body: { name: project.key, purpose: "general" } }),
  );
  const [own, wide] = (await Promise.all(labels)).map(({ body }) => body.id as string);
  const borne = { body: { label_ids: [own, wide] }, headers: { "if-match": "*" } };
  await owner.call("PUT", `/task/${task.id}/labels`, borne);
  await owner.call("PUT", `/project/${project.id}/labels`, borne);
  await owner.call("PUT", `/projects/${project.id}/label-overrides/${wide}`, { body: { hidden: true }, ifMatch: "0" });
  const document = await newDocument(home, { title: `About ${project.key}`, project_id: project.id });
  await newDocument(home, { title: "Below", parent_id: document.id });
  await changeDocument(owner, document.id, { title: `All about ${project.key}`, published: true });
  return { project, task, comment, milestone, document };
}

test("a deleted Project and all that is in it are gone at once, for everybody", async () => {
  const home = await world(running);
  const { project, task, comment, milestone, document } = await fullProject(home);
  const [own] = await running.sql<{ id: string }>("select id from statuses where name = 'Own'", [], home.workspaceId);
  const paths = [
    ...["", "/tasks", "/statuses", "/members", "/milestones", "/completion-policy"].map(
      (part) => `/projects/${project.id}${part}`,
    ),
    `/tasks/${task.id}`,
    `/tasks/${task.id}/comments`,
    `/comments/${comment.id}`,
    `/milestones/${milestone.id}`,
    `/documents/${document.id}`,
    `/documents/${document.id}/children`,
    `/workspaces/${home.workspaceId}/documents/by-path/${document.path}`,
    `/statuses/${own?.id}`,
    `/workspaces/${home.workspaceId}/tasks/${task.code}`,
  ];
  for (const path of paths) expect([path, (await home.owner.call("GET", path)).status]).toEqual([path, 200]);
  expect((await remove(home.owner, project.id)).status).toBe(204);
  for (const path of paths) expect([path, (await home.owner.call("GET", path)).status]).toEqual([path, 404]);
  expect((await remove(home.owner, project.id)).status).toBe(404);
  const list = `/workspaces/${home.workspaceId}/projects`;
  for (const query of ["", "?order=key", "?archived=true", "?hidden=true"])
    expect((await pages(home.owner, list + query, 10)).items).toEqual([]);
  const feed = await home.owner.call("GET", `/workspaces/${home.workspaceId}/activity`);
  expect(feed.body.items).toEqual([]);
  expect((await eventsOf(running, home, project.id)).at(-1)?.type).toBe("project.deleted");
});

test("the key stays taken", async () => {
  const home = await world(running);
  const project = await newProject(home, { key: "GONE" });
  await remove(home.owner, project.id);
  const body = { key: "gone", name: "Again" };
  const again = await home.owner.call("POST", `/workspaces/${home.workspaceId}/projects`, { body });
  expect(again.body.code).toBe("project_key_taken");
});

test("managers and the lead delete; others do not", async () => {
  const home = await world(running);
  const [lead, member, viewer] = [
    await home.member("member"),
    await home.member("member"),
    await home.member("viewer"),
  ];
  const project = await newProject(home, {}, lead);
  for (const person of [member, viewer]) expect((await remove(person, project.id)).status).toBe(403);
  expect((await remove((await world(running)).owner, project.id)).status).toBe(404);
  expect((await remove(lead, project.id)).status).toBe(204);
  const other = await newProject(home, {}, lead);
  expect((await remove(await home.member("admin"), other.id)).status).toBe(204);
});

const TABLES = [
  ...["tasks", "task_assignments", "task_description_revisions", "comments", "comment_revisions"],
  ...["comment_reactions", "milestones", "project_members", "project_completion_policies", "task_counters"],
  ...["label_assignments", "label_overrides", "time_entries"],
  ...["documents", "document_revisions", "document_former_paths", "publications"],
];
const left = async ({ workspaceId }: World) => {
  const counts = await client.query(
    `select ${TABLES.map(
      (name) => `(select count(*)::int from ${name}
      where workspace_id = $1) as ${name}`,
    ).join(", ")},
     (select count(*)::int from statuses where workspace_id = $1 and project_id is not null) as statuses,
     (select count(*)::int from label_definitions
     where workspace_id = $1 and project_id is not null) as label_definitions`,
    [workspaceId],
  );
  return counts.rows[0] as Record<string, number>;
};

test("after 30 days its content is erased, and nobody else's; the row and its key are left", async () => {
  const home = await world(running);
  const kept = await fullProject(home);
  const before = await left(home);
  const { project } = await fullProject(home);
  await remove(home.owner, project.id);
  await age(home, project.id, "29 days 23 hours");
  await eraseDeletedProjects(client);
  for (const [name, rows] of Object.entries(await left(home))) expect(rows, name).toBeGreaterThan(before[name] ?? 0);
  await age(home, project.id, "30 days 1 minute");
  const reported = async () =>
    running.sql("select revision from time_reports where subject_id = $1", [home.owner.actorId], home.workspaceId);
  const [report] = await reported();
  await eraseDeletedProjects(client);
  expect(await left(home)).toEqual(before);
  expect(await reported()).not.toEqual([report]);
  expect(Object.values(before).every((rows) => rows > 0)).toBe(true);
  expect((await home.owner.call("GET", `/tasks/${kept.task.id}`)).status).toBe(200);
  const find = "select key, name, description_markdown, erased_at is not null as erased from projects where id = $1";
  const rows = await running.sql(find, [project.id], home.workspaceId);
  expect(rows).toEqual([{ key: project.key, name: "", description_markdown: "", erased: true }]);
  const body = { key: project.key, name: "Again" };
  const again = await home.owner.call("POST", `/workspaces/${home.workspaceId}/projects`, { body });
  expect(again.body.code).toBe("project_key_taken");
});

test("Documents elsewhere lose their links to what is erased, and no others", async () => {
  const home = await world(running);
  const [kept, gone] = [await fullProject(home), await fullProject(home)];
  const elsewhere = await newDocument(home, { title: "Elsewhere" });
  const markdown = [kept, gone]
    .flatMap(({ project, task, milestone, document }) => [
      ...[`project/${project.id}`, `task/${task.id}`, `milestone/${milestone.id}`, `document/${document.id}`],
    ])
    .map((name) => `[x](svc:${name})`)
    .join(" ");
  const body = { body: { markdown }, headers: { "if-match": "*" } };
  expect((await home.owner.call("PUT", `/documents/${elsewhere.id}/markdown`, body)).status).toBe(200);
  const targets = async () => {
    const sql = "select target_id from document_links where document_id = $1 order by target_id";
    const rows = await running.sql<{ target_id: string }>(sql, [elsewhere.id], home.workspaceId);
    return rows.map(({ target_id }) => target_id);
  };
  expect(await targets()).toHaveLength(8);
  await remove(home.owner, gone.project.id);
  await age(home, gone.project.id, "31 days");
  await eraseDeletedProjects(client);
  const ids = [kept.project.id, kept.task.id, kept.milestone.id, kept.document.id];
  expect(await targets()).toEqual(ids.sort());
});

test("time that was recorded there for a Task that is elsewhere now goes too, and refuses a list of it that was begun", async () => {
  const home = await world(running);
  const [from, to] = [await newProject(home), await newProject(home)];
  const task = await newTask(home.owner, from.id);
  for (const _ of [1, 2]) await newEntry(home.owner, task.id);
  const body = { project_id: to.id };
  expect((await home.owner.call("POST", `/tasks/${task.id}/move`, { body, ifMatch: "1" })).status).toBe(200);
  const path = `/tasks/${task.id}/time-entries?limit=1`;
  const begun = await home.owner.call("GET", path);
  expect(begun.body.has_more).toBe(true);
  await remove(home.owner, from.id);
  await age(home, from.id, "31 days");
  await eraseDeletedProjects(client);
  const next = await home.owner.call("GET", `${path}&cursor=${begun.body.next_cursor}`);
  expect([next.status, next.body.code]).toEqual([409, "revision_conflict"]);
  expect((await home.owner.call("GET", path)).body.items).toEqual([]);
});

test("what events said of it is erased with it", async () => {
  const home = await world(running);
  const { project } = await fullProject(home);
  const { task: kept } = await fullProject(home);
  const said = async () =>
    (
      await client.query("select from domain_events where workspace_id = $1 and payload::text like '%secret%'", [
        home.workspaceId,
      ])
    ).rowCount;
  expect(await said()).toBe(4);
  await remove(home.owner, project.id);
  await age(home, project.id, "31 days");
  await eraseDeletedProjects(client);
  expect(await said()).toBe(2);
  expect((await eventsOf(running, home, kept.id)).some(({ payload }) => "title" in payload)).toBe(true);
});

test("killed anywhere and begun again, also twice at once, it comes to the same end", async () => {
  const home = await world(running);
  const { project } = await fullProject(home);
  await running.sql(
    `insert into tasks (workspace_id, id, project_id, number, title, status_id, position, created_by_actor_id)
     select $1, gen_random_uuid(), $2, 10 + n, 'x', s.id, n, $3 from generate_series(1, 1200) n, statuses s
     where s.workspace_id = $1 and s.name = 'Done'`,
    [home.workspaceId, project.id, home.owner.actorId],
    home.workspaceId,
  );
  await remove(home.owner, project.id);
  await age(home, project.id, "31 days");
  for (let stop = 1; ; stop++) {
    let sent = 0;
    const dying = {
      query: (sql: string, values?: unknown[]) => {
        if (++sent > stop) throw new Error("killed");
        return client.query(sql, values);
      },
    };
    try {
      await eraseDeletedProjects(dying as never);
      break;
    } catch (error) {
      expect((error as Error).message).toBe("killed");
    }
    if (stop === 3) expect((await left(home)).tasks).toBeGreaterThan(0);
  }
  const other = new pg.Client(running.databaseUrl);
  await other.connect();
  await running.sql("update projects set erased_at = null where id = $1", [project.id], home.workspaceId);
  await Promise.all([eraseDeletedProjects(client), eraseDeletedProjects(other)]);
  await other.end();
  expect(Object.values(await left(home)).every((rows) => rows === 0)).toBe(true);
});
