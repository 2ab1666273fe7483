// How dates are moved and stretched: never past each other, and what a Task does not have it does not get by moving.
import { expect, test } from "vitest";
import { changed, moved, plusMonths, rangeOf, spanOf, stretched, weeksOf } from "./days.ts";

const both = { start_date: "2026-03-02", due_date: "2026-03-04" };
const due = { start_date: null, due_date: "2026-03-04" };

test("a Task stands from its start to its due date, or on the one date that it has", () => {
  expect(spanOf(both)).toEqual(["2026-03-02", "2026-03-04"]);
  expect(spanOf(due)).toEqual(["2026-03-04", "2026-03-04"]);
  expect(spanOf({ start_date: null, due_date: null })).toBeNull();
});

test("moving keeps its length, over the end of a month and a change of the clock", () => {
  expect(moved(both, 30)).toEqual({ start_date: "2026-04-01", due_date: "2026-04-03" });
  expect(moved(due, -4)).toEqual({ start_date: null, due_date: "2026-02-28" });
});

test("stretching moves one end, and stops at the other", () => {
  expect(stretched(both, "due", 3)).toEqual({ ...both, due_date: "2026-03-07" });
  expect(stretched(both, "due", -9)).toEqual({ ...both, due_date: "2026-03-02" });
  expect(stretched(both, "start", 9)).toEqual({ ...both, start_date: "2026-03-04" });
  expect(stretched(due, "start", -2)).toEqual(both);
  expect(changed(both, stretched(both, "due", 3))).toEqual({ due_date: "2026-03-07" });
});

test("a month has the weeks that it touches, from the day on which weeks begin", () => {
  const weeks = weeksOf("2026-03", 1);
  expect([weeks.length, weeks[0]?.[0], weeks.at(-1)?.at(-1)]).toEqual([6, "2026-02-23", "2026-04-05"]);
  expect(weeksOf("2026-02", 0).map(([first]) => first)).toEqual([
    ...["2026-02-01", "2026-02-08", "2026-02-15", "2026-02-22"],
  ]);
  expect([plusMonths("2026-12", 1), plusMonths("2026-01", -1)]).toEqual(["2027-01", "2025-12"]);
});

test("the timeline is around today even where nothing has a date, and never endless", () => {
  expect(rangeOf([], "2026-03-10")).toEqual(["2026-03-03", 50]);
  expect(rangeOf([["1970-01-01", "2300-01-01"]], "2026-03-10")[1]).toBe(730);
});
