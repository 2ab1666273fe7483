// Collapse and civil days, without a database.
import { isTimeZone } from "@svc/contract/types.ts";
import { expect, test } from "vitest";
import { civilDay, collapse, type SeenEvent } from "./rules.ts";

let count = 0;
/** An event `at` seconds before the newest. */
function event(at: number, parts: Partial<SeenEvent> = {}, resource = "task-1"): SeenEvent {
  return {
    id: `event-${++count}`,
    type: "task.priority_changed",
    activity: "priority",
    occurred_at: new Date(Date.UTC(2026, 5, 1) - at * 1000).toISOString(),
    actor_id: "ada",
    actor_name: "Ada",
    source: "session",
    client: null,
    command_id: `command-${count}`,
    affected: { kind: "task", id: resource, code: "ENG-1", title: "Task", project_id: "project-1", task_id: resource },
    told: {},
    names: null,
    ...parts,
  };
}
const counts = (events: SeenEvent[]) => collapse(events).map((item) => item.count);

test("events of one command with one action are one item, with at most 25 distinct resources", () => {
  const bulk = Array.from({ length: 60 }, (_, index) => event(0, { command_id: "bulk" }, `task-${index % 30}`));
  const [item, ...rest] = collapse(bulk);
  expect(rest).toEqual([]);
  expect(item).toMatchObject({ id: bulk[0]?.id, count: 60, action: "activity.task.priority_changed" });
  expect(item?.affected.map(({ id }) => id)).toEqual(Array.from({ length: 25 }, (_, index) => `task-${index}`));
});

test("different actions of one command are one item, named by what was recorded first, and go on as one session", () => {
  const both = (command_id: string, at: number) => [
    event(at, { command_id }),
    event(at, { command_id, type: "task.status_changed", activity: "progress" }),
  ];
  const [item, ...rest] = collapse([...both("two", 0), ...both("one", 60)]);
  expect(rest).toEqual([]);
  expect(item).toMatchObject({
    type: "progress",
    action: "activity.task.status_changed",
    actions: ["activity.task.status_changed", "activity.task.priority_changed"],
    count: 4,
    provenance: { command_id: "two" },
  });
  expect(counts([...both("two", 0), event(60)])).toEqual([2, 1]);
});

test("one Actor repeating one action on one resource is one item while at most five minutes lie between", () => {
  expect(counts([event(0), event(300), event(600)])).toEqual([3]);
  expect(counts([event(0), event(301)])).toEqual([1, 1]);
});

test("another Actor, resource or action is another item, and does not break the session", () => {
  const between = [event(10, { actor_id: "bob" }), event(20, {}, "task-2"), event(30, { type: "task.assigned" })];
  expect(counts([event(0), ...between, event(40)])).toEqual([2, 1, 1, 1]);
});

test("a command over several resources is no part of a session on one of them", () => {
  const bulk = [event(20, { command_id: "bulk" }), event(20, { command_id: "bulk" }, "task-2")];
  expect(counts([event(0), ...bulk, event(40)])).toEqual([2, 2]);
});

test("an item has the id, time and provenance of its newest event", () => {
  const newest = event(0, { source: "native" });
  expect(collapse([newest, event(60)])[0]).toMatchObject({
    id: newest.id,
    occurred_at: newest.occurred_at,
    kind: "priority",
    provenance: {
      actor_id: "ada",
      display_name: "Ada",
      actor_name: "Ada",
      source: "mobile",
      command_id: newest.command_id,
    },
  });
});

const hours = (day: string, zone: string) => {
  const { from, until } = civilDay(day, zone);
  return [from.toISOString(), (until.getTime() - from.getTime()) / 3_600_000];
};

test("a civil day begins at local midnight and lasts as long as the clocks say", () => {
  expect(hours("2026-06-01", "UTC")).toEqual(["2026-06-01T00:00:00.000Z", 24]);
  expect(hours("2026-06-01", "Asia/Kathmandu")).toEqual(["2026-05-31T18:15:00.000Z", 24]);
  expect(hours("2026-06-01", "Pacific/Kiritimati")).toEqual(["2026-05-31T10:00:00.000Z", 24]);
  expect(hours("2026-06-01", "Etc/GMT+12")).toEqual(["2026-06-01T12:00:00.000Z", 24]);
  expect(hours("2026-03-29", "Europe/Berlin")).toEqual(["2026-03-28T23:00:00.000Z", 23]);
  expect(hours("2026-10-25", "Europe/Berlin")).toEqual(["2026-10-24T22:00:00.000Z", 25]);
  expect(hours("2026-04-05", "Australia/Lord_Howe")).toEqual(["2026-04-04T13:00:00.000Z", 24.5]);
});

test("a day without midnight begins at its first instant, and a day that was skipped is empty", () => {
  expect(hours("2018-11-04", "America/Sao_Paulo")).toEqual(["2018-11-04T03:00:00.000Z", 23]);
  expect(hours("2011-12-30", "Pacific/Apia")[1]).toBe(0);
});

test("a time zone is a name that the runtime knows, and no offset", () => {
  for (const zone of ["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+12", "EST5EDT"])
    expect(isTimeZone(zone), zone).toBe(true);
  for (const zone of [
    "",
    "Mars/Olympus",
    "+02:00",
    "UTC+2",
    "Europe/",
    "../etc/passwd",
    "Europe/Berlin;",
    "constructor",
  ])
    expect(isTimeZone(zone), zone).toBe(false);
});
