// Which changes a subscription of each scope reports for one event, by what its subscriber sees. Pure.
import { expect, test } from "vitest";
import { type FeedEvent, heardIn, type Sight } from "./rules.ts";

const [PROJECT, OTHER, TASK, ADA] = ["project", "other", "task", "ada"];
/** A Task that was put into the trash. */
const event: FeedEvent = {
  tx: "1",
  id: "event",
  type: "task.trashed",
  kind: "task",
  resource_id: TASK,
  revision: "2",
  gone: true,
  place_id: PROJECT,
  project_id: PROJECT,
  left_id: null,
  task_id: TASK,
  closes: false,
  owner_id: null,
  user_id: null,
};
const seeing = (projectId: string | null, actorId: string | null = ADA): Sight => ({
  actorId,
  userId: "user",
  manages: false,
  sees: (id) => id === projectId,
  saw: (id) => id === projectId,
  projectOf: (id) => (id === TASK ? PROJECT : null),
});
const inbox = { kind: "inbox", id: ADA, revision: null, action: "changed" };

test("the inbox of a person changes when they lose sight of a Task that they saw", () => {
  expect(heardIn("inbox", event, seeing(PROJECT), null)).toEqual([inbox]);
});

test("the inbox of a person does not change with a Task of a Project that they do not see", () => {
  expect(heardIn("inbox", event, seeing(OTHER), null)).toEqual([]);
});

test("the inbox of a person changes when they join a private Project", () => {
  const joined = { ...event, type: "project.member_added", kind: "project_member", gone: false, owner_id: ADA };
  expect(heardIn("inbox", joined, seeing(null), null)).toEqual([inbox]);
});

test("a subscriber without an Actor has no inbox", () => {
  expect(heardIn("inbox", event, seeing(PROJECT, null), null)).toEqual([]);
});

test("the inbox does not change with an event that changes nobody's sight", () => {
  expect(heardIn("inbox", { ...event, type: "task.updated", gone: false }, seeing(PROJECT), null)).toEqual([]);
});
