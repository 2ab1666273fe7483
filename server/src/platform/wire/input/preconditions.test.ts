// How Idempotency-Key, If-Match, If-None-Match and Prefer are read: generously where it is safe, and never by guessing.
import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { idempotencyKey, ifMatch, locationOf, namesRevision, spared } from "./preconditions.ts";

const sent = (headers: Record<string, string>) => ({ headers }) as unknown as IncomingMessage;

test("a revision is understood with and without its quotes", () => {
  for (const [value, revision] of [
    ['"3"', "3"],
    ["3", "3"],
    ["0", "0"],
    ["9".repeat(19), "9".repeat(19)],
  ] as const) {
    expect(ifMatch(sent({ "if-match": value }))).toBe(revision);
    expect(namesRevision(sent({ "if-match": value }))).toBe(true);
  }
  expect(ifMatch(sent({ "if-match": "*" }))).toBe("*");
  expect(ifMatch(sent({}))).toBeUndefined();
  for (const none of ["*", ""]) expect(namesRevision(sent({ "if-match": none }))).toBe(false);
});

test("a weak, half-quoted, listed or overlong one is refused: it does not say which revision was seen", () => {
  for (const value of [
    'W/"3"',
    "W/3",
    '"3',
    '3"',
    "'3'",
    '"3", "4"',
    "3,4",
    "",
    " ",
    "-1",
    "3.0",
    "0x3",
    "1".repeat(20),
  ])
    expect(() => ifMatch(sent({ "if-match": value })), value).toThrow("invalid_request");
});

const outcome = { status: 200, body: "{}", headers: { etag: '"3"', "content-type": "application/json" }, cookies: [] };
const both = { unchanging: true, brief: true };

test("If-None-Match is compared weakly with each tag, and what is malformed is ignored", () => {
  const status = (value: string, wanted = both) => spared(outcome, sent({ "if-none-match": value }), wanted).status;
  for (const known of ['"3"', 'W/"3"', "3", "*", ' "1" , "3"']) expect(status(known), known).toBe(304);
  for (const other of ['"4"', "", '""', "three", '"33"', '"3x"', "**", ",", '"'])
    expect(status(other), other).toBe(200);
  expect(status('"3"', { unchanging: false, brief: true })).toBe(200);
  expect(spared(outcome, sent({ "if-none-match": '"3"' }), both)).toEqual({
    status: 304,
    body: "",
    headers: { etag: '"3"' },
    cookies: [],
  });
});

test("return=minimal is found among other preferences, of several the first counts, and what is malformed is ignored", () => {
  const status = (value: string, from = 201, brief = true) =>
    spared({ ...outcome, status: from }, sent({ prefer: value }), { unchanging: true, brief }).status;
  for (const value of [
    "return=minimal",
    "Return=Minimal",
    'return="minimal"',
    "respond-async, return=minimal",
    "return=minimal; foo=bar",
    'foo="a, b", return = minimal',
    "return=minimal, return=representation",
  ])
    expect(status(value), value).toBe(204);
  for (const value of [
    "return=representation",
    "return=representation, return=minimal",
    "return",
    "return=",
    "minimal",
    "xreturn=minimal",
    'foo="a, return=minimal"',
    "wait=10; return=minimal",
    "",
    ",,;=",
  ])
    expect(status(value), value).toBe(201);
  expect([status("return=minimal", 202), status("return=minimal", 302), status("return=minimal", 200, false)]).toEqual([
    202, 302, 200,
  ]);
});

test("a Location takes its names from the answer and then from the path, and never from inside a text", () => {
  const body = JSON.stringify({ note: '"id":"wrong"', id: "a1", project: { id: "b2" } });
  expect(locationOf("/tasks/{id}", body, {})).toBe("/api/v1/tasks/a1");
  expect(locationOf("/workspaces/{workspace_id}/members/{id}", `{"id" : "m1"}`, { workspace_id: "w1" })).toBe(
    "/api/v1/workspaces/w1/members/m1",
  );
  expect(locationOf("/me", "{}", {})).toBe("/api/v1/me");
});

test("a key has 16 to 200 visible characters and is given once", () => {
  expect(idempotencyKey(sent({}))).toBeUndefined();
  for (const key of ["k".repeat(16), "k".repeat(200), "!~-0123456789abc"])
    expect(idempotencyKey(sent({ "idempotency-key": key }))).toBe(key);
  for (const keys of [
    [""],
    ["k".repeat(15)],
    ["k".repeat(201)],
    [`${"k".repeat(15)} `],
    ["k".repeat(16), "k".repeat(16)],
  ])
    expect(() => idempotencyKey(sent({ "idempotency-key": keys.join(", ") }))).toThrow("invalid_request");
});
