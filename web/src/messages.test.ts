// Every code that a page can meet has words of its own.
import { readdirSync, readFileSync } from "node:fs";
import { errors } from "@svc/contract/errors.ts";
import { type AnyOperation, declaredErrors } from "@svc/contract/kit.ts";
import { operations } from "@svc/contract/operations.ts";
import { expect, test } from "vitest";
import { Problem } from "./api.ts";
import { inTime, messageOf, messages, place } from "./messages.ts";

const texts = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".tsx") || name === "passkey.ts")
  .map((name) => readFileSync(`${import.meta.dirname}/${name}`, "utf8"))
  .join("\n");
/** The operations that the pages call, by method and path as they are written there. */
const called = [...operations.values()].filter(({ method, path }: AnyOperation) => {
  const written = path.replace(/\{\w+\}/g, "\\$\\{[^}]+\\}");
  return (
    new RegExp(`"${method}",\\s*(?:first \\? )?["\`]${written}["\`?]`).test(texts) ||
    texts.includes(`: "${path}", body`)
  );
});

test("the operations that the pages call are found, and all of them exist", () => {
  const paths = called.map(({ route }) => route);
  for (const route of [
    "POST /auth/login",
    "POST /workspaces/bootstrap",
    "PUT /auth/session/workspace",
    "POST /oauth/consent",
  ])
    expect(paths).toContain(route);
  const written = [...texts.matchAll(/call(?:<[^(]*>)?\(\s*"([A-Z]+)",\s*["`]([^"`?]+)/g)].map(
    ([, method, path]) => `${method} ${(path as string).replace(/\$\{[^}]+\}/g, "{}")}`,
  );
  expect(written.length).toBeGreaterThan(15);
  const known = [...operations.values()].map(({ route }) => route.replace(/\{\w+\}/g, "{}"));
  for (const route of written) expect(known).toContain(route);
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
  const breached = new Problem("password_breached");
  expect(place(breached, ["email", "password"]).fields).toHaveProperty("password");
  expect(place(breached, ["token", "new_password"]).fields).toHaveProperty("new_password");
  expect(place(breached, ["email"])).toEqual({ fields: {}, rest: breached });
  expect(place(new Problem("invalid_credentials"), ["current_password", "code"]).fields).toHaveProperty(
    "current_password",
  );
  expect(place(new Problem("invalid_credentials"), ["email", "password"]).rest).not.toBeNull();
  const pointed = new Problem("invalid_request", [
    { pointer: "/body/email", code: "format", detail: "must be an address" },
  ]);
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
