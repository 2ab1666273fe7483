// A time that somebody types is the time where they are, also where the clocks change.
import { expect, test } from "vitest";
import { localText, momentOf, nine } from "./local-times.ts";

test.each([
  ["2026-11-17T09:00", "Europe/Berlin", "2026-11-17T08:00:00.000Z"],
  ["2026-07-01T09:00", "Europe/Berlin", "2026-07-01T07:00:00.000Z"],
  ["2026-03-29T03:30", "Europe/Berlin", "2026-03-29T01:30:00.000Z"],
  ["2026-11-01T00:15", "America/New_York", "2026-11-01T04:15:00.000Z"],
  ["2026-11-17T00:30", "Pacific/Auckland", "2026-11-16T11:30:00.000Z"],
])("%s in %s is %s", (local, zone, moment) => {
  expect(momentOf(local, zone).toISOString()).toBe(moment);
  expect(localText(new Date(moment), zone)).toBe(local);
});

test("what is no time stays none, and nine in the morning is that of the person", () => {
  expect(Number.isNaN(momentOf("", "UTC").getTime())).toBe(true);
  expect(nine(1, "Asia/Tokyo", new Date("2026-11-17T20:00:00Z")).toISOString()).toBe("2026-11-19T00:00:00.000Z");
});
