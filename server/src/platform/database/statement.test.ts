// How long a connection keeps a plan, and that what was planned for small tables does not outlive their growth.
import { afterEach, beforeEach, expect, test } from "vitest";
import { newProject, newTask } from "../../../test/work.ts";
import { service, world } from "../../../test/world.ts";
import { Names, planLife, statementOf } from "./statement.ts";

const running = service({});
const LONGEST_MS = 512_000;
const original = { ...planLife };
beforeEach(() => {
  planLife.firstMs = 1_000;
});
afterEach(() => {
  Object.assign(planLife, original);
});

test("a statement is planned anew after one second, then after two, then four, and after nine minutes at the latest", () => {
  let now = 0;
  const names = new Names(() => now);
  const statement = statementOf("select 1");
  const planned: number[] = [];
  for (; now < 3_600_000; now += 500) if (names.of(statement).parse) planned.push(now / 1000);
  expect(planned).toEqual([0, 1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 1535, 2047, 2559, 3071, 3583]);
});

test("the name that a plan had is given up with it, and a statement that failed gets a new one", () => {
  let now = 0;
  const names = new Names(() => now);
  const statement = statementOf("select 2");
  expect(names.of(statement)).toEqual({ name: "s0", parse: true, outlived: undefined });
  expect(names.of(statement)).toEqual({ name: "s0", parse: false });
  now = 1_000;
  expect(names.of(statement)).toEqual({ name: "s1", parse: true, outlived: "s0" });
  names.forget(statement);
  expect(names.of(statement)).toEqual({ name: "s2", parse: true, outlived: undefined });
});

test("a connection that knows as many statements as it may lets go of the one that it has known longest", () => {
  const names = new Names(() => 0, 2);
  const [one, two, three] = ["select 'one'", "select 'two'", "select 'three'"].map(statementOf);
  if (!one || !two || !three) throw new Error("no statements");
  expect([names.of(one).name, names.of(two).name]).toEqual(["s0", "s1"]);
  expect(names.of(three)).toEqual({ name: "s2", parse: true, outlived: "s0" });
  expect(names.of(two)).toEqual({ name: "s1", parse: false });
  expect(names.of(one)).toEqual({ name: "s3", parse: true, outlived: "s1" });
});

test("a connection holds each of its statements once, however often they were planned", async () => {
  let now = performance.now();
  planLife.now = () => now;
  await running.database.writer.use(async (tx) => {
    const counted = `select count(*)::int as n from pg_prepared_statements where statement like '%once, however%'`;
    for (let turn = 0; turn < 3; turn++) {
      expect(await tx.one<{ n: number }>(counted)).toEqual({ n: 1 });
      now += LONGEST_MS;
    }
  });
});

test("a timesheet is exported although its plan was made while there was one Task and there are 1,200 now", async () => {
  const home = await world(running);
  const { owner, workspaceId } = home;
  const { id } = await newTask(owner, (await newProject(home)).id);
  const record = (most: number) =>
    running.sql(
      `insert into time_entries (workspace_id, id, task_id, project_id, actor_id, rounding_mode, work_date,
       recorded_seconds, seconds)
       select workspace_id, gen_random_uuid(), id, project_id, created_by_actor_id, 'exact',
         '2026-01-01'::date + (number % 300)::int, 60, 60
       from tasks limit $1`,
      [most],
      workspaceId,
    );
  const exported = () => owner.call("GET", "/timesheets/me/export?from=2026-01-01&to=2026-12-31");
  await record(1);
  let now = performance.now();
  planLife.now = () => now;
  // On every connection of the pool.
  for (const { status } of await Promise.all(Array.from({ length: 40 }, exported))) expect(status).toBe(200);
  await running.sql(
    `insert into tasks (workspace_id, id, project_id, number, title, status_id, position, created_by_actor_id)
     select workspace_id, gen_random_uuid(), project_id, number + n, 'Task ' || n, status_id, position + n,
       created_by_actor_id
     from tasks, generate_series(1, 1200) n where id = $1`,
    [id],
    workspaceId,
  );
  await record(790);
  now += LONGEST_MS;
  const { status, text } = await exported();
  expect(status, text).toBe(200);
  expect(text.split("\r\n").filter((line) => line.startsWith("2026-")).length).toBe(791);
});
