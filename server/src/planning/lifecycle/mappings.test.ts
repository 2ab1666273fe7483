// What a mapping may say, what its preview tells, and what its application does and refuses.
import { expect, test } from "vitest";
import { applied, apply, fillTasks, lifecycleOf, migration, preview, previewed } from "../../../test/lifecycle.ts";
import { eventsOf, newProject, newProjectStatus, newTask, trashTask } from "../../../test/work.ts";
import { newKey, service, type World, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();
const setup = async () => {
  const home = await world(running);
  return { home, project: await newProject(home), tasks: await lifecycleOf(running, home, "task") };
};
const inStatus = async ({ workspaceId }: World, statusId?: string) =>
  (
    await running.sql<{ n: number }>(
      "select count(*)::int as n from tasks where status_id = $1",
      [statusId],
      workspaceId,
    )
  )[0]?.n;
const pointers = (body: { errors: { pointer: string }[] }) => body.errors.map(({ pointer }) => pointer).sort();

test("a preview tells how much would be moved and which behaviors would change, and writes nothing", async () => {
  const { home, project, tasks } = await setup();
  const { Todo, Done, Backlog } = tasks.ids as Record<string, string>;
  const task = await newTask(home.owner, project.id, { status_id: Todo });
  const trashed = await newTask(home.owner, project.id, { status_id: Todo });
  await trashTask(running, home, trashed.id);
  const answer = await preview(home, tasks, { [Todo as string]: Done as string, [Backlog as string]: Done as string });
  expect(answer.status).toBe(200);
  expect(answer.trips).toBeLessThanOrEqual(5);
  expect(answer.body).toMatchObject({
    definition_id: tasks.id,
    source_revision: tasks.revision,
    destination_revisions: { [Done as string]: "1" },
    impact: {
      total: 2,
      capped: false,
      sources: [
        { source_id: Todo, destination_id: Done, count: 2, capped: false },
        { source_id: Backlog, destination_id: Done, count: 0, capped: false },
      ],
    },
    acknowledgement_required: true,
  });
  const change = { destination_id: Done, behavior: "counts_as_completed", before: false, after: true };
  expect(answer.body.behavior_changes).toEqual([
    { source_id: Todo, ...change },
    { source_id: Backlog, ...change },
  ]);
  expect((await home.owner.call("GET", `/tasks/${task.id}`)).body).toMatchObject({ status_id: Todo, revision: "1" });
  expect(await running.sql("select from lifecycle_migrations", [], home.workspaceId)).toEqual([]);
});

test("nothing needs to be acknowledged where nothing is moved or nothing behaves differently", async () => {
  const { home, project, tasks } = await setup();
  const { Todo = "", Done = "", Backlog = "" } = tasks.ids;
  expect((await preview(home, tasks, { [Todo]: Done })).body.acknowledgement_required).toBe(false);
  await newTask(home.owner, project.id, { status_id: Todo });
  expect((await preview(home, tasks, { [Todo]: Backlog })).body).toMatchObject({
    behavior_changes: [],
    acknowledgement_required: false,
  });
});

test("counts are exact up to 10,000 and capped above, for each source and in total", async () => {
  const { home, project, tasks } = await setup();
  const { Todo = "", Done = "", Backlog = "" } = tasks.ids;
  await fillTasks(running, home, project.id, Todo, 10_000);
  const mapping = { [Todo]: Done, [Backlog]: Done };
  expect((await preview(home, tasks, mapping)).body.impact).toMatchObject({ total: 10_000, capped: false });
  await fillTasks(running, home, project.id, Backlog, 1);
  const { impact } = (await preview(home, tasks, mapping)).body;
  expect(impact).toMatchObject({ total: 10_000, capped: true, sources: [{ capped: false }, { count: 1 }] });
  await fillTasks(running, home, project.id, Todo, 1);
  const { sources } = (await preview(home, tasks, mapping)).body.impact;
  expect(sources).toMatchObject([
    { count: 10_000, capped: true },
    { count: 1, capped: false },
  ]);
});

test("a preview of a definition that has changed is refused with its revision, and one without If-Match too", async () => {
  const { home, tasks } = await setup();
  const mapping = { [tasks.ids.Todo as string]: tasks.ids.Done as string };
  const stale = await preview(home, { ...tasks, revision: "77" }, mapping);
  expect([stale.status, stale.body.code, stale.body.current_revision]).toEqual([
    409,
    "revision_conflict",
    tasks.revision,
  ]);
  const path = `/workspaces/${home.workspaceId}/lifecycle-definitions/${tasks.id}/mapping-previews`;
  const without = await home.owner.call("POST", path, { body: { mapping } });
  expect([without.status, without.body.code]).toEqual([400, "if_match_required"]);
});

test("only owners and admins preview and apply; members and viewers may read the job", async () => {
  const { home, tasks } = await setup();
  const mapping = { [tasks.ids.Todo as string]: tasks.ids.Done as string };
  const body = await previewed(home, tasks, mapping);
  for (const role of ["member", "viewer"] as const) {
    const person = await home.member(role);
    expect((await preview(home, tasks, mapping, person)).status).toBe(403);
    expect((await apply(home, tasks, body, person)).status).toBe(403);
  }
  const admin = await home.member("admin");
  expect((await preview(home, tasks, mapping, admin)).status).toBe(200);
  const done = await apply(home, tasks, body, admin);
  expect(done.status).toBe(200);
  const viewer = await home.member("viewer");
  const path = `/workspaces/${home.workspaceId}/lifecycle-migrations/${done.body.id}`;
  expect((await viewer.call("GET", path)).status).toBe(200);
  const outsider = (await world(running)).owner;
  expect((await outsider.call("GET", path)).status).toBe(404);
  expect((await preview(home, tasks, mapping, outsider)).status).toBe(404);
});

test("every id must belong to the definition, and the fault points to its pair", async () => {
  const { home, tasks } = await setup();
  const { Todo = "", Done = "", Backlog = "", Cancelled = "" } = tasks.ids;
  const states = await lifecycleOf(running, home, "project");
  const foreign = await lifecycleOf(running, await world(running), "task");
  const refused = async (mapping: Record<string, string>) => {
    const { status, body } = await preview(home, tasks, mapping);
    expect([status, body.code]).toEqual([422, "invalid_reference"]);
    return pointers(body);
  };
  const [absent, theirs, state] = [newId(), foreign.ids.Todo as string, states.ids.Planned as string];
  for (const id of [absent, theirs, state]) {
    expect(await refused({ [id]: Done })).toEqual([`/body/mapping/${id}`]);
    expect(await refused({ [Todo]: id })).toEqual([`/body/mapping/${Todo}`]);
  }
  expect(await refused({ [Todo]: Todo })).toEqual([`/body/mapping/${Todo}`]);
  expect(await refused({ [Todo]: Done, [Done]: Cancelled })).toEqual([`/body/mapping/${Todo}`]);
  expect(await refused({ [Todo]: Done, [Todo.toUpperCase()]: Done })).toEqual([`/body/mapping/${Todo.toUpperCase()}`]);
  await running.sql("update statuses set archived_at = now() where id = $1", [Backlog], home.workspaceId);
  expect(await refused({ [Todo]: Backlog })).toEqual([`/body/mapping/${Todo}`]);
  expect((await preview(home, tasks, { [Backlog]: Todo })).status).toBe(200);
});

test("what is Workspace-wide cannot go to a Project's own Status; a Project's own can go to both", async () => {
  const { home, project, tasks } = await setup();
  const { Todo = "" } = tasks.ids;
  const other = await newProject(home);
  const [own, second, theirs] = [
    await newProjectStatus(running, home, project.id, "Own"),
    await newProjectStatus(running, home, project.id, "Second"),
    await newProjectStatus(running, home, other.id, "Theirs"),
  ];
  const status = async (from: string, to: string) => (await preview(home, tasks, { [from]: to })).status;
  expect(await status(Todo, own)).toBe(422);
  expect(await status(own, theirs)).toBe(422);
  expect(await status(own, second)).toBe(200);
  expect(await status(own, Todo)).toBe(200);
  await running.sql("update projects set deleted_at = now() where id = $1", [other.id], home.workspaceId);
  expect(await status(theirs, Todo)).toBe(422);
});

test("a mapping has from 1 to 500 pairs", async () => {
  const { home, tasks } = await setup();
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, () => [newId(), newId()]));
  expect((await preview(home, tasks, {})).status).toBe(400);
  expect((await preview(home, tasks, many(500))).status).toBe(422);
  const over = await preview(home, tasks, many(501));
  expect([over.status, over.body.errors[0]]).toMatchObject([400, { pointer: "/body/mapping", code: "too_many" }]);
  expect((await preview(home, tasks, { todo: newId() })).status).toBe(400);
});

test("an application moves every Task, in the trash too, with its revision, its times and its event", async () => {
  const { home, project, tasks } = await setup();
  const { Todo = "", Done = "" } = tasks.ids;
  const task = await newTask(home.owner, project.id, { status_id: Todo });
  const trashed = await newTask(home.owner, project.id, { status_id: Todo });
  await trashTask(running, home, trashed.id);
  const answer = await applied(home, tasks, { [Todo]: Done });
  expect([answer.status, answer.trips <= 5]).toEqual([200, true]);
  expect(answer.body).toMatchObject({
    definition_id: tasks.id,
    state: "completed",
    progress: { total: 2, moved: 2, percent: 100 },
    error_code: null,
    revision: "1",
  });
  expect(answer.body.finished_at).not.toBeNull();
  expect(await migration(home, answer.body.id)).toEqual(answer.body);
  const after = (await home.owner.call("GET", `/tasks/${task.id}`)).body;
  expect(after).toMatchObject({ status_id: Done, revision: "2" });
  expect([after.started_at, after.completed_at].map((at) => typeof at)).toEqual(["string", "string"]);
  expect(await inStatus(home, Todo)).toBe(0);
  for (const { id } of [task, trashed])
    expect((await eventsOf(running, home, id)).at(-1)).toEqual({
      type: "task.status_changed",
      activity: null,
      payload: { from: Todo, to: Done },
    });
  const feed = (await home.owner.call("GET", `/workspaces/${home.workspaceId}/activity`)).body.items;
  const actions = feed.map(({ action }: { action: string }) => action);
  expect(actions, "a change of the workflow buries nobody's feed").not.toContain("activity.task.status_changed");
});

test("the times of a moved Task are those that a change of its Status gives it", async () => {
  const { home, project, tasks } = await setup();
  const moved = ["Backlog", "Todo", "In Progress", "Done", "Cancelled"];
  for (const from of moved) {
    for (const to of moved.filter((name) => name !== from)) {
      const [source, destination] = [tasks.ids[from] as string, tasks.ids[to] as string];
      const [one, other] = await Promise.all([0, 1].map(() => newTask(home.owner, project.id, { status_id: source })));
      await home.owner.call("PATCH", `/tasks/${one.id}`, { body: { status_id: destination }, ifMatch: "1" });
      const { status } = await applied(home, tasks, { [source]: destination });
      expect(status).toBe(200);
      const [by, mapped] = await Promise.all(
        [one, other].map(async ({ id }) => (await home.owner.call("GET", `/tasks/${id}`)).body),
      );
      const times = ({ started_at, completed_at }: typeof by) => [started_at !== null, completed_at !== null];
      expect(times(mapped), `${from} to ${to}`).toEqual(times(by));
      await running.sql("delete from task_assignments", [], home.workspaceId).catch(() => {});
      await running.sql("update tasks set status_id = $1", [tasks.ids["In Review"]], home.workspaceId);
    }
  }
});

test("Projects are moved by their states, Milestones by their stages", async () => {
  const { home, project } = await setup();
  const states = await lifecycleOf(running, home, "project");
  const stages = await lifecycleOf(running, home, "milestone");
  const milestoneId = newId();
  await running.sql(
    `insert into milestones (workspace_id, id, project_id, number, name, stage_id, created_by_actor_id)
      values ($1, $2, $3, 1, 'M', $4, $5)`,
    [home.workspaceId, milestoneId, project.id, stages.ids.Planned, home.owner.actorId],
    home.workspaceId,
  );
  const toState = await applied(home, states, { [states.ids.Planned as string]: states.ids.Completed as string });
  expect(toState.body.progress).toMatchObject({ total: 1, moved: 1 });
  const toStage = await applied(home, stages, { [stages.ids.Planned as string]: stages.ids.Active as string });
  expect(toStage.body.progress).toMatchObject({ total: 1, moved: 1 });
  const after = (await home.owner.call("GET", `/projects/${project.id}`)).body;
  expect(after).toMatchObject({
    state_id: states.ids.Completed,
    revision: "2",
    lifecycle: { stage_name: "Completed" },
  });
  expect((await eventsOf(running, home, project.id)).at(-1)).toEqual({
    type: "project.updated",
    activity: null,
    payload: { from: { state_id: project.state_id }, to: { state_id: states.ids.Completed } },
  });
  const [milestone] = await running.sql(
    "select stage_id, revision::text from milestones where id = $1",
    [milestoneId],
    home.workspaceId,
  );
  expect(milestone).toEqual({ stage_id: stages.ids.Active, revision: "2" });
  expect((await eventsOf(running, home, milestoneId)).map(({ type, activity }) => [type, activity])).toEqual([
    ["milestone.stage_changed", null],
  ]);
});

test("an application must be of the definition and the destinations that were seen", async () => {
  const { home, tasks } = await setup();
  const { Todo = "", Done = "", Backlog = "" } = tasks.ids;
  const body = await previewed(home, tasks, { [Todo]: Done });
  const refused = async (change: object) => {
    const { status, body: problem } = await apply(home, tasks, { ...body, ...change });
    return [status, problem.code];
  };
  const stale = [409, "lifecycle_preview_stale"];
  expect(await refused({ source_revision: "77" })).toEqual(stale);
  expect(await refused({ destination_revisions: { [Done]: "2" } })).toEqual(stale);
  expect(await refused({ destination_revisions: { [Backlog]: "1" } })).toEqual(stale);
  expect(await refused({ destination_revisions: { [Done]: "1", [Backlog]: "1" } })).toEqual(stale);
  await running.sql("update statuses set revision = revision + 1 where id = $1", [Done], home.workspaceId);
  expect(await refused({})).toEqual(stale);
  expect(await refused({ destination_revisions: { [Done.toUpperCase()]: "2" } })).toEqual([200, undefined]);
  await running.sql("update statuses set archived_at = now() where id = $1", [Done], home.workspaceId);
  expect(await refused({ destination_revisions: { [Done]: "2" } })).toEqual([422, "invalid_reference"]);
  await running.sql("update lifecycle_definitions set revision = revision + 1", [], home.workspaceId);
  expect(await refused({ destination_revisions: { [Done]: "2" } })).toEqual(stale);
});

test("work that would behave differently is moved only when somebody acknowledges it", async () => {
  const { home, project, tasks } = await setup();
  const { Todo = "", Done = "" } = tasks.ids;
  const { acknowledged: _, ...body } = await previewed(home, tasks, { [Todo]: Done });
  await newTask(home.owner, project.id, { status_id: Todo });
  for (const change of [{}, { acknowledged: false }]) {
    const { status, body: problem } = await apply(home, tasks, { ...body, ...change });
    expect([status, problem.code]).toEqual([409, "lifecycle_acknowledgement_required"]);
  }
  expect(await inStatus(home, Todo)).toBe(1);
  expect((await apply(home, tasks, { ...body, acknowledged: true })).status).toBe(200);
});

test("a key moves once: its repetition gets the same job, and with another mapping it is refused", async () => {
  const { home, project, tasks } = await setup();
  const { Todo = "", Backlog = "", Done = "" } = tasks.ids;
  await newTask(home.owner, project.id, { status_id: Todo });
  const [body, key] = [await previewed(home, tasks, { [Todo]: Backlog }), newKey()];
  const first = await apply(home, tasks, body, home.owner, { key });
  const second = await apply(home, tasks, body, home.owner, { key });
  expect([second.status, second.text]).toEqual([first.status, first.text]);
  const other = await apply(home, tasks, await previewed(home, tasks, { [Todo]: Done }), home.owner, { key });
  expect([other.status, other.body.code]).toEqual([409, "idempotency_key_conflict"]);
  const jobs = "select from lifecycle_migrations";
  expect(await running.sql(jobs, [], home.workspaceId)).toHaveLength(1);
});

test("1,000 are moved at once; with 1,001 the job is pending, and no other is taken meanwhile", async () => {
  const { home, project, tasks } = await setup();
  const { Todo = "", Backlog = "", Done = "", Cancelled = "" } = tasks.ids;
  await fillTasks(running, home, project.id, Todo, 1_000);
  const atOnce = await applied(home, tasks, { [Todo]: Backlog });
  expect([atOnce.status, atOnce.body.progress.moved, await inStatus(home, Backlog)]).toEqual([200, 1_000, 1_000]);
  await fillTasks(running, home, project.id, Todo, 1);
  const later = await applied(home, tasks, { [Todo]: Done, [Backlog]: Done });
  expect([later.status, later.body.state]).toEqual([202, "pending"]);
  expect(later.body).toMatchObject({ progress: { total: 1_001, moved: 0, percent: 0 }, finished_at: null });
  const small = { [Done]: Cancelled };
  const refused = await applied(home, tasks, small);
  expect([refused.status, refused.body.code]).toEqual([409, "lifecycle_migration_pending"]);
  const states = await lifecycleOf(running, home, "project");
  const elsewhere = await applied(home, states, { [states.ids.Planned as string]: states.ids.Backlog as string });
  expect(elsewhere.body.code).toBe("lifecycle_migration_pending");
  const other = await setup();
  const theirs = { [other.tasks.ids.Todo as string]: other.tasks.ids.Done as string };
  expect((await applied(other.home, other.tasks, theirs)).status).toBe(200);
});

test("of many applications that are too large to finish at once, one is taken", async () => {
  const { home, project, tasks } = await setup();
  const { Todo = "", Done = "", Backlog = "" } = tasks.ids;
  const states = await lifecycleOf(running, home, "project");
  const [Planned = "", Completed = ""] = [states.ids.Planned, states.ids.Completed];
  await fillTasks(running, home, project.id, Todo, 1_001);
  await running.sql(
    `insert into projects (workspace_id, id, key, name, created_by_actor_id, position, state_id)
     select $1, gen_random_uuid(), 'X' || n, 'X', $2, n, $3 from generate_series(1, 1001) n`,
    [home.workspaceId, home.owner.actorId, Planned],
    home.workspaceId,
  );
  const ofTasks = await Promise.all([Done, Backlog].map((to) => previewed(home, tasks, { [Todo]: to })));
  const ofProjects = await previewed(home, states, { [Planned]: Completed });
  const answers = await Promise.all(
    [...ofTasks, ...ofTasks, ...ofTasks].flatMap((body) => [apply(home, tasks, body), apply(home, states, ofProjects)]),
  );
  const told = answers.map(({ status, body }) => `${status} ${body.code ?? body.state}`);
  expect(told.filter((each) => each === "202 pending")).toHaveLength(1);
  expect(told.filter((each) => each === "409 lifecycle_migration_pending")).toHaveLength(answers.length - 1);
});

test("where somebody holds what is to be moved, the rest is not refused: a retry is pending and answers 202", async () => {
  const { home, project, tasks } = await setup();
  const { Todo = "", Backlog = "" } = tasks.ids;
  const task = await newTask(home.owner, project.id, { status_id: Todo });
  const answer = await running.database.writer.use(async (tx) => {
    await tx.begin();
    await tx.rows("select set_config('svc.workspace', $1, true)", [home.workspaceId]);
    await tx.rows("select from tasks where id = $1 for update", [task.id]);
    return applied(home, tasks, { [Todo]: Backlog });
  });
  expect([answer.status, answer.body.state, answer.body.error_code]).toEqual([202, "retry", "busy"]);
  expect(answer.body.progress).toEqual({ total: 1, moved: 0, percent: 0 });
  expect(await inStatus(home, Todo)).toBe(1);
});
