// A board and what is placed on it: everything that they touch is found by an index. Part of explain.slow.test.ts, as
// explain-one.ts is.
import { expect, test } from "vitest";
import { explaining } from "./explained.ts";
import { newTask } from "./work.ts";

const { seen, explain, explainUndone, allFaultsOf } = explaining();

test("a board looks at no more of a column than it counts, and finds every card by an index", async () => {
  const { home, projectId, milestone } = seen.loaded;
  seen.recorded = [];
  const narrowed = ["?due=overdue,week", `?milestone_id=${milestone.id}&text=19`];
  for (const query of ["", "?include=people,labels,parent,counts", ...narrowed]) {
    const answer = await home.owner.call("GET", `/projects/${projectId}/board${query}`);
    expect([answer.status, answer.trips]).toEqual([200, 2]);
  }
  for (const statement of seen.recorded)
    expect(allFaultsOf(await explain(statement, home.workspaceId), statement.sql), statement.sql).toEqual([]);
});

test("a Task is placed beside another one, and room is made for it, by an index", async () => {
  const { home, projectId } = seen.loaded;
  const { owner } = home;
  const [one, two, three] = [1, 2, 3].map(() => newTask(owner, projectId));
  const [a, b, c] = [await one, await two, await three];
  for (const { id } of [a, b])
    await owner.call("PATCH", `/tasks/${id}`, { body: { position: -1e12 }, headers: { "if-match": "*" } });
  const ids = [a.id, b.id].sort();
  seen.recorded = [];
  for (const body of [
    { after_task_id: ids[0] },
    { before_task_id: ids[0] },
    { after_task_id: null },
    { before_task_id: null },
  ])
    expect((await owner.call("PATCH", `/tasks/${c.id}`, { body })).status).toBe(200);
  const statements = new Map(seen.recorded.map((statement) => [statement.sql, statement]));
  expect([...statements.keys()].some((sql) => sql.includes("spread as"))).toBe(true);
  for (const statement of statements.values())
    expect(allFaultsOf(await explainUndone(statement), statement.sql), statement.sql).toEqual([]);
});
