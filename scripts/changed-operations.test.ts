// The operations on which the rules of the contract run for a change, on a small planted tree.
import { expect, test } from "vitest";
import { operationsOfChange, weightOf } from "./changed-operations.ts";

const files = Object.entries({
  "contract/src/planning/tasks/lists.ts":
    'export const listTasks = list("GET /tasks", {});\nexport const getTask = op("GET /task", {});',
  "contract/src/planning/tasks/trash.ts": 'export const trashTask = op("POST /tasks/{task_id}/trash", {});',
  "contract/src/planning/labels/labels.ts": 'export const getLabel = op("GET /labels/{label_id}", {});',
  "server/test/fixtures/labels.ts": "export const fixtures: Record<string, Fixture> = {\n  getLabel: {},\n};",
}).map(([path, text]) => ({ path, text }));
const selected = (...changed: string[]) => operationsOfChange(changed, files, () => ["server/src/planning/labels"]);
const OF_TASKS = ["getTask", "listTasks", "trashTask"];

test.each([
  ["a declaration", "contract/src/planning/tasks/trash.ts", { touched: ["trashTask"], near: OF_TASKS, isWide: false }],
  [
    "a handler",
    "server/src/planning/tasks/lists.ts",
    { touched: ["getTask", "listTasks"], near: OF_TASKS, isWide: false },
  ],
  ["the SQL of a domain", "server/src/planning/tasks/store.ts", { touched: [], near: OF_TASKS, isWide: false }],
  ["the tables of a migration", "server/migrations/0001.sql", { touched: [], near: ["getLabel"], isWide: false }],
  ["fixtures", "server/test/fixtures/labels.ts", { touched: [], near: ["getLabel"], isWide: false }],
  ["the platform", "server/src/platform/wire/ids.ts", { touched: [], near: [], isWide: true }],
  ["what the contract shares", "contract/src/kit.ts", { touched: [], near: [], isWide: true }],
  ["the test kit", "server/test/world.ts", { touched: [], near: [], isWide: true }],
  ["a rule itself", "server/test/checks/access.ts", null],
  ["a test", "server/src/planning/tasks/lists.test.ts", undefined],
  ["a page", "web/src/board.tsx", undefined],
])("operations are selected by %s", (_by, changed, expected) => expect(selected(changed)).toEqual(expected));

test("a wide change and many operations weigh more than a few, and at most everything", () => {
  const weight = (touched: number, isWide = false) =>
    weightOf({ touched: Array.from({ length: touched }, String), near: [], isWide });
  expect([weight(0), weightOf(null)]).toEqual([0, 1]);
  expect(weight(1)).toBeLessThan(weight(10));
  expect(weight(10)).toBeLessThan(weight(10, true));
  expect(weight(1000)).toBe(1);
});
