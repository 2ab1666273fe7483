// Published Projects: what strangers read, what they never read, and that every reason not to read is the same answer.
import { expect, test } from "vitest";
import { newProject, newTask, trashTask } from "../../../test/work.ts";
import { type Person, service, type World, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();
const change = async (person: Person, id: string, body: object) => {
  const { revision } = (await person.call("GET", `/projects/${id}`)).body;
  return person.call("PATCH", `/projects/${id}`, { body, ifMatch: revision });
};
const read = (publicId: string) => running.send("GET", `/public/projects/${publicId}`);
const published = async (home: World, body: object = {}) => {
  const { id } = await newProject(home, body);
  return (await change(home.owner, id, { published: true })).body;
};
const rows = ({ workspaceId }: World) =>
  running.sql<{ public_id: string }>("select public_id from publications where workspace_id = $1", [workspaceId]);
const statusOf = async ({ workspaceId }: World, name: string) =>
  (await running.sql<{ id: string }>("select id from statuses where name = $1", [name], workspaceId))[0]?.id as string;

test("a stranger reads the plan and how far it is, in two round-trips", async () => {
  const home = await world(running);
  const project = await published(home, {
    name: "Engine",
    description_markdown: "**Brass**",
    icon: "gear",
    color: "blue",
    start_date: "2027-01-01",
    target_date: "2027-03-31",
  });
  expect(project.public_id).toMatch(/^[0-9A-Za-z]{22}$/);
  for (const name of ["Todo", "Done", "Done", "Cancelled"])
    await newTask(home.owner, project.id, { status_id: await statusOf(home, name) });
  await trashTask(running, home, (await newTask(home.owner, project.id)).id);
  const answer = await read(project.public_id);
  expect(answer.status).toBe(200);
  expect(answer.trips).toBe(2);
  expect(answer.body).toEqual({
    public_id: project.public_id,
    key: project.key,
    name: "Engine",
    description_markdown: "**Brass**",
    icon: "gear",
    color: "blue",
    start_date: "2027-01-01",
    target_date: "2027-03-31",
    state: { name: "Planned", category: "unstarted" },
    counts: { backlog: 0, unstarted: 1, started: 0, completed: 2, cancelled: 1, capped: false },
    milestones: [],
    more_milestones: false,
  });
});

test("no person, Task, Workspace or identifier is in it", async () => {
  const home = await world(running);
  const project = await published(home, { description_markdown: "Words" });
  const task = await newTask(home.owner, project.id, {
    title: "A secret title",
    assignee_actor_id: home.owner.actorId,
  });
  await milestones(home, project.id, 1);
  const { text } = await read(project.public_id);
  expect(text).toContain("Milestone 1");
  const { userId, actorId, email } = home.owner;
  for (const hidden of [home.workspaceId, project.id, task.id, userId, actorId, email, "secret title"])
    expect(text).not.toContain(hidden);
  expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
});

const milestones = ({ workspaceId, owner }: World, projectId: string, count: number) =>
  running.sql(
    `insert into milestones (workspace_id, id, project_id, number, name, stage_id, target_date, created_by_actor_id)
     select $1, gen_random_uuid(), $2, n, 'Milestone ' || n, g.id, '2027-01-31', $4
     from generate_series(1, $3::int) n, lifecycle_stages g
     join lifecycle_definitions d on d.id = g.definition_id and d.kind = 'milestone'
     where g.workspace_id = $1 and g.name = 'Active'`,
    [workspaceId, projectId, count, owner.actorId],
    workspaceId,
  );

test("50 Milestones are shown with their progress, deleted ones are not, and one more is told of", async () => {
  const home = await world(running);
  const project = await published(home);
  await milestones(home, project.id, 51);
  const done = await newTask(home.owner, project.id, { status_id: await statusOf(home, "Done") });
  await running.sql(
    "update tasks set milestone_id = (select id from milestones where number = 1) where id = $1",
    [done.id],
    home.workspaceId,
  );
  const full = (await read(project.public_id)).body;
  expect(full.milestones).toHaveLength(50);
  expect(full.more_milestones).toBe(true);
  expect(full.milestones[0]).toMatchObject({
    code: `${project.key}-M1`,
    name: "Milestone 1",
    target_date: "2027-01-31",
    stage: { name: "Active", category: "started" },
    progress: { total: 1, completed: 1, percent: 100, capped: false },
  });
  await running.sql("update milestones set deleted_at = now() where number = 2", [], home.workspaceId);
  const fewer = (await read(project.public_id)).body;
  expect([fewer.milestones.length, fewer.more_milestones]).toEqual([50, false]);
});

test("at 10,000 Tasks of one Status counting stops, and says so", async () => {
  const home = await world(running);
  const project = await published(home);
  const fill = (from: number, to: number) =>
    running.sql(
      `insert into tasks (workspace_id, id, project_id, number, title, status_id, position, created_by_actor_id)
       select $1, gen_random_uuid(), $2, n, 'x', s.id, n, $3 from generate_series($4::int, $5::int) n, statuses s
       where s.workspace_id = $1 and s.name = 'Done'`,
      [home.workspaceId, project.id, home.owner.actorId, from, to],
      home.workspaceId,
    );
  await fill(1, 10_000);
  expect((await read(project.public_id)).body.counts).toMatchObject({ completed: 10_000, capped: false });
  await fill(10_001, 10_001);
  expect((await read(project.public_id)).body.counts).toMatchObject({ completed: 10_000, capped: true });
});

test("unpublished, private, deleted, in an archived Workspace, and unknown are one and the same 404", async () => {
  const home = await world(running);
  const [taken, hidden, gone] = [await published(home), await published(home), await published(home)];
  const elsewhere = await world(running);
  const inArchived = await published(elsewhere);
  for (const { public_id } of [taken, hidden, gone, inArchived]) expect((await read(public_id)).status).toBe(200);
  await change(home.owner, taken.id, { published: false });
  await change(home.owner, hidden.id, { visibility: "private" });
  await home.owner.call("DELETE", `/projects/${gone.id}`);
  await running.sql("update workspaces set archived_at = now() where id = $1", [elsewhere.workspaceId]);
  const unknown = "A".repeat(22);
  const told = [];
  for (const id of [unknown, taken.public_id, hidden.public_id, gone.public_id, inArchived.public_id]) {
    const { status, body, headers } = await read(id);
    const { correlation_id: _, ...rest } = body;
    told.push({ status, rest, names: [...headers.keys()] });
  }
  expect(told[0]?.status).toBe(404);
  for (const answer of told) expect(answer).toEqual(told[0]);
  expect(await rows(home)).toEqual([]);
});

test("a Project's own id and another Workspace's row lead nowhere", async () => {
  const home = await world(running);
  const project = await published(home);
  const other = await newProject(home);
  expect((await read(project.id)).status).toBe(400);
  await running.sql("update publications set resource_id = $1 where public_id = $2", [other.id, project.public_id]);
  expect((await read(project.public_id)).status).toBe(404);
});

test("publishing keeps the name while it is published and makes another one afterwards", async () => {
  const home = await world(running);
  const first = await published(home);
  expect((await change(home.owner, first.id, { published: true })).body.public_id).toBe(first.public_id);
  expect((await change(home.owner, first.id, { published: false })).body.public_id).toBeNull();
  expect((await change(home.owner, first.id, { published: false })).body.public_id).toBeNull();
  const second = (await change(home.owner, first.id, { published: true })).body;
  expect(second.public_id).not.toBe(first.public_id);
  expect(await rows(home)).toEqual([{ public_id: second.public_id }]);
  expect((await read(first.public_id)).status).toBe(404);
  expect((await read(second.public_id)).status).toBe(200);
});

test("a private Project is not published, and one that becomes private is taken back in the same change", async () => {
  const home = await world(running);
  const hidden = await newProject(home, { visibility: "private" });
  const refusal = { code: "project_private", errors: [{ pointer: "/body/published" }] };
  expect((await change(home.owner, hidden.id, { published: true })).body).toMatchObject(refusal);
  const both = { visibility: "private", published: true };
  const open = await published(home);
  expect((await change(home.owner, open.id, both)).body).toMatchObject(refusal);
  expect((await read(open.public_id)).status).toBe(200);
  const shown = await change(home.owner, hidden.id, { visibility: "workspace", published: true });
  expect(shown.body.public_id).not.toBeNull();
  const back = await change(home.owner, hidden.id, { visibility: "private" });
  expect(back.body).toMatchObject({ visibility: "private", public_id: null });
  expect((await rows(home)).length).toBe(1);
});

test("an archived Project stays published: what was shown is still true", async () => {
  const home = await world(running);
  const project = await published(home);
  await change(home.owner, project.id, { archived: true });
  expect((await read(project.public_id)).status).toBe(200);
  expect((await read(newId().replaceAll("-", "").slice(0, 22))).status).toBe(404);
});
