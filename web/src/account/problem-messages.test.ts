// Every code that a page can meet has words of its own.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Problem } from "@svc/client";
import { errors } from "@svc/contract/errors.ts";
import { declaredErrors } from "@svc/contract/kit.ts";
import { operations } from "@svc/contract/operations.ts";
import { expect, test } from "vitest";
import { inTime, messageOf, messages, place } from "./problem-messages.ts";

const root = join(import.meta.dirname, "..");
const texts = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((name) => /(?<!\.test)\.tsx?$/.test(name))
  .map((name) => readFileSync(join(root, name), "utf8"))
  .join("\n");
/** The operations that the pages call, by their names as they are written there. */
const written = new Set([...texts.matchAll(/\bsvc\.(\w+)\(/g)].map(([, name]) => name as string));
const called = [...operations.values()].filter(({ id }) => written.has(id));

test("the operations that the pages call are found, and all of them exist", () => {
  for (const name of ["login", "bootstrapWorkspace", "replaceSessionWorkspace", "answerConsent", "loginWithPasskey"])
    expect(written).toContain(name);
  expect(written.size).toBeGreaterThan(30);
  expect(called).toHaveLength(written.size);
});

test("every code that they can answer with has words of its own", () => {
  const silent = new Set(called.flatMap(declaredErrors).filter((code) => !messages[code]));
  expect([...silent]).toEqual([]);
});

test("no code is shown to a person, and every entry says what to do", () => {
  for (const [code, { title, text }] of Object.entries(messages)) {
    expect(`${title} ${text}`, code).not.toMatch(/_|\b(?:CSRF|HTTP|JSON|token|Idempotency|header)\b/);
    expect(text, code).toMatch(/[.]$/);
  }
});

test("a code that nobody knows, or that somebody made up, is answered in general words", () => {
  for (const code of ["<script>", "constructor", "__proto__", "nonsense"])
    expect(messageOf(code).title).toBe("Something went wrong on our side");
  expect(Object.keys(errors).length).toBeGreaterThan(40);
});

test("a fault stands at the field that it is about, and at the top where the form has no such field", () => {
  const breached = new Problem({ code: "password_breached" });
  expect(place(breached, ["email", "password"]).fields).toHaveProperty("password");
  expect(place(breached, ["token", "new_password"]).fields).toHaveProperty("new_password");
  expect(place(breached, ["email"])).toEqual({ fields: {}, rest: breached });
  expect(place(new Problem({ code: "invalid_credentials" }), ["current_password", "code"]).fields).toHaveProperty(
    "current_password",
  );
  expect(place(new Problem({ code: "invalid_credentials" }), ["email", "password"]).rest).not.toBeNull();
  const pointed = new Problem({
    code: "invalid_request",
    faults: [{ pointer: "/body/email", code: "format", detail: "must be an address" }],
  });
  expect(place(pointed, ["email"]).fields).toEqual({ email: "Enter an email address, like ada@example.com." });
});

test("a wait is told in words", () => {
  expect([1, 2, 119, 120, 3600, 7200].map(inTime)).toEqual([
    "in a moment",
    "in 2 seconds",
    "in 119 seconds",
    "in 2 minutes",
    "in 60 minutes",
    "in 2 hours",
  ]);
});
