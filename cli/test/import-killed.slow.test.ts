// An import that is killed again and again makes each Task once, with its journal and without it.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { service } from "../../server/test/world.ts";
import { ended, signedIn } from "./program.ts";
import { exportedTasks, newTable, signedInDesk } from "./tables.ts";

const running = service();

test("goes on after a kill at any of ten points, and after its notes are lost: each row is there once", async () => {
  const { home, project, place } = await signedInDesk(running);
  const titles = Array.from({ length: 80 }, (_, at) => `Part ${at}`);
  const args = ["import", newTable(home, ["Title", ...titles].join("\n")), "-p", project.key];
  const notes = join(home.config, "imports");
  const noted = () =>
    existsSync(notes)
      ? readdirSync(notes).reduce((sum, name) => sum + readFileSync(join(notes, name), "utf8").split("\n").length, 0)
      : 0;
  let kills = 0;
  for (let point = 0; point < 10; point++) {
    // Between two notes a row is on its way; which of the two is the last differs from point to point.
    const until = noted() + 2 + point;
    const child = await home.start(args);
    const end = ended(child);
    // Wait: a pause between two looks.
    while (noted() < until && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 1));
    child.kill("SIGKILL");
    if ((await end).code === null) kills++;
  }
  expect(kills).toBe(10);
  expect((await home.svc(args)).code).toBe(0);
  expect((await exportedTasks(home, project.key)).map(({ title }) => title)).toEqual(titles);
  // Without its notes the keys alone hold.
  const other = await signedIn(running, place);
  newTable(other, ["Title", ...titles].join("\n"));
  expect((await other.json(args)).imported).toBe(80);
  expect((await exportedTasks(home, project.key)).length).toBe(80);
});
