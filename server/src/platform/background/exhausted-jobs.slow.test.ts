// Jobs that failed at every attempt: kept, counted, shown, tried again when somebody says so, and forgotten after 90
// days.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { service } from "../../../test/world.ts";
import { createLog } from "../wire/log.ts";
import { type JobParts, startWorker, type Worker } from "./jobs.ts";
import { background } from "./maintenance.ts";

const running = service();
let owner: pg.Client;
let worker: Worker;
let broken = true;
const done: string[] = [];
const cuts = { left: 1 };

beforeAll(async () => {
  owner = new pg.Client(running.databaseUrl);
  await owner.connect();
  const sweeps = background.jobs?.({} as JobParts);
  const jobs = {
    async fragile(payload: unknown) {
      if (broken) throw new Error("the world is not as it should be\nin detail");
      done.push((payload as { name: string }).name);
    },
    async cut() {
      if (cuts.left-- > 0) throw Object.assign(new Error("gone"), { code: "ECONNRESET" });
      done.push("cut");
    },
  };
  worker = await startWorker(running.databaseUrl, { jobs: { ...jobs, ...sweeps } }, createLog("silent"), 100);
});
afterAll(async () => {
  await worker.stop();
  await owner.end();
});

const add = async (task: string, name: string, attempts: number): Promise<string> =>
  (
    await owner.query("select id from graphile_worker.add_job($1, $2, max_attempts => $3)", [
      task,
      JSON.stringify({ name }),
      attempts,
    ])
  ).rows[0].id;
const jobs = async (...args: string[]): Promise<string> => {
  const script = join(import.meta.dirname, "../../../../scripts/jobs.ts");
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [script, ...args], {
    env: { ...process.env, DATABASE_URL: running.databaseUrl },
  }).catch((error) => error);
  return stdout + stderr;
};

test("a job that failed at every attempt is kept, counted and shown with its error, and runs when it is tried again", async () => {
  expect(await worker.exhausted()).toBe(0);
  expect(await jobs()).toBe("No job has failed for good.\n");
  const [first, second] = [await add("fragile", "first", 1), await add("fragile", "second", 1)];
  await eventually(async () => expect(await worker.exhausted()).toBe(2));
  const shown = await jobs();
  for (const id of [first, second])
    expect(shown).toMatch(
      new RegExp(`^${id}  fragile  failed 1 times, last .*Z: the world is not as it should be$`, "m"),
    );
  expect(shown, "a payload is nobody's to read").not.toContain("first");

  expect(await jobs("retry", "soon")).toMatch(/^Say which/);
  expect(await jobs("retry", "999999999")).toMatch(/^No job 999999999 failed for good/);
  broken = false;
  expect(await jobs("retry", first)).toBe("1 to be tried again as soon as the service runs.\n");
  await eventually(() => expect(done).toEqual(["first"]));
  expect(await jobs("retry", first), "it is done").toMatch(/^No job/);
  expect(await jobs("retry", "all")).toMatch(/^1 to be tried again/);
  await eventually(() => expect(done).toEqual(["first", "second"]));
  await eventually(async () => expect(await worker.exhausted()).toBe(0));
});

test("it is forgotten 90 days after its last attempt, and not before; one that waits for its next attempt never", async () => {
  const age = (id: string, age: string, attempts: number) =>
    owner.query(
      `update graphile_worker._private_jobs
        set attempts = $3, run_at = now() + interval '1 day', updated_at = now() - $2::interval where id = $1`,
      [id, age, attempts],
    );
  await owner.query("begin");
  const [young, old, waiting] = [await add("cut", "a", 1), await add("cut", "b", 1), await add("cut", "c", 3)];
  await age(young, "89 days 23 hours", 1);
  await age(old, "90 days 1 hour", 1);
  await age(waiting, "91 days", 2);
  await owner.query("commit");
  await owner.query("select graphile_worker.add_job('sweep_jobs')");
  const left = "select id from graphile_worker._private_jobs where id = any($1) order by id";
  await eventually(async () =>
    expect((await owner.query(left, [[young, old, waiting]])).rows.map(({ id }) => id)).toEqual([young, waiting]),
  );
});

test("a job that was replaced while it ran is not counted as failed, whether its worker dies or it fails, and is swept", async () => {
  const count = await worker.exhausted();
  const keyed = (key: string) =>
    owner.query(
      "select id from graphile_worker.add_job('later', '{}', run_at => now() + interval '1 day', job_key => $1)",
      [key],
    );
  const lock = `update graphile_worker._private_jobs
      set locked_by = 'worker-dead', locked_at = now() - interval '31 seconds', last_error = $2 where id = $1`;
  const replaced: string[] = [];
  for (const [key, error] of [
    ["crashed", null],
    ["crashed after a failure", "the world is not as it should be"],
  ] as const) {
    const { id } = (await keyed(key)).rows[0];
    await owner.query("begin");
    await owner.query(lock, [id, error]);
    const { id: next } = (await keyed(key)).rows[0];
    await owner.query("commit");
    expect(next).not.toBe(id);
    replaced.push(id);
  }
  const unlocked =
    "select from graphile_worker._private_jobs where id = any($1) and locked_at is null and attempts >= max_attempts";
  await eventually(async () => expect((await owner.query(unlocked, [replaced])).rowCount).toBe(2));
  expect(await worker.exhausted()).toBe(count);
  expect(await jobs()).not.toMatch(new RegExp(`^(?:${replaced.join("|")}) `, "m"));
  expect(await jobs("retry", replaced[0] as string)).toMatch(/^No job/);
  await owner.query("select graphile_worker.add_job('sweep_jobs')");
  const left = "select from graphile_worker._private_jobs where id = any($1)";
  await eventually(async () => expect((await owner.query(left, [replaced])).rowCount).toBe(0));
});

test("a job that meets a connection which had died is done on another one, within the same attempt", async () => {
  cuts.left = 1;
  const id = await add("cut", "d", 1);
  await eventually(() => expect(done).toContain("cut"));
  const left = "select from graphile_worker._private_jobs where id = $1";
  await eventually(async () => expect((await owner.query(left, [id])).rowCount).toBe(0));
});
