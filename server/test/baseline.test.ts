// Reads that say where in the journal they stand: exactly those that are named, in one snapshot, for browser sessions,
// and at no cost for whoever does not ask.
import { type AnyOperation, isUnsafe } from "@svc/contract/kit.ts";
import { operations } from "@svc/contract/operations.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { changesBetween, type JournalPosition, openPlace } from "../src/platform/database/journal.ts";
import { cursorSigner } from "../src/platform/wire/cursor.ts";
import { NIL, newId, sha256 } from "../src/platform/wire/ids.ts";
import { fixtures } from "./fixtures.ts";
import { attempt, credentialOf, ready, type Stage, stageOn } from "./stage.ts";
import { newProject, newTask } from "./work.ts";
import { asTenant, type Person, service, testKeys, world } from "./world.ts";

const running = service({});
let stage: Stage;
beforeAll(async () => {
  stage = await stageOn(running, [...operations.values()], fixtures);
});
afterAll(() => stage?.admin.end());

const NAME = "x-svc-realtime-baseline";
const ASKED = { headers: { [NAME]: "1" } };
const CURSOR = "x-svc-realtime-cursor";
const POSITION = "x-svc-realtime-position";
const cursors = cursorSigner(testKeys);

/** All reads of time, as the specification says; and what a client that draws pages needs. */
const NAMED = [
  ...["getTimeTracking", "listTaskTimeEntries", "getTaskTimeTotals", "getProjectTimeTotals", "listProjectTimeByTask"],
  ...["listProjectTimeTaskEntries", "listProjectTimeByContributor", "listTimesheet", "getTimesheetExport"],
  ...[
    "listProjects",
    "listProjectTasks",
    "listWorkspaceTasks",
    "getDiscussAvailability",
    "listSpecialistRuns",
    "getSpecialistRun",
    "getProjectBoard",
    "listMyWork",
  ],
  ...["getTask", "getTaskByCode", "listTaskComments", "listInbox"],
];
const accepting = [...operations.values()].filter(({ baseline }) => baseline === true);

test("these reads take the header, and no others", () => {
  expect(accepting.map(({ id }) => id).sort()).toEqual(NAMED.toSorted());
  const ofTime = [...operations.values()].filter(({ path }) => /\/(?:time-|timesheets)/.test(path));
  const reads = ofTime.filter((operation) => !isUnsafe(operation)).map(({ id }) => id);
  expect(reads.filter((id) => !NAMED.includes(id))).toEqual([]);
  // 304 would be an answer without a place.
  expect(accepting.filter(({ unchanging, auth }) => unchanging || !auth.includes("S"))).toEqual([]);
});

async function sessionOf({ session }: Person): Promise<string> {
  const rows = await running.sql<{ id: string }>("select id from credentials where secret_hash = $1", [
    sha256(session),
  ]);
  return rows[0]?.id as string;
}
async function placeIn(cursor: string | null, person: Person, workspaceId: string): Promise<JournalPosition | null> {
  const { userId } = person;
  const holderId = await sessionOf(person);
  return openPlace(cursors, { workspaceId, userId, holderId, scope: "workspace", resourceId: null }, cursor ?? "");
}

describe("of every one of them", () => {
  for (const operation of accepting)
    test(operation.id, async () => {
      const call = await ready(stage, operation);
      const plain = await attempt(stage, operation, call);
      expect(plain.status, plain.text).toBe(200);
      expect([plain.headers.get(CURSOR), plain.headers.get(POSITION)], "nobody asked").toEqual([null, null]);

      const answer = await attempt(stage, operation, call, ASKED);
      expect([answer.status, answer.text], "the same answer").toEqual([200, plain.text]);
      expect(answer.trips, "as many round-trips").toBe(plain.trips);
      expect(answer.headers.get(POSITION)).toMatch(/^\d{1,20}$/);
      expect(answer.headers.get(CURSOR)?.length).toBeLessThanOrEqual(4096);
      const place = await placeIn(answer.headers.get(CURSOR), call.person, stage.home.workspaceId);
      expect(place?.position).toBe(answer.headers.get(POSITION));

      for (const value of ["0", "true", "", "1, 1", "11"]) {
        const refused = await attempt(stage, operation, call, { headers: { [NAME]: value } });
        expect([value, refused.status, refused.body.errors[0].pointer]).toEqual([value, 400, `/headers/${NAME}`]);
        expect([refused.headers.get(CURSOR), refused.headers.get(POSITION)]).toEqual([null, null]);
      }
      await refusesTokens(operation);
      await refusesStrangers(operation);
    });

  async function refusesTokens(operation: AnyOperation) {
    const call = await ready(stage, operation);
    for (const letter of operation.auth.filter((each) => each !== "S")) {
      const as = {
        ...(await credentialOf(stage, call.person, letter)),
        ...(letter === "M" ? { "x-svc-workspace-id": stage.home.workspaceId } : {}),
      };
      expect((await attempt(stage, operation, call, { as })).status, letter).toBe(200);
      const refused = await attempt(stage, operation, call, { as, ...ASKED });
      expect([letter, refused.status, refused.body.errors?.[0].pointer]).toEqual([letter, 400, `/headers/${NAME}`]);
      expect(refused.headers.get(CURSOR)).toBeNull();
    }
  }
  async function refusesStrangers(operation: AnyOperation) {
    const call = await ready(stage, operation);
    const nobody = await attempt(stage, operation, call, { as: {}, ...ASKED });
    expect([nobody.status, nobody.headers.get(CURSOR), nobody.headers.get(POSITION)]).toEqual([401, null, null]);
    const [parameter] = operation.params;
    if (!parameter) return;
    const ids = { ...call.ids, [parameter]: newId() };
    const missing = await attempt(stage, operation, call, { ids, ...ASKED });
    expect([missing.status, missing.headers.get(CURSOR), missing.headers.get(POSITION)]).toEqual([404, null, null]);
  }
});

test("a read that takes no header ignores it", async () => {
  const { owner, workspaceId } = await world(running);
  const answer = await owner.call("GET", `/workspaces/${workspaceId}/members`, ASKED);
  expect([answer.status, answer.headers.get(CURSOR)]).toEqual([200, null]);
});

/** The Tasks that changed from there on. */
const toldFrom = ({ position }: JournalPosition, workspaceId: string) =>
  asTenant(running, workspaceId, async (tx) => {
    const { end } = await tx.one<{ end: string }>("select (pg_snapshot_xmax(pg_current_snapshot())::text) as end");
    return (await changesBetween(tx, { tx: position, id: NIL }, end, 10_000)).map(({ task_id }) => task_id);
  });

test("what others write meanwhile is in the answer or told from its cursor", async () => {
  const home = await world(running);
  const { owner, workspaceId } = home;
  const project = await newProject(home);
  const made: string[] = [];
  let writing = true;
  const writers = [1, 2, 3].map(async () => {
    while (writing) made.push((await newTask(owner, project.id)).id);
  });
  const reads: { place: JournalPosition; shown: string[] }[] = [];
  for (let count = 0; count < 30; count++) {
    const answer = await owner.call("GET", `/projects/${project.id}/tasks?limit=100`, ASKED);
    const place = (await placeIn(answer.headers.get(CURSOR), owner, workspaceId)) as JournalPosition;
    if (!answer.body.has_more) reads.push({ place, shown: answer.body.items.map(({ id }: { id: string }) => id) });
  }
  writing = false;
  await Promise.all(writers);
  expect(reads.length).toBeGreaterThan(2);
  for (const { place, shown } of reads) {
    const told = await toldFrom(place, workspaceId);
    expect(made.filter((id) => !shown.includes(id) && !told.includes(id))).toEqual([]);
  }
});

test("what is not committed when it is read is told from its cursor, whenever it began", async () => {
  const home = await world(running);
  const { owner, workspaceId } = home;
  const project = await newProject(home);
  const task = await newTask(owner, project.id);
  await stage.admin.query("begin");
  await stage.admin.query(
    `insert into domain_events (workspace_id, id, type, command_id, project_id, task_id, resource_kind, resource_id)
     values ($1, $2, 'task.updated', $2, $3, $4, 'task', $4)`,
    [workspaceId, newId(), project.id, task.id],
  );
  await newTask(owner, project.id);
  const answer = await owner.call("GET", `/tasks/${task.id}`, ASKED);
  const place = (await placeIn(answer.headers.get(CURSOR), owner, workspaceId)) as JournalPosition;
  await stage.admin.query("commit");
  expect(await toldFrom(place, workspaceId)).toContain(task.id);
});
