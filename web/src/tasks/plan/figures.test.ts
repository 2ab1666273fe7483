// What the charts of a Project count: cancelled work is no scope, a day belongs to the person's time zone, and weeks
// begin where the account says.
import { expect, test } from "vitest";
import { burnUp, daysBetween, throughput, weekOf } from "./figures.ts";

const statusOf = (id: string) => ({ category: id as "started" });
const task = (created: string, completed: string | null = null, status_id = completed ? "completed" : "started") => ({
  created_at: `${created}T12:00:00Z`,
  completed_at: completed && `${completed}T12:00:00Z`,
  status_id,
});

test("scope and done grow by the day, and end today", () => {
  const tasks = [task("2026-03-01", "2026-03-03"), task("2026-03-02"), task("2026-03-02", null, "cancelled")];
  expect(burnUp(tasks, statusOf, "2026-03-04", undefined, "UTC")).toEqual({
    days: ["2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04"],
    scope: [1, 2, 2, 2],
    done: [0, 0, 1, 1],
  });
});

test("a long time is told in few points, of which the last is today", () => {
  const { days, scope } = burnUp([task("2025-01-01")], statusOf, "2026-03-04", undefined, "UTC");
  expect(days.length).toBeLessThanOrEqual(60);
  expect([days.at(-1), scope.at(-1)]).toEqual(["2026-03-04", 1]);
});

test("nothing yet is one day with nothing on it", () => {
  expect(burnUp([], statusOf, "2026-03-04")).toEqual({ days: ["2026-03-04"], scope: [0], done: [0] });
});

test("a day ends where the person is, not in London", () => {
  const late = [{ created_at: "2026-03-01T23:30:00Z", completed_at: null, status_id: "started" }];
  expect(burnUp(late, statusOf, "2026-03-02", undefined, "Europe/Zurich").days).toEqual(["2026-03-02"]);
});

test("throughput counts by weeks that begin where the account says", () => {
  expect([weekOf("2026-03-01", 1), weekOf("2026-03-01", 0), weekOf("2026-03-02", 1)]).toEqual([
    ...["2026-02-23", "2026-03-01", "2026-03-02"],
  ]);
  const tasks = [task("2026-01-01", "2026-03-01"), task("2026-01-01", "2026-03-02"), task("2026-01-01", "2020-01-01")];
  expect(throughput(tasks, "2026-03-04", { weeks: 2, weekStart: 1, timezone: "UTC" })).toEqual({
    weeks: ["2026-02-23", "2026-03-02"],
    done: [1, 1],
  });
  expect(throughput(tasks, "2026-03-04", { weeks: 1, weekStart: 0, timezone: "UTC" }).done).toEqual([2]);
});

test("days between cross a change of the clock", () => {
  expect(daysBetween("2026-03-28", "2026-03-30")).toBe(2);
});
