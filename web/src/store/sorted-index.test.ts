// Whatever is done to the rows, each group is as if it had been sorted anew, and its array stays the same until its ids
// change.
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Index, Sorted } from "./sorted-index.ts";

interface Card {
  id: string;
  column: string | null;
  place: number;
  title: string;
}
const index: Index<Card> = {
  groups: ({ column }) => (column === null ? [] : [column, "all"]),
  compare: (one, other) => one.place - other.place,
};
const card = fc.record({
  id: fc.constantFrom(..."abcdefghij"),
  column: fc.option(fc.constantFrom("todo", "done")),
  place: fc.integer({ min: 0, max: 4 }),
  title: fc.constantFrom("x", "y"),
});
const expected = (rows: Iterable<Card>, column: string) =>
  [...rows]
    .filter((row) => index.groups(row).includes(column))
    .sort((one, other) => one.place - other.place || (one.id < other.id ? -1 : 1))
    .map(({ id }) => id);

test("any sequence of changes leaves every group in order", () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.tuple(card, fc.boolean()), { maxLength: 4 }), { maxLength: 20 }), (steps) => {
      const rows = new Map<string, Card>();
      const sorted = new Sorted(index, []);
      for (const step of steps) {
        const update = new Map<string, Card | undefined>();
        for (const [row, stays] of step) {
          if (stays) rows.set(row.id, row);
          else rows.delete(row.id);
          update.set(row.id, rows.get(row.id));
        }
        sorted.update(update);
        for (const column of ["todo", "done", "all"])
          expect(sorted.group(column).ids).toEqual(expected(rows.values(), column));
      }
    }),
  );
});

test("many rows at once are sorted anew, and those of other groups stay", () => {
  const sorted = new Sorted<Card>(index, [{ id: "first", column: "done", place: 1, title: "x" }]);
  const done = sorted.group("done");
  const rows = Array.from({ length: 1000 }, (_, at) => ({
    id: `c${at}`,
    column: "todo",
    place: (at * 7919) % 1000,
    title: "x",
  }));
  sorted.update(new Map(rows.map((row) => [row.id, row])));
  expect(sorted.group("todo").ids).toEqual(expected(rows, "todo"));
  expect(sorted.group("done")).toBe(done);
  expect(sorted.group("all").ids).toHaveLength(1001);
});

test("a row that changes where it stands gives its group another identity and the same ids", () => {
  const sorted = new Sorted<Card>(index, [
    { id: "a", column: "todo", place: 1, title: "x" },
    { id: "b", column: "done", place: 1, title: "x" },
  ]);
  const [todo, done] = [sorted.group("todo"), sorted.group("done")];
  sorted.update(new Map([["a", { id: "a", column: "todo", place: 1, title: "y" }]]));
  expect(sorted.group("todo")).not.toBe(todo);
  expect(sorted.group("todo").ids).toBe(todo.ids);
  expect(sorted.group("done")).toBe(done);
});
