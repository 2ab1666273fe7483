// Frames that a client sends: an error names the field that is missing or too much.
import { expect, test } from "vitest";
import { newId } from "../../platform/wire/ids.ts";
import { frameIn } from "./frames.ts";

const parse = (frame: object) => frameIn(Buffer.from(JSON.stringify(frame)), false);
const subscribe = { type: "subscribe", subscription_id: "s" };

test.each([
  ["/type", {}],
  ["/subscription_id", { type: "subscribe", scope: "workspace" }],
  ["/scope", subscribe],
  ["/cursor", { type: "ack", subscription_id: "s" }],
  ["/user_ids", { type: "presence_observe", subscription_id: "s", cursor: "c" }],
  ["/resource_id", { ...subscribe, scope: "task_comments" }],
  ["/resource_id", { ...subscribe, scope: "projects", resource_id: newId() }],
])("an error names %s", (field, frame) => {
  expect(() => parse(frame)).toThrow(new RegExp(`^${field} `));
});

test("a subscription to comments names its Task, any other scope none", () => {
  for (const frame of [
    { ...subscribe, scope: "task_comments", resource_id: newId() },
    { ...subscribe, scope: "projects" },
  ])
    expect(parse(frame)).toEqual(frame);
});
