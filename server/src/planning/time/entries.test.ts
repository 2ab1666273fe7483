// Time on Tasks: who records it, who corrects and voids it, who sees whose it is, and how a list of it stays one list.
import { expect, test } from "vitest";
import { correct, DAY, fillEntries, newEntry, record } from "../../../test/time.ts";
import { eventsOf, joinProject, newProject, newTask, pages, trashTask } from "../../../test/work.ts";
import { newKey, type Person, service, type World, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();

async function work(body: object = {}) {
  const home = await world(running);
  const project = await newProject(home, body);
  const task = await newTask(home.owner, project.id);
  return { ...home, home, project, task, list: `/tasks/${task.id}/time-entries` };
}
const remove = (person: Person, id: string) => person.call("DELETE", `/time-entries/${id}`);
const totals = async (person: Person, taskId: string) =>
  (await person.call("GET", `/tasks/${taskId}/time-totals`)).body;
const suspend = ({ workspaceId }: World, { userId }: Person, state = "removed") =>
  running.sql("update memberships set state = $3 where workspace_id = $1 and user_id = $2", [
    workspaceId,
    userId,
    state,
  ]);

test("whoever writes work records time, and every way to write a duration gives seconds and ISO 8601", async () => {
  const { home, project, task } = await work();
  const ada = await home.member("member");
  const answer = await record(ada, task.id, { duration: "1h 30m", note: "Cut **gears**" });
  expect(answer.status).toBe(201);
  expect(answer.trips).toBeLessThanOrEqual(5);
  expect(answer.body).toMatchObject({
    revision: "1",
    task_id: task.id,
    project_id: project.id,
    actor_id: ada.actorId,
    display_name: expect.stringMatching(/^Person /),
    work_date: DAY,
    seconds: 5400,
    duration: "PT1H30M",
    recorded_seconds: 5400,
    rounding_mode: "exact",
    note: "Cut **gears**",
    redacted: false,
    capabilities: ["time_entry:update", "time_entry:void"],
  });
  for (const duration of ["90m", "1.5h", "1:30", "PT1H30M"])
    expect((await newEntry(ada, task.id, { duration })).seconds).toBe(5400);
  expect(await newEntry(ada, task.id, { duration: "24h", note: "" }), "the most").toMatchObject({
    duration: "PT24H",
    note: null,
  });
  expect((await newEntry(ada, task.id, { duration: "PT1S" })).duration, "the least").toBe("PT1S");
  expect(await eventsOf(running, home, answer.body.id)).toEqual([
    {
      type: "time_entry.recorded",
      activity: null,
      payload: { to: { work_date: DAY, recorded_seconds: 5400, seconds: 5400, note: "Cut **gears**" } },
    },
  ]);
});

test("what is no duration, nothing, negative or more than a day is refused", async () => {
  const { owner, task } = await work();
  for (const duration of ["0m", "-1h", "24h 1s", "25h", "soon", "90"]) {
    const { status, body } = await record(owner, task.id, { duration });
    expect([status, body.code, body.errors[0].pointer]).toEqual([422, "invalid_duration", "/body/duration"]);
  }
  const malformed = [
    { duration: "5" },
    { duration: `1h${" ".repeat(127)}` },
    { duration: 5400 },
    { note: "x".repeat(2001) },
    { work_date: "2026-02-30" },
    { work_date: null },
    { seconds: 5 },
  ];
  for (const body of malformed) expect((await record(owner, task.id, body)).body.code).toBe("invalid_request");
  expect((await record(owner, task.id, { duration: `1h${" ".repeat(126)}`, note: "x".repeat(2000) })).status).toBe(201);
  expect((await totals(owner, task.id)).entries).toBe(1);
});

test("a key is needed, and the same key records once, however often and however many at once", async () => {
  const { owner, task, list } = await work();
  const body = { duration: "1h", work_date: DAY };
  expect((await owner.call("POST", list, { body })).body.code).toBe("idempotency_key_required");
  const key = newKey();
  const answers = await Promise.all(Array.from({ length: 6 }, () => owner.call("POST", list, { body, key })));
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  expect((await totals(owner, task.id)).entries).toBe(1);
});

test("viewers of the Workspace or the Project read time and record none; outsiders find nothing", async () => {
  const { home, project, task, list, owner } = await work();
  const { id } = await newEntry(owner, task.id);
  const projectViewer = await home.member("member");
  await joinProject(home, project.id, projectViewer, "viewer");
  for (const viewer of [await home.member("viewer"), projectViewer]) {
    expect((await viewer.call("GET", list)).body.items).toHaveLength(1);
    const refused = [await record(viewer, task.id), await correct(viewer, id, { note: "x" }), await remove(viewer, id)];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect((await totals(viewer, task.id)).capabilities).toEqual(["time:read"]);
  }
  const missing = await owner.call("GET", `/tasks/${newId()}/time-entries`);
  const stranger = (await world(running)).owner;
  const refused = [
    await stranger.call("GET", list),
    await stranger.call("GET", `/tasks/${task.id}/time-totals`),
    await record(stranger, task.id),
    await correct(stranger, id, { note: "x" }),
    await remove(stranger, id),
  ];
  for (const { body } of refused)
    expect({ ...body, correlation_id: "" }).toEqual({ ...missing.body, correlation_id: "" });
  for (const state of ["suspended", "removed"]) {
    const former = await home.member("admin");
    await suspend(home, former, state);
    expect((await former.call("GET", list)).status).toBe(404);
  }
});

test("in a private Project nobody else learns of time, not even that there is too much of it", async () => {
  const { home, task, list, owner } = await work({ visibility: "private" });
  const { id } = await newEntry(owner, task.id);
  await fillEntries(running, home, task, owner, 800);
  const outside = await home.member("member");
  const answers = [
    await outside.call("GET", list),
    await correct(outside, id, { note: "x" }),
    await remove(outside, id),
  ];
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
  expect((await owner.call("GET", list)).status).toBe(413);
});

test("the author and those who manage the Project correct and void; other members do not", async () => {
  const { home, project, task } = await work();
  const [ada, bob, lead] = [await home.member("member"), await home.member("member"), await home.member("member")];
  await joinProject(home, project.id, lead, "lead");
  const { id } = await newEntry(ada, task.id, { note: "first" });
  expect((await correct(bob, id, { note: "x" })).status).toBe(403);
  expect((await remove(bob, id)).status).toBe(403);
  const own = await correct(ada, id, { duration: "2h", work_date: "2026-05-05", note: null });
  expect(own.trips).toBeLessThanOrEqual(5);
  expect(own.body).toMatchObject({ revision: "2", seconds: 7200, work_date: "2026-05-05", note: null });
  expect((await correct(lead, id, { duration: "3h" }, "2")).body).toMatchObject({
    revision: "3",
    actor_id: ada.actorId,
    seconds: 10800,
    work_date: "2026-05-05",
  });
  expect((await correct(await home.member("admin"), id, { note: "seen" }, "3")).status).toBe(200);
  expect((await eventsOf(running, home, id)).map(({ type, payload }) => [type, payload.from])).toEqual([
    ["time_entry.recorded", undefined],
    ["time_entry.corrected", { work_date: DAY, recorded_seconds: 3600, seconds: 3600, note: "first" }],
    ["time_entry.corrected", { work_date: "2026-05-05", recorded_seconds: 7200, seconds: 7200, note: null }],
    ["time_entry.corrected", { work_date: "2026-05-05", recorded_seconds: 10800, seconds: 10800, note: null }],
  ]);
  expect((await remove(lead, id)).status).toBe(204);
});

test("a correction needs the revision, a key and something to change; what changes nothing leaves the revision", async () => {
  const { owner, task } = await work();
  const { id } = await newEntry(owner, task.id);
  const path = `/time-entries/${id}`;
  expect((await owner.call("PATCH", path, { body: { note: "x" }, key: newKey() })).body.code).toBe("if_match_required");
  const keyless = await owner.call("PATCH", path, { body: { note: "x" }, ifMatch: "1" });
  expect(keyless.body.code).toBe("idempotency_key_required");
  expect((await correct(owner, id, {})).body.code).toBe("invalid_request");
  expect((await correct(owner, id, { duration: "25h" })).body.code).toBe("invalid_duration");
  expect((await correct(owner, id, { duration: "60m", work_date: DAY })).body.revision).toBe("1");
  expect((await correct(owner, id, { note: "x" }, "2")).body).toMatchObject({
    code: "revision_conflict",
    current_revision: "1",
  });
  const racing = await Promise.all(Array.from({ length: 8 }, (_, n) => correct(owner, id, { note: `n${n}` })));
  expect(racing.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
});

test("voided time counts nowhere, is not corrected, and is voided again without effect", async () => {
  const { home, owner, task, list } = await work();
  const [{ id }, other] = [await newEntry(owner, task.id), await newEntry(owner, task.id)];
  const stale = await owner.call("DELETE", `/time-entries/${id}`, { ifMatch: "7" });
  expect(stale.body.code).toBe("revision_conflict");
  expect((await owner.call("DELETE", `/time-entries/${id}`, { ifMatch: "1" })).status).toBe(204);
  expect((await remove(owner, id)).status).toBe(204);
  const corrected = await correct(owner, id, { note: "x" }, "2");
  expect([corrected.status, corrected.body.code]).toEqual([409, "time_entry_voided"]);
  expect((await owner.call("GET", list)).body.items.map((item: { id: string }) => item.id)).toEqual([other.id]);
  expect(await totals(owner, task.id)).toMatchObject({ seconds: 3600, entries: 1 });
  expect((await eventsOf(running, home, id)).map(({ type }) => type)).toEqual([
    "time_entry.recorded",
    "time_entry.voided",
  ]);
});

test("on a Task in the trash time is read and voided, and neither recorded nor corrected", async () => {
  const { home, owner, task, list } = await work();
  const { id } = await newEntry(owner, task.id);
  await trashTask(running, home, task.id);
  expect((await record(owner, task.id)).body.code).toBe("task_trashed");
  expect((await correct(owner, id, { note: "x" })).body.code).toBe("task_trashed");
  expect((await owner.call("GET", list)).body.items).toHaveLength(1);
  expect((await remove(owner, id)).status).toBe(204);
});

test("whose time it is and what for, is seen by the author and by those who manage; others see when and how long", async () => {
  const { home, project, task, list, owner } = await work();
  const [ada, bob, lead] = [await home.member("member"), await home.member("member"), await home.member("member")];
  await joinProject(home, project.id, lead, "lead");
  await newEntry(ada, task.id, { note: "Secret" });
  const whole = { actor_id: ada.actorId, note: "Secret", recorded_seconds: 3600, redacted: false, seconds: 3600 };
  for (const person of [ada, lead, owner]) expect((await person.call("GET", list)).body.items[0]).toMatchObject(whole);
  for (const person of [bob, await home.member("viewer")])
    expect((await person.call("GET", list)).body.items[0]).toMatchObject({
      actor_id: null,
      display_name: null,
      note: null,
      recorded_seconds: null,
      redacted: true,
      seconds: 3600,
      duration: "PT1H",
      work_date: DAY,
      project_id: project.id,
    });
});

test("time stays with the person who recorded it when they leave; a name that is not there is null", async () => {
  const { home, task, list, owner, workspaceId } = await work();
  const ada = await home.member("member");
  await newEntry(ada, task.id);
  await suspend(home, ada);
  expect((await owner.call("GET", list)).body.items[0]).toMatchObject({
    actor_id: ada.actorId,
    display_name: expect.stringMatching(/^Person /),
  });
  await running.sql(
    "update actors set user_id = null where workspace_id = $1 and id = $2",
    [workspaceId, ada.actorId],
    workspaceId,
  );
  expect((await owner.call("GET", list)).body.items[0]).toMatchObject({ actor_id: ada.actorId, display_name: null });
});

test("time keeps its Project when the Task moves, and stays there when the Task is gone", async () => {
  const { home, project, task, list, owner, workspaceId } = await work({ visibility: "private" });
  const to = await newProject(home);
  const ada = await home.member("member");
  await joinProject(home, project.id, ada, "member");
  const { id } = await newEntry(ada, task.id);
  const move = "update tasks set project_id = $2, number = 77 where id = $1";
  await running.sql(move, [task.id, to.id], workspaceId);
  const lead = await home.member("member");
  await joinProject(home, to.id, lead, "lead");
  expect((await owner.call("GET", list)).body.items[0].project_id).toBe(project.id);
  // The lead of the other Project sees the Task, and neither the Project that the time belongs to nor whose it is.
  expect((await lead.call("GET", list)).body.items[0]).toMatchObject({ project_id: null, redacted: true });
  expect((await correct(lead, id, { note: "x" })).status).toBe(403);
  expect((await correct(ada, id, { note: "x" })).status).toBe(200);
  expect((await newEntry(ada, task.id)).project_id).toBe(to.id);
  await running.sql("delete from tasks where id = $1", [task.id], workspaceId);
  const report = `/projects/${project.id}/time-task-breakdown?from=${DAY}&to=${DAY}`;
  expect((await owner.call("GET", report)).body.items).toEqual([
    { task_id: task.id, task_code: null, task_title: null, seconds: 3600, duration: "PT1H", entries: 1 },
  ]);
});

test("who lost sight of the work still has the entry, and changes it no more", async () => {
  const { home, project, task } = await work({ visibility: "private" });
  const ada = await home.member("member");
  await joinProject(home, project.id, ada, "member");
  const { id } = await newEntry(ada, task.id);
  await running.sql("delete from project_members where actor_id = $1", [ada.actorId], home.workspaceId);
  expect([(await correct(ada, id, { note: "x" })).status, (await remove(ada, id)).status]).toEqual([403, 403]);
});

test("who is out of the Project that it was recorded in changes it no more, although they see where its Task has gone", async () => {
  const { home, project, task, owner } = await work({ visibility: "private" });
  const ada = await home.member("member");
  await joinProject(home, project.id, ada, "member");
  const { id } = await newEntry(ada, task.id);
  const to = await newProject(home);
  const moved = await owner.call("POST", `/tasks/${task.id}/move`, { body: { project_id: to.id }, ifMatch: "1" });
  expect(moved.status).toBe(200);
  expect((await correct(ada, id, { note: "Still in both" })).status).toBe(200);
  await owner.call("DELETE", `/projects/${project.id}/members/${ada.actorId}`);
  expect([(await correct(ada, id, { note: "x" }, "2")).status, (await remove(ada, id)).status]).toEqual([403, 403]);
  expect((await remove(await home.member("viewer"), id)).status, "who sees the Task is told so, too").toBe(403);
  await owner.call("DELETE", `/projects/${project.id}`);
  expect((await remove(owner, id)).status, "of a Project that is deleted nobody changes the time").toBe(403);
});

test("a list is read in pages of one state: a change refuses the continuation", async () => {
  const { home, owner, task, list } = await work();
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) ids.push((await newEntry(owner, task.id)).id);
  const all = await pages(owner, list, 2);
  expect([all.items.map((item) => item.id), all.pages]).toEqual([ids, 3]);
  const first = await owner.call("GET", `${list}?limit=2`);
  expect(first.trips).toBe(1);
  const next = `${list}?limit=2&cursor=${first.body.next_cursor}`;
  const other = await newTask(owner, task.project_id);
  await newEntry(owner, other.id);
  expect((await owner.call("GET", next)).status, "time on another Task changes nothing here").toBe(200);
  const elsewhere = await owner.call("GET", `/tasks/${other.id}/time-entries?limit=2&cursor=${first.body.next_cursor}`);
  expect(elsewhere.body.code).toBe("invalid_cursor");
  const changes = [
    () => newEntry(owner, task.id),
    () => correct(owner, ids[4] as string, { note: "x" }),
    () => remove(owner, ids[4] as string),
  ];
  for (const change of changes) {
    const { next_cursor } = (await owner.call("GET", `${list}?limit=2`)).body;
    await change();
    const { status, body } = await owner.call("GET", `${list}?limit=2&cursor=${next_cursor}`);
    expect([status, body.code, body.errors[0].pointer]).toEqual([409, "revision_conflict", "/query/cursor"]);
    expect(body.current_revision, "as with every revision_conflict").toMatch(/^\d+$/);
  }
  for (let n = 0; n < 2; n++) await remove(owner, ids[3] as string);
  expect((await pages(await home.member("viewer"), list, 1)).items).toHaveLength(4);
});

test("50 entries are a page; 800 are listed and 801 are not, while totals go on", async () => {
  const { home, owner, task, list } = await work();
  await fillEntries(running, home, task, owner, 799);
  const { id } = await newEntry(owner, task.id);
  const first = await owner.call("GET", list);
  expect(first.body.items).toHaveLength(50);
  expect((await pages(owner, list, 100)).items).toHaveLength(800);
  await newEntry(owner, task.id);
  for (const path of [list, `${list}?cursor=${first.body.next_cursor}`]) {
    const { status, body } = await owner.call("GET", path);
    expect([status, body.code]).toEqual([413, "retained_limit_exceeded"]);
  }
  expect(await totals(owner, task.id)).toMatchObject({ entries: 801, seconds: 801 * 3600, duration: "PT801H" });
  await remove(owner, id);
  expect((await owner.call("GET", list)).status, "what is voided is not counted").toBe(200);
});

test("totals are exact, and say how much of it is one's own", async () => {
  const { home, owner, task } = await work();
  expect(await totals(owner, task.id)).toEqual({
    task_id: task.id,
    seconds: 0,
    duration: "PT0S",
    entries: 0,
    own_seconds: 0,
    own_duration: "PT0S",
    capabilities: ["time:read", "time:write", "time:manage"],
  });
  const ada = await home.member("member");
  await newEntry(ada, task.id, { duration: "1:00:01" });
  await newEntry(owner, task.id, { duration: "25m" });
  expect(await totals(ada, task.id)).toMatchObject({
    seconds: 5101,
    duration: "PT1H25M1S",
    entries: 2,
    own_seconds: 3601,
    own_duration: "PT1H1S",
    capabilities: ["time:read", "time:write"],
  });
});

test("many who record at once are all counted, and none of them waits for another in a circle", async () => {
  const { home, owner, project, task } = await work();
  const [other, ada] = [await newTask(owner, project.id), await home.member("member")];
  const answers = await Promise.all(
    Array.from({ length: 24 }, (_, n) => record(n % 2 ? ada : owner, n % 3 ? task.id : other.id)),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  const [reports] = await running.sql<{ revision: string }>(
    "select revision from time_reports where subject_id = $1",
    [project.id],
    home.workspaceId,
  );
  expect(reports?.revision).toBe("24");
});
