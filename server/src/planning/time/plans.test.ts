// Plans that were made before anybody had recorded time serve until PostgreSQL has looked at the table again: they must
// do for many, too.
import { afterAll, beforeAll, expect, test } from "vitest";
import { fillEntries, MAY } from "../../../test/time.ts";
import { newProject, newTask } from "../../../test/work.ts";
import { service, world } from "../../../test/world.ts";
import { Connection } from "../../platform/database/db.ts";

const running = service({});
const sent: { sql: string; values: unknown[] }[] = [];
const send = Connection.prototype.rows;
beforeAll(() => {
  Connection.prototype.rows = function rows<R>(this: Connection, sql: string, values: unknown[] = []) {
    sent.push({ sql, values });
    return send.call(this, sql, values) as Promise<R[]>;
  };
});
afterAll(() => {
  Connection.prototype.rows = send;
});

test("no report of time reads that of other people or Projects, whenever its plan was made", async () => {
  const home = await world(running);
  const { owner, workspaceId } = home;
  const [project, other] = [await newProject(home), await newProject(home)];
  const task = await newTask(owner, project.id);
  await fillEntries(running, home, await newTask(owner, other.id), await home.member("member"), 500);
  sent.length = 0;
  const paths = [
    ...["totals", "task-breakdown", "contributor-breakdown"].map((of) => `/projects/${project.id}/time-${of}?${MAY}`),
    `/projects/${project.id}/time-task-entries?${MAY}&task_id=${task.id}`,
    ...[`/timesheets/me?${MAY}`, `/timesheets/me/export?${MAY}`],
    ...[`/tasks/${task.id}/time-entries`, `/tasks/${task.id}/time-totals`],
  ];
  for (const path of paths) expect((await owner.call("GET", path)).status).toBe(200);
  const statements = sent.filter(({ sql }) => sql.includes("time_entries"));
  expect(statements).toHaveLength(paths.length);
  const known = { workspace: workspaceId, actor: owner.actorId, role: "owner" };
  await running.database.reader.use(async (tx) => {
    const run = (sql: string, values: unknown[] = []) =>
      send.call(tx, sql, values) as Promise<Record<string, string>[]>;
    for (const [name, value] of Object.entries(known))
      await run("select set_config($1, $2, false)", [`svc.${name}`, value]);
    for (const { sql, values } of statements) {
      const plan = (await run(`explain (analyze, costs off, timing off) ${sql}`, values)).map(
        (line) => line["QUERY PLAN"],
      );
      expect(
        plan.filter((line) => line?.includes("Rows Removed by Filter")),
        plan.join("\n"),
      ).toEqual([]);
    }
  });
});
