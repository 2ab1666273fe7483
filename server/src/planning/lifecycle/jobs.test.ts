// The worker that moves what is too much for one request: page by page, over failures, nothing twice and nothing lost.
import { expect, test } from "vitest";
import { migration, migrationPath } from "../../../test/lifecycle.ts";
import { migrationJobs, movedOnce, SIZE } from "../../../test/migration-jobs.ts";
import { newTask } from "../../../test/work.ts";
import { service } from "../../../test/world.ts";

const running = service();
const { started, work, found, queued, plant } = migrationJobs(running);

test("everything is moved, page by page, and the job tells how far it is", async () => {
  const job = await started();
  expect(await queued(job)).toBe(1);
  const seen: number[] = [];
  const ending = new AbortController();
  ending.abort();
  for (let turn = 0; turn < 3; turn++) {
    await work(job, { pageSize: 350 }, ending.signal);
    const { state, progress } = await migration(job.home, job.id);
    expect(progress).toMatchObject({ total: SIZE, moved: 350 * (turn + 1) });
    expect(state).toBe(turn < 2 ? "processing" : "completed");
    seen.push(progress.percent);
  }
  expect(seen).toEqual([33, 66, 100]);
  expect(await found(job)).toEqual(movedOnce());
  const done = await migration(job.home, job.id);
  expect([done.error_code, typeof done.finished_at]).toEqual([null, "string"]);
  await work(job);
  expect(await migration(job.home, job.id)).toEqual(done);
});

test("a worker that is told to stop, or whose turn is over, leaves the rest to another one", async () => {
  const job = await started();
  await work(job, { pageSize: 500, turnMs: 0 });
  expect((await migration(job.home, job.id)).progress.moved).toBe(500);
  expect(await queued(job)).toBe(2);
  await work(job);
  expect(await found(job)).toEqual(movedOnce());
});

test("what enters a source meanwhile is moved too", async () => {
  const job = await started();
  await work(job, { pageSize: 500, turnMs: 0 });
  const late = await newTask(job.home.owner, job.projectId, { status_id: job.source });
  await work(job);
  expect((await migration(job.home, job.id)).progress).toEqual({ total: SIZE + 1, moved: SIZE + 1, percent: 100 });
  expect((await job.home.owner.call("GET", `/tasks/${late.id}`)).body.status_id).toBe(job.destination);
  expect(await found(job)).toEqual(movedOnce(SIZE + 1));
});

test("two workers on one job move nothing twice", async () => {
  const job = await started();
  await Promise.all([1, 2, 3].map(() => work(job, { pageSize: 50 })));
  expect(await found(job)).toEqual(movedOnce());
  expect((await migration(job.home, job.id)).progress).toMatchObject({ total: SIZE, moved: SIZE });
});

test("people who change Tasks meanwhile lose nothing, and nobody's change is undone", async () => {
  const job = await started();
  const rows = await running.sql<{ id: string }>("select id from tasks order by id limit 40", [], job.home.workspaceId);
  const changes = rows.map(async ({ id }, index) => {
    const body = index % 2 ? { status_id: job.tasks.ids.Cancelled } : { title: "Changed" };
    const headers = { "if-match": "*" };
    return (await job.home.owner.call("PATCH", `/tasks/${id}`, { body, headers })).status;
  });
  await Promise.all([work(job, { pageSize: 25 }), ...changes]);
  expect(new Set(await Promise.all(changes))).toEqual(new Set([200]));
  const [left] = await running.sql<{ n: number; titles: number }>(
    `select count(*) filter (where status_id = $1)::int as n, count(*) filter (where title = 'Changed')::int as titles
      from tasks`,
    [job.source],
    job.home.workspaceId,
  );
  expect(left).toEqual({ n: 0, titles: 20 });
  const { state, progress } = await migration(job.home, job.id);
  expect([state, progress.percent]).toEqual(["completed", 100]);
});

test("a page that fails is tried again, and after the last attempt the job has failed with a safe code; a retry keeps what was moved", async () => {
  const job = await started();
  const [last] = await running.sql<{ id: string }>(
    "select id from tasks order by id desc limit 1",
    [],
    job.home.workspaceId,
  );
  const remove = await plant(`if old.id = '${last?.id}' then raise exception 'planted'; end if;`);
  const pace = { pageSize: 350, mostAttempts: 3 };
  for (let attempt = 1; attempt < 3; attempt++) {
    await expect(work(job, pace)).rejects.toThrow("planted");
    const { state, error_code, progress, finished_at } = await migration(job.home, job.id);
    expect([state, error_code, progress.moved, finished_at]).toEqual(["retry", "internal", 700, null]);
  }
  await work(job, pace);
  const failed = await migration(job.home, job.id);
  expect([failed.state, failed.error_code, failed.progress.percent]).toEqual(["failed", "internal", 66]);
  expect(failed.finished_at).not.toBeNull();
  expect(JSON.stringify(failed)).not.toContain("planted");
  await work(job, pace);
  expect((await migration(job.home, job.id)).state).toBe("failed");
  await remove();
  const retried = await job.home.owner.call("POST", `${migrationPath(job.home, job.id)}/retry`);
  expect([retried.status, retried.body.state, retried.body.progress.moved]).toEqual([202, "pending", 700]);
  await work(job, pace);
  expect((await migration(job.home, job.id)).state).toBe("completed");
  expect(await found(job)).toEqual(movedOnce());
  const events = await running.sql<{ type: string }>(
    "select type from domain_events where resource_id = $1 order by occurred_at, id",
    [job.id],
    job.home.workspaceId,
  );
  expect(events.map(({ type }) => type.replace("lifecycle_migration.", ""))).toEqual([
    "started",
    "failed",
    "started",
    "completed",
  ]);
});

test("a page that was moved ends a row of failures", async () => {
  const job = await started();
  const pace = { pageSize: 350, mostAttempts: 2, turnMs: 0 };
  for (let turn = 0; turn < 2; turn++) {
    const remove = await plant("raise exception 'planted';");
    await expect(work(job, pace)).rejects.toThrow("planted");
    await remove();
    await work(job, pace);
    expect(await migration(job.home, job.id)).toMatchObject({ state: "processing", error_code: null });
  }
});

test("a destination that is archived meanwhile ends the job at once, and it cannot be retried while that is so", async () => {
  const job = await started();
  await work(job, { pageSize: 500, turnMs: 0 });
  const archive = "update statuses set archived_at = $2 where id = $1";
  await running.sql(archive, [job.destination, new Date()], job.home.workspaceId);
  await work(job);
  const failed = await migration(job.home, job.id);
  expect([failed.state, failed.error_code, failed.progress.moved]).toEqual(["failed", "destination_unavailable", 500]);
  const path = `${migrationPath(job.home, job.id)}/retry`;
  const refused = await job.home.owner.call("POST", path);
  expect([refused.status, refused.body.code]).toEqual([409, "lifecycle_preview_stale"]);
  await running.sql(archive, [job.destination, null], job.home.workspaceId);
  expect((await job.home.owner.call("POST", path)).status).toBe(202);
  await work(job);
  expect(await found(job)).toEqual(movedOnce());
});
