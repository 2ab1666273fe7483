// Numbers of Tasks: each once, counting up, without waiting for anybody's commit.
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { newProject, newTask } from "../../../test/work.ts";
import { service, world } from "../../../test/world.ts";
import { type Counter, counterIn, type Numbers, numbers } from "./numbers.ts";

const running = service();

/** Counts in memory, and notes what it was asked for. */
function counter(asked: number[] = []): Counter & { last: bigint } {
  return {
    last: 0n,
    async take(_workspace, _project, count) {
      asked.push(count);
      await turn();
      this.last += BigInt(count);
      return this.last;
    },
    async giveBack(_workspace, _project, count, last) {
      if (this.last === last) this.last -= BigInt(count);
    },
  };
}
const ask = (next: Numbers, count: number) => Promise.all(Array.from({ length: count }, () => next("w", "p")));
const upTo = (last: number, from = 1) => Array.from({ length: last - from + 1 }, (_, at) => BigInt(from + at));

test("who asks while a question is under way shares the next one, in the order of asking", async () => {
  const asked: number[] = [];
  const next = numbers(counter(asked));
  const given = await ask(next, 5);
  expect([given, asked]).toEqual([
    [1n, 2n, 3n, 4n, 5n],
    [1, 4],
  ]);
  expect(await next("w", "p")).toBe(6n);
});

test("a question that fails fails for those who share it, and for nobody after them", async () => {
  let broken = true;
  const next = numbers({
    ...counter(),
    async take() {
      await turn();
      if (broken) throw new Error("away");
      return 7n;
    },
  });
  await expect(next("w", "p")).rejects.toThrow("away");
  broken = false;
  expect(await next("w", "p")).toBe(7n);
});

test("where many ask, some are taken ahead: they follow each other, with few questions", async () => {
  const asked: number[] = [];
  const next = numbers(counter(asked));
  const given: bigint[] = [];
  for (let round = 0; round < 100; round++) given.push(...(await ask(next, 8)));
  expect(given).toEqual(upTo(800));
  expect(asked.length).toBeLessThan(100);
  expect(Math.max(...asked)).toBeLessThanOrEqual(64 + 8);
});

test("what was taken ahead and is not used is given back, unless somebody else has counted on", async () => {
  const place = counter();
  const next = numbers(place);
  expect(await ask(next, 100)).toEqual(upTo(100));
  expect(place.last).toBeGreaterThan(100n);
  await eventually(() => expect(place.last).toBe(100n));
  expect(await ask(next, 50)).toEqual(upTo(150, 101));
  // Another process.
  const taken = await place.take("w", "p", 1);
  await eventually(async () => expect(await next("w", "p")).toBeGreaterThan(taken), 600);
});

test("a counter gives back what nobody has counted on from", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const { take, giveBack } = counterIn(running.database.counter);
  const last = await take(home.workspaceId, project.id, 10);
  await giveBack(home.workspaceId, project.id, 4, last - 1n);
  expect(await take(home.workspaceId, project.id, 1)).toBe(11n);
  await giveBack(home.workspaceId, project.id, 4, 11n);
  expect(await take(home.workspaceId, project.id, 1)).toBe(8n);
  await expect(take(home.workspaceId, home.workspaceId, 1)).rejects.toThrow("without a counter");
});

test("50 Tasks created at once in one Project have 50 numbers that follow each other", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const made = await Promise.all(Array.from({ length: 50 }, () => newTask(home.owner, project.id)));
  const found = made.map(({ number }) => number).sort((a, b) => a - b);
  expect(found).toEqual(Array.from({ length: 50 }, (_, at) => at + 1));
});

test("creating a Task does not wait for another one that is being created in the Project", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const first = await newTask(home.owner, project.id);
  await running.database.writer.use(async (tx) => {
    await tx.begin();
    await tx.rows("select set_config('svc.workspace', $1, true)", [home.workspaceId]);
    const number = await counterIn(running.database.counter).take(home.workspaceId, project.id, 1);
    await tx.rows(
      `insert into tasks (workspace_id, id, project_id, number, title, status_id, position, created_by_actor_id)
       select workspace_id, gen_random_uuid(), project_id, $2, 'Under way', status_id, 0, created_by_actor_id from tasks
       where id = $1`,
      [first.id, String(number)],
    );
    expect((await newTask(home.owner, project.id)).number).toBe(3);
    await tx.rollback();
  });
  // Nobody has the number of what came to nothing.
  expect((await newTask(home.owner, project.id)).number).toBe(4);
});
