// One's own time: on the screen and as a file, in the same order and within the same limits.
import { expect, test } from "vitest";
import { correct, DAY, fillEntries, MAY, newEntry } from "../../../test/time.ts";
import { joinProject, newProject, newTask, pages } from "../../../test/work.ts";
import { service, world } from "../../../test/world.ts";

const running = service();
const PATH = `/timesheets/me?${MAY}`;
const EXPORT = `/timesheets/me/export?${MAY}`;
const HEADER =
  "work_date,project_key,task_code,task_title,duration,seconds,recorded_seconds,rounding_mode,note,entry_id";

async function work(body: object = {}) {
  const home = await world(running);
  const project = await newProject(home, body);
  const task = await newTask(home.owner, project.id, { title: "Cut, file" });
  const ada = await home.member("member");
  await joinProject(home, project.id, ada, "member");
  return { home, owner: home.owner, project, task, ada };
}

test("a timesheet has one's own live entries by day, and adds them up", async () => {
  const { home, owner, project, task, ada } = await work();
  const late = await newEntry(ada, task.id, { work_date: "2026-05-09", duration: "30m" });
  const early = await newEntry(ada, task.id, { work_date: "2026-05-01", duration: "1h", note: "First" });
  const same = await newEntry(ada, task.id, { work_date: "2026-05-09", duration: "15m" });
  const voided = await newEntry(ada, task.id);
  await ada.call("DELETE", `/time-entries/${voided.id}`);
  for (const work_date of ["2026-04-30", "2026-06-01"]) await newEntry(ada, task.id, { work_date });
  await newEntry(owner, task.id);
  const answer = await ada.call("GET", PATH);
  expect(answer.trips).toBe(1);
  expect(answer.body).toMatchObject({ entries: 3, seconds: 6300, duration: "PT1H45M", has_more: false });
  expect(answer.body.items.map(({ id }: { id: string }) => id)).toEqual([early.id, late.id, same.id]);
  const { capabilities, ...row } = early;
  expect(capabilities).toEqual(["time_entry:update", "time_entry:void"]);
  expect(answer.body.items[0]).toEqual({ ...row, task_code: task.code, task_title: "Cut, file" });
  expect(answer.body.items[0].project_id).toBe(project.id);
  expect((await pages(ada, PATH, 1)).items).toEqual(answer.body.items);
  expect((await (await home.member("viewer")).call("GET", PATH)).body).toMatchObject({
    items: [],
    entries: 0,
    seconds: 0,
  });
  const elsewhere = (await world(running)).owner;
  expect((await elsewhere.call("GET", PATH)).body.items, "of the session's Workspace").toEqual([]);
});

test("who has lost sight of a Task still has their own time, without its title", async () => {
  const { home, task, ada } = await work({ visibility: "private" });
  await newEntry(ada, task.id, { note: "Mine" });
  await running.sql("delete from project_members where actor_id = $1", [ada.actorId], home.workspaceId);
  expect((await ada.call("GET", PATH)).body.items[0]).toMatchObject({
    task_id: task.id,
    task_code: null,
    task_title: null,
    project_id: null,
    note: "Mine",
    redacted: false,
  });
  const [, line] = (await ada.call("GET", EXPORT)).text.split("\r\n");
  expect(line).toMatch(/^2026-05-04,,,,PT1H,3600,3600,exact,Mine,/);
});

test("time in a Project that was deleted stays on the timesheet, and even its owner changes it no more", async () => {
  const { owner, project, task } = await work();
  const { id } = await newEntry(owner, task.id);
  await owner.call("DELETE", `/projects/${project.id}`);
  const { items } = (await owner.call("GET", PATH)).body;
  expect(items).toMatchObject([{ id, project_id: null, task_code: null, seconds: 3600 }]);
  expect((await correct(owner, id, { note: "x" })).status).toBe(403);
});

test("a change of one's own time refuses the continuation; the time of others does not", async () => {
  const { owner, task, ada } = await work();
  const { id } = await newEntry(ada, task.id);
  await newEntry(ada, task.id);
  const { next_cursor } = (await ada.call("GET", `${PATH}&limit=1`)).body;
  const next = `${PATH}&limit=1&cursor=${next_cursor}`;
  await newEntry(owner, task.id);
  expect((await ada.call("GET", next)).body.items).toHaveLength(1);
  expect((await owner.call("GET", next)).body.code, "bound to the Actor").toBe("invalid_cursor");
  await correct(owner, id, { note: "By a manager" });
  const { status, body } = await ada.call("GET", next);
  expect([status, body.code]).toEqual([409, "revision_conflict"]);
});

test("800 entries within the range are read and exported, and 801 are not", async () => {
  const { home, task, ada } = await work();
  await fillEntries(running, home, task, ada, 799);
  await newEntry(ada, task.id);
  await newEntry(ada, task.id, { work_date: "2026-06-01" });
  const first = (await ada.call("GET", PATH)).body;
  expect([first.items.length, first.entries, first.seconds]).toEqual([50, 800, 800 * 3600]);
  expect((await pages(ada, PATH, 100)).items).toHaveLength(800);
  expect((await ada.call("GET", EXPORT)).text.split("\r\n")).toHaveLength(802);
  await newEntry(ada, task.id);
  for (const path of [PATH, EXPORT]) {
    const { status, body } = await ada.call("GET", path);
    expect([status, body.code]).toEqual([413, "retained_limit_exceeded"]);
  }
});

test("the file has a header, a line an entry, and nothing that a spreadsheet would run", async () => {
  const { project, task, ada } = await work();
  const empty = await ada.call("GET", EXPORT);
  expect(empty.text).toBe(`${HEADER}\r\n`);
  const formula = await newEntry(ada, task.id, { duration: "1:30", note: '=HYPERLINK("http://x")' });
  const plain = await newEntry(ada, task.id, { work_date: "2026-05-05", note: "Größe\nzwei" });
  const { text, headers, status, trips } = await ada.call("GET", EXPORT);
  expect([status, headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8"]);
  expect(trips).toBeLessThanOrEqual(2);
  expect(headers.get("content-disposition")).toContain("timesheet-2026-05-01-2026-05-31.csv");
  const about = `${project.key},${task.code},"Cut, file"`;
  expect(text).toBe(
    [
      HEADER,
      `${DAY},${about},PT1H30M,5400,5400,exact,"'=HYPERLINK(""http://x"")",${formula.id}`,
      `2026-05-05,${about},PT1H,3600,3600,exact,"Größe\nzwei",${plain.id}`,
      "",
    ].join("\r\n"),
  );
});

test("the file names the Project that the time was recorded in, wherever its Task is now, and when it is gone", async () => {
  const { home, owner, project, task, ada } = await work();
  const hidden = await newProject(home, { visibility: "private" });
  await newEntry(ada, task.id);
  await owner.call("POST", `/tasks/${task.id}/move`, { body: { project_id: hidden.id }, ifMatch: "1" });
  await newEntry(owner, task.id);
  const begin = async (person: typeof ada) => (await person.call("GET", EXPORT)).text.split("\r\n")[1];
  expect(await begin(ada)).toMatch(new RegExp(`^${DAY},${project.key},,,PT1H,`));
  expect(await begin(owner)).toMatch(new RegExp(`^${DAY},${hidden.key},${hidden.key}-1,"Cut, file",PT1H,`));
  await owner.call("POST", `/tasks/${task.id}/trash`, { ifMatch: "2" });
  expect((await owner.call("DELETE", `/tasks/${task.id}`)).status).toBe(204);
  expect(await begin(owner)).toMatch(new RegExp(`^${DAY},${hidden.key},,,PT1H,`));
});

test("the range of both is in order and of at most 366 days; the file knows no pages", async () => {
  const { ada } = await work();
  for (const path of ["/timesheets/me", "/timesheets/me/export"]) {
    expect((await ada.call("GET", `${path}?from=2025-05-01&to=2026-05-01`)).status).toBe(200);
    for (const range of ["from=2025-05-01&to=2026-05-02", "from=2026-05-02&to=2026-05-01"])
      expect((await ada.call("GET", `${path}?${range}`)).body.code).toBe("invalid_range");
    expect((await ada.call("GET", path)).body.code).toBe("invalid_request");
  }
  expect((await ada.call("GET", `${EXPORT}&limit=1`)).body.code).toBe("invalid_request");
});
