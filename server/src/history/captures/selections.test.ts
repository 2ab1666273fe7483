// Selections: exactly the Tasks that were chosen out of one version of a result set. What becomes of them later is told
// as for a result set (result-sets.test.ts).
import { expect, test } from "vitest";
import { any } from "../../../test/documents.ts";
import { hydrate, keep, type NativeAnswer, read, send } from "../../../test/native-work.ts";
import { newTask, refusalOf, workshopOn } from "../../../test/work.ts";
import { service } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();
const [SETS, SELECTIONS] = ["task-result-sets", "task-selections"] as const;

test("a selection is exactly these Tasks of one version, in the order chosen, for good", async () => {
  const { home, owner, project } = await workshopOn(running);
  const [a, b, c] = [
    await newTask(owner, project.id, { title: "Gear 0" }),
    await newTask(owner, project.id, { title: "Gear 1" }),
    await newTask(owner, project.id, { title: "Gear 2" }),
  ];
  const set = await keep(owner, home, SETS, { query: { project_id: project.id } });
  await owner.call("PATCH", `/tasks/${a.id}`, { body: { title: "Other" }, ...any });
  const chosen = { result_set_id: set.id, version: 1, task_ids: [c.id, a.id.toUpperCase()] };
  const made = await keep(owner, home, SELECTIONS, chosen);
  expect(made).toMatchObject({ result_set_id: set.id, version: 1, count: 2 });
  expect(made.tasks).toEqual([
    { id: c.id, revision: "1" },
    { id: a.id, revision: "1" },
  ]);
  await keep(owner, home, SETS, { result_set_id: set.id, version: 1 });
  const again = await read(owner, home, `${SELECTIONS}/${made.id}`);
  expect([again.body, again.trips]).toEqual([made, 1]);
  const shown = await hydrate(owner, home, SELECTIONS, made.id, "offset=0");
  expect(shown).toMatchObject({ selection_id: made.id, count: 2, next_offset: null });
  expect(shown.items.map(({ state, task }: NativeAnswer) => [state, task.title])).toEqual([
    ["current", "Gear 2"],
    ["changed", "Other"],
  ]);
  expect((await hydrate(owner, home, SELECTIONS, made.id, "offset=1")).items).toHaveLength(1);
  const late = await newTask(owner, project.id);
  for (const [body, ...told] of [
    [{ ...chosen, task_ids: [b.id, late.id, newId()] }, 404, "not_found", "/body/task_ids/1", "/body/task_ids/2"],
    [{ ...chosen, version: 3 }, 404, "not_found", "/body/result_set_id"],
    [{ ...chosen, result_set_id: newId() }, 404, "not_found", "/body/result_set_id"],
    [{ ...chosen, task_ids: [] }, 400, "invalid_request", "/body/task_ids"],
    [{ ...chosen, task_ids: [a.id, a.id] }, 400, "invalid_request", "/body/task_ids"],
  ] as const)
    expect(refusalOf(await send(owner, home, SELECTIONS, body)), JSON.stringify(body)).toEqual(told);
});
