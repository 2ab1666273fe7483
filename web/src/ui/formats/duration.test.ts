// What people write for a duration: everything that the service takes is understood the same here.
import { expect, test } from "vitest";
import { secondsOf } from "../../../../server/src/planning/time/rules.ts";
import { clock, secondsIn, written } from "./duration.ts";

test.each(["1h 30m", "90m", "1.5h", "1:30", "PT1H30M", "45s", "1H", "24h", "24h 1s", "0m", "", "x", "1:75", "PT"])(
  "%j is to people what it is to the service",
  (text) => {
    expect(secondsIn(text)).toBe(secondsOf(text) ?? null);
  },
);

test("a bare number is hours, with a point or a comma", () => {
  expect([secondsIn("2"), secondsIn("1.5"), secondsIn("1,5"), secondsIn("25")]).toEqual([7200, 5400, 5400, null]);
});

test("what is written for the service is the same time", () => {
  for (const seconds of [1, 59, 5400, 86_400]) expect(secondsOf(written(seconds))).toBe(seconds);
});

test("it is read in hours and minutes", () => {
  expect([clock(0), clock(59), clock(5400), clock(36_000)]).toEqual(["0:00", "0:01", "1:30", "10:00"]);
});
