// Time in a Project: by the Project that it was recorded in, within a range of days, with names for those who manage
// and for nobody else.
import { expect, test } from "vitest";
import { correct, DAY, fillEntries, MAY, newEntry } from "../../../test/time.ts";
import { joinProject, newProject, newTask, pages } from "../../../test/work.ts";
import { type Person, service, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();

async function work(body: object = {}) {
  const home = await world(running);
  const project = await newProject(home, body);
  const tasks = [await newTask(home.owner, project.id), await newTask(home.owner, project.id)].sort((a, b) =>
    a.id < b.id ? -1 : 1,
  );
  const [ada, bob] = [await home.member("member"), await home.member("member")];
  return { home, owner: home.owner, project, tasks, task: tasks[0], ada, bob };
}
const at = (project: { id: string }, report: string, query: string = MAY) =>
  `/projects/${project.id}/time-${report}?${query}`;
const read = async (person: Person, path: string) => (await person.call("GET", path)).body;
const reports = ["totals", "task-breakdown", "contributor-breakdown"];

test("the range is in order, both its days count, and it has at most 366 of them", async () => {
  const { owner, project, task } = await work();
  for (const work_date of ["2026-04-30", "2026-05-01", "2026-05-31", "2026-06-01"])
    await newEntry(owner, task.id, { work_date });
  const { id } = await newEntry(owner, task.id);
  await owner.call("DELETE", `/time-entries/${id}`);
  const answer = await owner.call("GET", at(project, "totals"));
  expect(answer.trips).toBeLessThanOrEqual(2);
  expect(answer.body).toEqual({
    project_id: project.id,
    from: "2026-05-01",
    to: "2026-05-31",
    seconds: 7200,
    duration: "PT2H",
    entries: 2,
    tasks: 1,
    capabilities: ["time:read", "time:write", "time:manage"],
  });
  expect(await read(owner, at(project, "totals", "from=2027-01-01&to=2027-01-01"))).toMatchObject({
    seconds: 0,
    duration: "PT0S",
    entries: 0,
    tasks: 0,
  });
  const task_id = `&task_id=${task.id}`;
  for (const report of [...reports, "task-entries"]) {
    const asked = (query: string) => at(project, report, query + (report === "task-entries" ? task_id : ""));
    expect((await owner.call("GET", asked("from=2025-05-01&to=2026-05-01"))).status, "366 days").toBe(200);
    for (const range of ["from=2025-05-01&to=2026-05-02", "from=2026-05-02&to=2026-05-01"]) {
      const { status, body } = await owner.call("GET", asked(range));
      expect([status, body.code, body.errors[0].pointer]).toEqual([422, "invalid_range", "/query/to"]);
    }
    for (const range of ["from=2026-05-01", "to=2026-05-01", "from=2026-02-30&to=2026-03-01", "from=&to="])
      expect((await owner.call("GET", asked(range))).body.code).toBe("invalid_request");
  }
});

test("whoever sees the Project reads its totals; who does not finds nothing, whatever they ask", async () => {
  const { home, owner, project, task, ada, bob } = await work({ visibility: "private" });
  await joinProject(home, project.id, ada, "viewer");
  await fillEntries(running, home, task, owner, 801);
  const every = [
    ...reports.map((report) => at(project, report)),
    at(project, "task-entries", `${MAY}&task_id=${task.id}`),
  ];
  const missing = (await owner.call("GET", at({ id: newId() }, "totals"))).body;
  for (const person of [bob, (await world(running)).owner])
    for (const path of [...every, at(project, "task-breakdown", "from=2026-05-02&to=2026-05-01")])
      expect({ ...(await read(person, path)), correlation_id: "" }).toEqual({ ...missing, correlation_id: "" });
  expect(await Promise.all(every.map(async (path) => (await ada.call("GET", path)).status))).toEqual([
    200, 200, 200, 403,
  ]);
});

test("each Task has a row, ordered by id, with the time that was recorded in this Project", async () => {
  const { home, owner, project, tasks, ada } = await work();
  const [first, second] = tasks;
  await newEntry(ada, second.id, { duration: "30m" });
  await newEntry(owner, first.id, { duration: "1h" });
  await newEntry(ada, first.id, { duration: "15m" });
  const path = at(project, "task-breakdown");
  const rows = [
    {
      task_id: first.id,
      task_code: first.code,
      task_title: first.title,
      seconds: 4500,
      duration: "PT1H15M",
      entries: 2,
    },
    {
      task_id: second.id,
      task_code: second.code,
      task_title: second.title,
      seconds: 1800,
      duration: "PT30M",
      entries: 1,
    },
  ];
  const answer = await ada.call("GET", path);
  expect([answer.trips, answer.body.items]).toEqual([1, rows]);
  expect(await pages(ada, path, 1)).toEqual({ items: rows, pages: 2 });
  // Moved to where the reader sees nothing: the time stays, and nothing is told of the Task.
  const hidden = await newProject(home, { visibility: "private" });
  const move = "update tasks set project_id = $2, number = 77 where id = $1";
  await running.sql(move, [first.id, hidden.id], home.workspaceId);
  expect((await read(ada, path)).items[0]).toEqual({ ...rows[0], task_code: null, task_title: null });
  expect((await read(owner, path)).items[0]).toMatchObject({ task_code: `${hidden.key}-77` });
  expect((await read(owner, at(hidden, "totals"))).entries).toBe(0);
});

test("100 Tasks are a page", async () => {
  const { home, owner, project, task } = await work();
  await fillEntries(running, home, task, owner, 101);
  await running.sql("update time_entries set task_id = id where project_id = $1", [project.id], home.workspaceId);
  const { items, has_more } = await read(owner, at(project, "task-breakdown"));
  expect([items.length, has_more]).toEqual([100, true]);
});

test("the entries of one Task are for those who manage the Project: owners, admins and its leads", async () => {
  const { home, owner, project, task, tasks, ada, bob } = await work();
  await joinProject(home, project.id, bob, "lead");
  const ids: string[] = [];
  for (const person of [ada, owner, bob]) ids.push((await newEntry(person, task.id, { note: "N" })).id);
  await newEntry(owner, tasks[1].id);
  await newEntry(owner, task.id, { work_date: "2026-06-01" });
  const path = at(project, "task-entries", `${MAY}&task_id=${task.id}`);
  for (const person of [owner, await home.member("admin"), bob]) {
    const { items } = await pages(person, path, 2);
    expect(items.map(({ id }) => id)).toEqual(ids);
    expect(items[0]).toMatchObject({ actor_id: ada.actorId, note: "N", redacted: false });
  }
  for (const person of [ada, await home.member("viewer")]) expect((await person.call("GET", path)).status).toBe(403);
  const unknown = at(project, "task-entries", `${MAY}&task_id=${newId()}`);
  expect((await read(owner, unknown)).items).toEqual([]);
  expect((await owner.call("GET", at(project, "task-entries"))).body.code).toBe("invalid_request");
});

test("of one Task 800 entries within the range are listed, and 801 are not", async () => {
  const { home, owner, project, task } = await work();
  await fillEntries(running, home, task, owner, 800);
  await newEntry(owner, task.id, { work_date: "2026-06-01" });
  const path = at(project, "task-entries", `${MAY}&task_id=${task.id}`);
  expect((await read(owner, path)).items).toHaveLength(100);
  await newEntry(owner, task.id);
  expect((await read(owner, path)).code).toBe("retained_limit_exceeded");
  expect((await read(owner, at(project, "task-breakdown"))).items[0].entries, "sums are not limited").toBe(801);
});

test("who contributed is told to those who manage, ordered by Actor; others get nothing, and are told so", async () => {
  const { home, owner, project, task, ada, bob } = await work();
  await joinProject(home, project.id, bob, "lead");
  await newEntry(ada, task.id, { duration: "45m" });
  await newEntry(owner, task.id, { duration: "1h" });
  await newEntry(owner, task.id, { duration: "1h" });
  const path = at(project, "contributor-breakdown");
  const rows = [
    { actor_id: ada.actorId, display_name: expect.any(String), seconds: 2700, duration: "PT45M", entries: 1 },
    { actor_id: owner.actorId, display_name: expect.any(String), seconds: 7200, duration: "PT2H", entries: 2 },
  ].sort((a, b) => (a.actor_id < b.actor_id ? -1 : 1));
  for (const person of [owner, await home.member("admin"), bob]) {
    const answer = await person.call("GET", path);
    expect([answer.trips, answer.body]).toEqual([
      1,
      { items: rows, next_cursor: null, has_more: false, redacted: false },
    ]);
    expect((await pages(person, path, 1)).items).toEqual(rows);
  }
  for (const person of [ada, await home.member("viewer")])
    expect(await read(person, path)).toEqual({ items: [], next_cursor: null, has_more: false, redacted: true });
  // A lead who is a viewer of the Workspace manages nothing.
  await running.sql("update memberships set role = 'viewer' where actor_id = $1", [bob.actorId]);
  expect((await read(bob, path)).redacted).toBe(true);
  await running.sql("update memberships set state = 'removed' where actor_id = $1", [ada.actorId]);
  expect((await read(owner, path)).items, "who has left has contributed all the same").toHaveLength(2);
});

test("a change in the Project refuses every continuation; one elsewhere refuses none", async () => {
  const { home, owner, project, tasks, task, ada } = await work();
  const { id } = await newEntry(ada, task.id);
  await newEntry(owner, task.id);
  await newEntry(owner, tasks[1].id);
  const paths = [
    at(project, "task-breakdown"),
    at(project, "contributor-breakdown"),
    at(project, "task-entries", `${MAY}&task_id=${task.id}`),
  ];
  const elsewhere = await newTask(owner, (await newProject(home)).id);
  let note = 0;
  for (const path of paths) {
    const { next_cursor } = await read(owner, `${path}&limit=1`);
    const next = `${path}&limit=1&cursor=${next_cursor}`;
    await newEntry(owner, elsewhere.id);
    expect((await owner.call("GET", next)).status).toBe(200);
    const otherRange = next.replace("2026-05-31", "2026-05-30");
    expect((await owner.call("GET", otherRange)).body.code, "bound to its range").toBe("invalid_cursor");
    expect((await correct(ada, id, { note: `n${note}` }, String(++note))).status).toBe(200);
    const { status, body } = await owner.call("GET", next);
    expect([status, body.code]).toEqual([409, "revision_conflict"]);
  }
});

test("a rounded entry counts as it was rounded", async () => {
  const { owner, project, task } = await work();
  await owner.call("PATCH", "/workspace/time-tracking", {
    body: { enabled: true, rounding_mode: "ceil_30_minutes" },
    ifMatch: "0",
    key: newId(),
  });
  await newEntry(owner, task.id, { duration: "31m" });
  expect(await read(owner, at(project, "totals", `from=${DAY}&to=${DAY}`))).toMatchObject({ seconds: 3600 });
});
