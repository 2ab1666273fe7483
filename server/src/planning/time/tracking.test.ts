// What a Workspace decides about time: until it does, time is tracked exactly.
import { expect, test } from "vitest";
import { eventsOf, newProject, newTask } from "../../../test/work.ts";
import { newKey, type Person, service, world } from "../../../test/world.ts";

const running = service();
const PATH = "/workspace/time-tracking";
const change = (person: Person, body: object, ifMatch?: string, key: string | undefined = newKey()) =>
  person.call("PATCH", PATH, { body, key, ...(ifMatch === undefined ? {} : { ifMatch }) });
const quarter = { enabled: true, rounding_mode: "ceil_15_minutes" };

test("until somebody decides, time is tracked exactly at revision 0, and 0 creates the first policy", async () => {
  const home = await world(running);
  const read = await home.owner.call("GET", PATH);
  expect([read.trips, read.headers.get("etag")]).toEqual([1, '"0"']);
  expect(read.body).toEqual({
    workspace_id: home.workspaceId,
    revision: "0",
    updated_at: null,
    enabled: true,
    rounding_mode: "exact",
    capabilities: ["time:manage"],
  });
  const first = await change(home.owner, quarter, "0");
  expect(first.trips).toBeLessThanOrEqual(5);
  expect(first.body).toMatchObject({ ...quarter, revision: "1" });
  const second = await change(home.owner, { enabled: false, rounding_mode: "exact" }, "1");
  expect(second.body).toMatchObject({ enabled: false, rounding_mode: "exact", revision: "2" });
  expect((await home.owner.call("GET", PATH)).body).toEqual(second.body);
  expect((await eventsOf(running, home, home.workspaceId)).filter(({ type }) => type.includes("time"))).toEqual([
    {
      type: "workspace.time_tracking_updated",
      activity: null,
      payload: { from: { enabled: true, rounding_mode: "exact" }, to: quarter },
    },
    {
      type: "workspace.time_tracking_updated",
      activity: null,
      payload: { from: quarter, to: { enabled: false, rounding_mode: "exact" } },
    },
  ]);
});

test("a change needs both fields, the revision and a key", async () => {
  const { owner } = await world(running);
  for (const body of [{ enabled: true }, { rounding_mode: "exact" }, {}, { ...quarter, rounding_mode: "ceil_hour" }])
    expect((await change(owner, body, "0")).body.code).toBe("invalid_request");
  expect((await change(owner, quarter)).body.code).toBe("if_match_required");
  const keyless = await owner.call("PATCH", PATH, { body: quarter, ifMatch: "0" });
  expect(keyless.body.code).toBe("idempotency_key_required");
  const stale = await change(owner, quarter, "1");
  expect(stale.body).toMatchObject({ code: "revision_conflict", current_revision: "0" });
  const key = newKey();
  const first = await change(owner, quarter, "0", key);
  const again = await change(owner, quarter, "0", key);
  expect([again.body, again.headers.get("idempotent-replayed")]).toEqual([first.body, "true"]);
});

test("of many who decide first, one does", async () => {
  const { owner } = await world(running);
  const answers = await Promise.all(Array.from({ length: 8 }, () => change(owner, quarter, "0")));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
  expect((await owner.call("GET", PATH)).body.revision).toBe("1");
});

test("everybody reads it, and those who manage time change it", async () => {
  const home = await world(running);
  const admin = await home.member("admin");
  expect((await change(admin, quarter, "0")).status).toBe(200);
  for (const role of ["member", "viewer"] as const) {
    const person = await home.member(role);
    expect((await person.call("GET", PATH)).body).toMatchObject({ ...quarter, capabilities: [] });
    expect((await change(person, quarter, "1")).status).toBe(403);
  }
  const other = await world(running);
  expect((await other.owner.call("GET", PATH)).body).toMatchObject({ revision: "0", rounding_mode: "exact" });
});

test("while it is disabled nothing is recorded; what there is stays to be read, corrected and voided", async () => {
  const home = await world(running);
  const { owner } = home;
  const task = await newTask(owner, (await newProject(home)).id);
  const path = `/tasks/${task.id}/time-entries`;
  const body = { duration: "1h", work_date: "2026-05-04" };
  const { id } = (await owner.call("POST", path, { body, key: newKey() })).body;
  await change(owner, { enabled: false, rounding_mode: "ceil_30_minutes" }, "0");
  const refused = await owner.call("POST", path, { body, key: newKey() });
  expect([refused.status, refused.body.code]).toEqual([409, "time_tracking_disabled"]);
  expect((await owner.call("GET", path)).body.items).toHaveLength(1);
  const corrected = await owner.call("PATCH", `/time-entries/${id}`, {
    body: { duration: "1:01" },
    ifMatch: "1",
    key: newKey(),
  });
  expect(corrected.body, "rounded as it was recorded").toMatchObject({ seconds: 3660, rounding_mode: "exact" });
  expect((await owner.call("DELETE", `/time-entries/${id}`)).status).toBe(204);
  await change(owner, quarter, "1");
  const after = await owner.call("POST", path, { body: { ...body, duration: "61m" }, key: newKey() });
  expect(after.body).toMatchObject({ seconds: 4500, recorded_seconds: 3660, rounding_mode: "ceil_15_minutes" });
});

test("a session that is in no Workspace has neither a policy nor a timesheet", async () => {
  const { owner } = await world(running);
  await running.sql("update credentials set workspace_id = null where user_id = $1", [owner.userId]);
  const range = "from=2026-05-01&to=2026-05-31";
  const answers = [
    await owner.call("GET", PATH),
    await change(owner, quarter, "0"),
    await owner.call("GET", `/timesheets/me?${range}`),
    await owner.call("GET", `/timesheets/me/export?${range}`),
  ];
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
});
