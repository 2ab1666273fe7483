// Numbers of Tasks: each once, counting up, without waiting for anybody's commit.
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { newProject, newTask } from "../../test/work.ts";
import { service, world } from "../../test/world.ts";
import { numbers, takeFrom } from "./numbers.ts";

const running = service();

test("who asks while a question is under way shares the next one, in the order of asking", async () => {
  const asked: number[] = [];
  let last = 0n;
  const next = numbers(async (_workspace, _project, count) => {
    asked.push(count);
    await turn();
    last += BigInt(count);
    return last;
  });
  const given = await Promise.all(Array.from({ length: 5 }, () => next("w", "p")));
  expect([given, asked]).toEqual([
    [1n, 2n, 3n, 4n, 5n],
    [1, 4],
  ]);
  expect(await next("w", "p")).toBe(6n);
});

test("a question that fails fails for those who share it, and for nobody after them", async () => {
  let broken = true;
  const next = numbers(async () => {
    await turn();
    if (broken) throw new Error("away");
    return 7n;
  });
  await expect(next("w", "p")).rejects.toThrow("away");
  broken = false;
  expect(await next("w", "p")).toBe(7n);
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
    const number = await takeFrom(running.database.counter)(home.workspaceId, project.id, 1);
    await tx.rows(
      `insert into tasks (workspace_id, id, project_id, number, title, status_id, position, created_by_actor_id)
       select workspace_id, gen_random_uuid(), project_id, $2, 'Under way', status_id, 0, created_by_actor_id from tasks where id = $1`,
      [first.id, String(number)],
    );
    expect((await newTask(home.owner, project.id)).number).toBe(3);
    await tx.rollback();
  });
  // Nobody has the number of what came to nothing.
  expect((await newTask(home.owner, project.id)).number).toBe(4);
});
