// Identifiers in order, and secrets whose kind and typos show without a database.
import { expect, test } from "vitest";
import { csrfTokenOf, newId, newSecret, sameText, secretKind, secretKinds } from "./ids.ts";

test("identifiers are UUIDv7, unique, and in the order in which they were made", () => {
  const ids = Array.from({ length: 20_000 }, newId);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.toSorted()).toEqual(ids);
});

test("an identifier starts with its time, which more than 4,096 a millisecond may run ahead of a little", () => {
  const before = Date.now();
  const time = Number.parseInt(newId().replaceAll("-", "").slice(0, 12), 16);
  const after = Date.now();
  expect(time).toBeGreaterThanOrEqual(before);
  expect(time).toBeLessThan(after + 1000);
});

test("a secret is svc_<kind>_ with 32 random characters and 6 of checksum, and tells its kind", () => {
  for (const kind of secretKinds) {
    const secret = newSecret(kind);
    expect(secret).toMatch(new RegExp(`^svc_${kind}_[0-9A-Za-z]{38}$`));
    expect(secretKind(secret)).toBe(kind);
  }
  expect(new Set(Array.from({ length: 1000 }, () => newSecret("pat"))).size).toBe(1000);
});

test("a secret with a typo, another kind, or anything before or behind it is none", () => {
  const secret = newSecret("pat");
  for (let at = 8; at < secret.length; at++) {
    const other = secret[at] === "a" ? "b" : "a";
    expect(secretKind(secret.slice(0, at) + other + secret.slice(at + 1)), `position ${at}`).toBeNull();
  }
  for (const wrong of [
    "",
    secret.replace("pat", "dat"),
    secret.replace("pat", "xyz"),
    `${secret}0`,
    ` ${secret}`,
    `${secret}\n`,
    secret.slice(0, -1),
    secret.toUpperCase(),
  ])
    expect(secretKind(wrong), wrong).toBeNull();
});

test("a CSRF token has 43 characters, is always the same for a session and never for another", () => {
  const session = newSecret("ses");
  expect(csrfTokenOf(session)).toMatch(/^[\w-]{43}$/);
  expect(csrfTokenOf(session)).toBe(csrfTokenOf(session));
  expect(csrfTokenOf(session)).not.toBe(csrfTokenOf(newSecret("ses")));
});

test("texts are compared whole, also where their lengths differ", () => {
  expect([
    sameText("abc", "abc"),
    sameText("abc", "abd"),
    sameText("abc", "ab"),
    sameText("", "a"),
    sameText("", ""),
  ]).toEqual([true, false, false, false, true]);
});
