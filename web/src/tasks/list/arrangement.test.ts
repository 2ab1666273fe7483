// Groups and their order, for every field that a list is grouped by.
import { expect, test } from "vitest";
import type { Task } from "../../store/rows.ts";
import { arranged, type Grouping, type Order } from "./arrangement.ts";

let made = 0;
const task = (fields: Partial<Task>) =>
  ({ id: `t${++made}`, label_ids: [], position: made, title: "", priority: "none", ...fields }) as Task;
const heads = (tasks: readonly Task[], by: Grouping, groups: readonly string[] = []) =>
  arranged(tasks, by, "position", groups, new Set()).flatMap((row) =>
    row.kind === "group" ? `${row.id} ${row.count}` : [],
  );
const shown = (tasks: readonly Task[], order: Order) =>
  arranged(tasks, "none", order, [], new Set()).map(({ id }) => id);

test("days come in their order, and what has none comes last", () => {
  const tasks = ["2026-03-01", null, "2026-01-15", "2026-03-01"].map((due_date) => task({ due_date }));
  expect(heads(tasks, "due")).toEqual(["2026-01-15 1", "2026-03-01 2", "none 1"]);
  expect(heads([task({ start_date: "2026-02-02" }), task({ start_date: null })], "start")).toEqual([
    "2026-02-02 1",
    "none 1",
  ]);
});

test("named groups come as they are given, without those that are empty, and others behind them", () => {
  const tasks = [task({ milestone_id: null }), task({ milestone_id: "b" }), task({ milestone_id: "a" })];
  expect(heads(tasks, "milestone", ["b", "c", "a"])).toEqual(["b 1", "a 1", "none 1"]);
});

test("a Task with several labels is one line", () => {
  const tasks = [task({ label_ids: ["x", "y"] }), task({ label_ids: ["y"] }), task({ label_ids: [] })];
  expect(heads(tasks, "label", ["y", "x"])).toEqual(["y 1", "x 1", "none 1"]);
});

test("what has no start comes last in the order of starts, and a closed group shows its head alone", () => {
  const [late, none, early] = ["2026-03-01", null, "2026-01-15"].map((start_date) => task({ start_date }));
  const tasks = [late, none, early] as Task[];
  expect(shown(tasks, "start")).toEqual([early?.id, late?.id, none?.id]);
  expect(arranged(tasks, "priority", "position", [], new Set(["none"]))).toEqual([
    { kind: "group", id: "none", count: 3 },
  ]);
});
