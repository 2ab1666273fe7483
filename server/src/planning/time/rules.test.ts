// Durations, rounding, ranges, permissions and files of recorded time, case by case.
import { describe, expect, test } from "vitest";
import { available, csvOf, permitted, requireRange, rounded, secondsOf, timeCapabilities } from "./rules.ts";

describe("a duration", () => {
  test.each([
    ["1h 30m", 5400],
    ["1h30m", 5400],
    ["1H 30M", 5400],
    ["1 h 30 m", 5400],
    ["  90m  ", 5400],
    ["90m", 5400],
    ["1.5h", 5400],
    ["1.25h 15m", 5400],
    ["1:30", 5400],
    ["01:30", 5400],
    ["0:01", 60],
    ["1:30:15", 5415],
    ["24:00", 86400],
    ["PT1H30M", 5400],
    ["pt1h30m", 5400],
    ["PT90M", 5400],
    ["PT1.5H", 5400],
    ["PT1,5H", 5400],
    ["PT45S", 45],
    ["1s", 1],
    ["45s", 45],
    ["1h 0m 5s", 3605],
    ["24h", 86400],
    ["1440m", 86400],
    ["86400s", 86400],
    ["23h 59m 60s", 86400],
    ["0.5s", 1],
    ["1.3333h", 4800],
    ["0h 1m", 60],
  ])("%s is %i seconds", (text, seconds) => expect(secondsOf(text)).toBe(seconds));

  test.each([
    "",
    "  ",
    "h",
    "m",
    "90",
    "1.5",
    "0m",
    "0h",
    "0:00",
    "PT0S",
    "0.4s",
    "-1h",
    "-1:30",
    "PT-1H",
    "-PT1H",
    "+1h",
    "24h 1s",
    "24:01",
    "24:00:01",
    "1441m",
    "25h",
    "99999999999999999999h",
    "1:5",
    "1:60",
    "1:30:60",
    ":30",
    "1:",
    "30m 1h",
    "1h 1h",
    "1h 30",
    "1,5h",
    ".5h",
    "1.h",
    "1h, 30m",
    "1h\t30m",
    "one hour",
    "1 hour",
    "1d",
    "P1D",
    "P1DT1H",
    "PT",
    "P",
    "PT1M1H",
    "PT1H 30M",
    "１h",
    "1e1m",
    "NaNh",
    "Infinityh",
    `${" ".repeat(120)}x`,
    `${"9".repeat(127)}x`,
  ])("%j is none", (text) => expect(secondsOf(text)).toBeUndefined());
});

test.each([
  ["exact", 1, 1],
  ["exact", 5399, 5399],
  ["ceil_15_minutes", 1, 900],
  ["ceil_15_minutes", 899, 900],
  ["ceil_15_minutes", 900, 900],
  ["ceil_15_minutes", 901, 1800],
  ["ceil_15_minutes", 86400, 86400],
  ["ceil_15_minutes", 85501, 86400],
  ["ceil_30_minutes", 1, 1800],
  ["ceil_30_minutes", 1800, 1800],
  ["ceil_30_minutes", 1801, 3600],
  ["ceil_30_minutes", 86400, 86400],
] as const)("%s makes %i seconds %i", (mode, seconds, counted) => expect(rounded(seconds, mode)).toBe(counted));

test("a range has its days in order and at most 366 of them", () => {
  const refused = (from: string, to: string) => {
    try {
      requireRange({ from, to });
      return null;
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  expect(refused("2026-05-04", "2026-05-04")).toBeNull();
  expect(refused("2024-01-01", "2024-12-31"), "366 days of a leap year").toBeNull();
  expect(refused("2025-01-01", "2026-01-01"), "366 days").toBeNull();
  expect(refused("2025-01-01", "2026-01-02"), "367 days").toBe("invalid_range");
  expect(refused("2026-05-04", "2026-05-03")).toBe("invalid_range");
});

test("time is read, written and managed as the work that it is recorded on", () => {
  expect(timeCapabilities("owner", null)).toEqual(["time:read", "time:write", "time:manage"]);
  expect(timeCapabilities("admin", "viewer")).toEqual(["time:read", "time:write", "time:manage"]);
  expect(timeCapabilities("member", null)).toEqual(["time:read", "time:write"]);
  expect(timeCapabilities("member", "lead")).toEqual(["time:read", "time:write", "time:manage"]);
  expect(timeCapabilities("member", "viewer")).toEqual(["time:read"]);
  expect(timeCapabilities("viewer", "lead")).toEqual(["time:read"]);
});

test("an entry is its author's while they see the work, and so the manager's", () => {
  const both = ["time_entry:update", "time_entry:void"];
  expect(permitted(["time:read", "time:write"], { own: true, seen: true })).toEqual(both);
  expect(permitted(["time:read", "time:write"], { own: true, seen: false })).toEqual([]);
  expect(permitted(["time:read", "time:write"], { own: false, seen: true })).toEqual([]);
  expect(permitted(["time:read"], { own: true, seen: true })).toEqual([]);
  expect(permitted(["time:read", "time:write", "time:manage"], { own: false, seen: true })).toEqual(both);
  expect(permitted(["time:read", "time:write", "time:manage"], { own: true, seen: false })).toEqual([]);
  expect(
    available(["time_entry:update", "time_entry:void"], { voided: false, trashed: true, project_archived: false }),
  ).toEqual(["time_entry:void"]);
  expect(
    available(["time_entry:update", "time_entry:void"], { voided: true, trashed: false, project_archived: false }),
  ).toEqual([]);
});

test("a file quotes what would break it and disarms what a spreadsheet would run", () => {
  const rows = [
    "plain",
    'say "hi"',
    "a,b",
    "two\nlines",
    "=1+1",
    "+1",
    "-1",
    "@x",
    "\tx",
    "\n=1",
    " =1",
    "\u00a0@x",
    "1 = 1",
    "＝1",
    "＋1",
    "－1",
    "＠x",
    '=cmd|"/c"',
    null,
    -5,
    "ü",
  ];
  expect(
    csvOf(
      ["value"],
      rows.map((value) => ({ value })),
    ),
  ).toBe(
    [
      "value",
      "plain",
      '"say ""hi"""',
      '"a,b"',
      '"two\nlines"',
      "'=1+1",
      "'+1",
      "'-1",
      "'@x",
      "'\tx",
      `"'\n=1"`,
      "' =1",
      "'\u00a0@x",
      "1 = 1",
      "'＝1",
      "'＋1",
      "'－1",
      "'＠x",
      `"'=cmd|""/c"""`,
      "",
      "-5",
      "ü",
      "",
    ].join("\r\n"),
  );
});
