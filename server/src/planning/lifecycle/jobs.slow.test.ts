// A lifecycle migration whose worker process is killed: whole pages remain, and the next worker continues.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { migration } from "../../../test/lifecycle.ts";
import { migrationJobs, movedOnce } from "../../../test/migration-jobs.ts";
import { service } from "../../../test/world.ts";

const running = service();
const { started, found, plant } = migrationJobs(running);

test("a worker that is killed in the middle of a page leaves whole pages, and the next one goes on", async () => {
  const job = await started(1_300);
  // Wait: so that the worker is killed before it has moved the last one.
  const remove = await plant("perform pg_sleep(0.001);");
  const fresh = (): ChildProcess => {
    const env = { ...process.env, DATABASE_URL: running.databaseUrl };
    const child = fork(new URL("../../../test/lifecycle-worker.ts", import.meta.url), { env });
    onTestFinished(() => void child.kill("SIGKILL"));
    return child;
  };
  const worker = fresh();
  const moved = async () => (await migration(job.home, job.id)).progress.moved as number;
  await eventually(async () => expect(await moved()).toBeGreaterThan(200), 5);
  worker.kill("SIGKILL");
  await once(worker, "exit");
  // As if the time had passed after which a silent worker counts as dead.
  await running.asOwner(
    "update graphile_worker._private_jobs set locked_at = now() - interval '31 seconds' where locked_at is not null",
  );
  const left = (await found(job)) as { moved: number; events: number };
  expect(left).toMatchObject({ moved: await moved(), events: left.moved });
  expect([left.moved % 100, left.moved < 1_300]).toEqual([0, true]);
  await remove();
  const last = fresh();
  await eventually(async () => expect((await migration(job.home, job.id)).state).toBe("completed"));
  last.kill("SIGKILL");
  await once(last, "exit");
  expect(await found(job)).toEqual(movedOnce(1_300));
  expect((await migration(job.home, job.id)).progress).toEqual({ total: 1_300, moved: 1_300, percent: 100 });
});
