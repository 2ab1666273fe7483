// Undoing and redoing beside 20,000 rows and more of everything. Part of explain.slow.test.ts, because loading them
// takes longer than asking.
import { expect, test } from "vitest";
import { commandOf, redo, undo } from "./commands.ts";
import { explaining } from "./explained.ts";
import { newStep, statuses } from "./steps.ts";
import { newProject } from "./work.ts";

const { seen, explainUndone, allFaultsOf } = explaining();

test("undoing and redoing what was done to Projects, labels and the workflow finds everything by an index", async () => {
  const { home, reader, projectId } = seen.loaded;
  const { owner } = home;
  const path = `/projects/${projectId}`;
  const any = { headers: { "if-match": "*" } };
  const [, own] = [
    await newStep(home, statuses, {}, `${path}/statuses`),
    await newStep(home, statuses, {}, `${path}/statuses`),
  ];
  const [doomed, other] = [await newProject(home), await newProject(home)];
  const label = (await owner.call("POST", `/projects/${other.id}/label-definitions`, { body: { name: "Undone" } }))
    .body;
  const done = [
    await owner.call("PATCH", path, { body: { color: "red" }, ...any }),
    await owner.call("POST", `${path}/move`, { body: { after_id: other.id } }),
    await owner.call("POST", `${path}/members`, { body: { actor_id: reader.actorId, role: "lead" } }),
    await owner.call("POST", `/statuses/${own.id}/move`, { body: { after_id: null } }),
    await owner.call("DELETE", `/statuses/${own.id}`),
    await owner.call("DELETE", `/label-definitions/${label.id}`),
    await owner.call("DELETE", `/projects/${doomed.id}`),
  ];
  expect(done.map(({ status }) => status)).toEqual([200, 200, 201, 200, 204, 204, 204]);
  const ids = done.map(commandOf);
  seen.recorded = [];
  for (const id of ids.toReversed()) expect((await undo(owner, id)).status).toBe(200);
  for (const id of ids) expect((await redo(owner, id)).status).toBe(200);
  for (const statement of new Map(seen.recorded.map((each) => [each.sql, each])).values())
    expect(allFaultsOf(await explainUndone(statement), statement.sql), statement.sql).toEqual([]);
});
