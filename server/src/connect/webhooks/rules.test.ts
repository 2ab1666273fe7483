// Signatures as the official package reads them, and when something is tried again.
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { newWebhookSecret, signed } from "../../platform/wire/standard-webhooks.ts";
import { MOST_ATTEMPTS, pauseAfter, payloadOf, retryAfterOf } from "./rules.ts";

const body = payloadOf({
  action: "task.created",
  workspaceId: "w",
  occurredAt: "2026-11-17T12:00:00.000Z",
  actorId: "a",
  change: { kind: "task", id: "t", revision: "1", action: "created", project_id: "p" },
});
const now = () => Math.floor(Date.now() / 1000);

test("the official package verifies a signature, with each of two secrets, and refuses what was altered or is old", () => {
  const [current, previous] = [newWebhookSecret(), newWebhookSecret()];
  const at = (seconds: number, secrets = [current, previous]) => signed(secrets, "m", body, new Date(seconds * 1000));
  const headers = at(now());
  expect(new Webhook(current).verify(body, headers)).toEqual(JSON.parse(body.toString()));
  expect(new Webhook(previous).verify(body, headers)).toMatchObject({ type: "task.created", version: 1 });
  expect(() => new Webhook(newWebhookSecret()).verify(body, headers)).toThrow("signature");
  expect(() => new Webhook(previous).verify(body, at(now(), [current]))).toThrow("signature");
  expect(() => new Webhook(current).verify(`${body} `, headers)).toThrow("signature");
  expect(() => new Webhook(current).verify(body, { ...headers, "webhook-id": "n" })).toThrow("signature");
  expect(() => new Webhook(current).verify(body, at(now() - 600))).toThrow("too old");
});

test("what is sent has identities and nothing else", () => {
  expect(JSON.parse(body.toString())).toEqual({
    type: "task.created",
    version: 1,
    timestamp: "2026-11-17T12:00:00.000Z",
    data: {
      workspace_id: "w",
      kind: "task",
      id: "t",
      revision: "1",
      change: "created",
      actor_id: "a",
      project_id: "p",
      task_id: null,
    },
  });
});

describe("something that was not accepted is tried again", () => {
  test("with growing pauses, for three days", () => {
    const least = Array.from({ length: MOST_ATTEMPTS - 1 }, (_, at) => pauseAfter(at + 1, null, 0) as number);
    const most = least.map((_, at) => pauseAfter(at + 1, null, 1) as number);
    expect(least).toEqual(least.toSorted((a, b) => a - b));
    const [days, longest] = [least, most].map((each) => each.reduce((sum, pause) => sum + pause, 0) / 86_400);
    expect(days).toBeGreaterThan(2.9);
    expect(longest).toBeLessThan(3.5);
    expect(
      most.every((pause, at) => pause > (least[at] as number)),
      "not all at one moment",
    ).toBe(true);
    expect(pauseAfter(MOST_ATTEMPTS, null)).toBeNull();
  });
  test("not before the receiver wants it, and within a day all the same", () => {
    expect(pauseAfter(1, 600, 0)).toBe(600);
    expect(pauseAfter(4, 600, 0)).toBe(7200);
    expect(pauseAfter(1, 10 ** 8, 0)).toBe(86_400);
    expect(pauseAfter(MOST_ATTEMPTS, 600)).toBeNull();
  });
  test("where Retry-After is seconds, or a date, and nothing where it is neither", () => {
    const at = Date.UTC(2026, 10, 17, 12);
    expect(retryAfterOf("120")).toBe(120);
    expect(retryAfterOf("Tue, 17 Nov 2026 12:01:00 GMT", at)).toBe(60);
    expect(retryAfterOf("Tue, 17 Nov 2026 11:00:00 GMT", at)).toBe(0);
    expect([retryAfterOf(null), retryAfterOf("soon")]).toEqual([null, null]);
  });
});
