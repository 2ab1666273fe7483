// Tables of Tasks for tests of import and export: a file to import, and what an export holds.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { newProject } from "../../server/test/work.ts";
import { type TestService, world } from "../../server/test/world.ts";
import { type Home, signedIn } from "./program.ts";

/** A person who is signed in, with a Project. */
export async function signedInDesk(running: TestService) {
  const place = await world(running);
  const project = await newProject(place);
  const home = await signedIn(running, place);
  return { place, project, home };
}
/** Writes a table into the home directory, and returns its name. */
export const newTable = (home: Home, text: string, name = "tasks.csv") => {
  writeFileSync(join(home.dir, name), text);
  return name;
};
/** Exports every Task of the Project, and returns the oldest first. */
export async function exportedTasks(home: Home, key: string) {
  const { code, out, err } = await home.svc(["export", "-p", key]);
  expect([code, err]).toEqual([0, ""]);
  return out
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .reverse();
}
