// The overview of a Project: its figures against what was made through the API, its bounds, and who sees it.
import pg from "pg";
import { expect, test } from "vitest";
import { joinProject, newMilestone, newProject, newTask, trashTask } from "../../../test/work.ts";
import { service, world } from "../../../test/world.ts";

const running = service();

async function workshop(body: object = {}) {
  const home = await world(running);
  const project = await newProject(home, body);
  const { items } = (await home.owner.call("GET", `/projects/${project.id}/statuses`)).body;
  const { stages } = (await home.owner.call("GET", `/workspaces/${home.workspaceId}/milestone-lifecycle`)).body;
  const named = (list: { id: string; name: string }[]) => (name: string) =>
    list.find((each) => each.name === name)?.id as string;
  const overview = async (person = home.owner) => person.call("GET", `/projects/${project.id}/overview`);
  return { home, owner: home.owner, project, overview, status: named(items), stage: named(stages) };
}
const nothing = { total: 0, completed: 0, active: 0, awaiting_review: 0, cancelled: 0, percent: 0, capped: false };

test("an empty Project has its creator, its creation and nothing else", async () => {
  const { owner, project, overview } = await workshop();
  const { body, trips } = await overview();
  expect(body).toEqual({
    id: project.id,
    key: project.key,
    name: project.name,
    counts: { backlog: 0, unstarted: 0, started: 0, completed: 0, cancelled: 0 },
    progress: nothing,
    recent_activity: [expect.objectContaining({ action: "activity.project.created" })],
    members: {
      items: [
        { actor_id: owner.actorId, display_name: expect.stringContaining("Person"), role: "lead", state: "active" },
      ],
      count: 1,
      capped: false,
    },
    milestones: [],
    capabilities: ["work:read", "work:write", "work:manage", "project:update", "project:delete"],
  });
  expect(trips).toBe(1);
});

test("Tasks are counted by category and by what their stages say, without the trash and other Projects", async () => {
  const { home, owner, project, overview, status } = await workshop();
  const other = await newProject(home);
  await newTask(owner, other.id);
  const names = ["Backlog", "Backlog", "Todo", "In Progress", "In Progress", "In Review", "Done", "Cancelled"];
  for (const name of names) await newTask(owner, project.id, { status_id: status(name) });
  await trashTask(running, home, (await newTask(owner, project.id, { status_id: status("Done") })).id);
  const { body } = await overview();
  expect(body.counts).toEqual({ backlog: 2, unstarted: 1, started: 3, completed: 1, cancelled: 1 });
  expect(body.progress).toEqual({
    total: 8,
    completed: 1,
    active: 3,
    awaiting_review: 1,
    cancelled: 1,
    percent: 14,
    capped: false,
  });
});

test("the ten next Milestones that are neither completed nor cancelled come with their progress", async () => {
  const { owner, project, overview, status, stage } = await workshop();
  const last = await newMilestone(owner, project.id);
  for (const name of ["Completed", "Cancelled"])
    await newMilestone(owner, project.id, { stage_id: stage(name), target_date: "2026-01-01" });
  const gone = await newMilestone(owner, project.id, { target_date: "2026-01-01" });
  await owner.call("DELETE", `/milestones/${gone.id}`);
  for (let month = 9; month > 0; month--)
    await newMilestone(owner, project.id, {
      target_date: `2027-0${month}-01`,
      stage_id: stage(month % 2 ? "Active" : "Planned"),
    });
  const listed = async () => (await overview()).body.milestones as { code: string; progress: object }[];
  const codes = (await listed()).map(({ code }) => code);
  expect(codes).toEqual([...[13, 12, 11, 10, 9, 8, 7, 6, 5].map((number) => `${project.key}-M${number}`), last.code]);
  const first = (await owner.call("GET", `/projects/${project.id}/milestones/by-code/13`)).body;
  await newTask(owner, project.id, { milestone_id: first.id, status_id: status("Done") });
  await newMilestone(owner, project.id, { target_date: "2028-01-01" });
  const [next, ...others] = await listed();
  expect(next?.progress).toEqual({ ...nothing, total: 1, completed: 1, percent: 100 });
  expect(others.map(({ code }) => code)).toEqual([...codes.slice(1, 9), `${project.key}-M14`]);
});

test("the last ten items of activity and the first twenty members are shown", async () => {
  const { home, owner, project, overview } = await workshop();
  for (let made = 0; made < 11; made++) await newTask(owner, project.id, { title: `Task ${made}` });
  const people = await Promise.all(Array.from({ length: 20 }, () => home.member("member")));
  for (const person of people) await joinProject(home, project.id, person, "member");
  const { body } = await overview();
  expect(body.recent_activity.map((item: { affected: { title: string }[] }) => item.affected[0]?.title)).toEqual(
    Array.from({ length: 10 }, (_, index) => `Task ${10 - index}`),
  );
  expect([body.members.items.length, body.members.count, body.members.capped]).toEqual([20, 21, false]);
});

test("counting stops at 10,000 Tasks of a Status and at 10,000 members, and says so", async () => {
  const { home, owner, project, overview, status } = await workshop();
  const admin = new pg.Client(running.databaseUrl);
  await admin.connect();
  await admin.query("set session_replication_role = replica");
  const tasks = (from: number, to: number) =>
    admin.query(
      `insert into tasks (workspace_id, id, project_id, number, title, status_id, position, created_by_actor_id)
       select $1, gen_random_uuid(), $2, n, 'x', $3, n, $4 from generate_series($5::int, $6::int) n`,
      [home.workspaceId, project.id, status("Done"), owner.actorId, from, to],
    );
  const members = (count: number) =>
    admin.query(
      `with m as (
         insert into memberships (workspace_id, id, user_id, actor_id, role, state)
         select $1, id, id, id, 'member', 'active'
         from (select gen_random_uuid() as id from generate_series(1, $3::int)) made returning actor_id
       ), u as (insert into users (id, email, display_name, username) select actor_id, actor_id, 'x', actor_id from m)
       insert into project_members (workspace_id, project_id, actor_id, role) select $1, $2, actor_id, 'member' from m`,
      [home.workspaceId, project.id, count],
    );
  await Promise.all([tasks(1, 10_000), members(9_999)]);
  const exact = (await overview()).body;
  expect([exact.counts.completed, exact.progress.percent, exact.progress.capped]).toEqual([10_000, 100, false]);
  expect([exact.members.count, exact.members.capped]).toEqual([10_000, false]);
  await Promise.all([tasks(10_001, 10_001), members(1)]);
  await admin.end();
  const { body } = await overview();
  expect(body.counts.completed).toBe(10_000);
  expect(body.progress).toMatchObject({ completed: 10_000, percent: null, capped: true });
  expect([body.members.count, body.members.capped]).toEqual([10_000, true]);
});

test("it is there for whoever sees the Project, with what they may see now", async () => {
  const { home, overview } = await workshop({ visibility: "private" });
  const [viewer, member, admin] = [
    await home.member("viewer"),
    await home.member("member"),
    await home.member("admin"),
  ];
  const { owner: foreign } = await world(running);
  expect((await overview(admin)).status).toBe(200);
  const answers = [];
  for (const person of [viewer, member, foreign]) answers.push((await overview(person)).status);
  expect(answers).toEqual([404, 404, 404]);
  const open = await workshop();
  const reader = await open.home.member("viewer");
  expect((await open.overview(reader)).body.capabilities).toEqual(["work:read"]);
});
