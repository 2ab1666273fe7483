// What is thrown, and the code that a caller then sees.
import { expect, test } from "vitest";
import { Refusal } from "../wire/problem.ts";
import { translate } from "./translate-error.ts";

const constraints = {
  tasks_dates: { code: "invalid_dates", field: "start_date" },
  one_per_account: { code: "free_workspace_claimed" },
} as const;
const codeOf = (error: unknown) => translate(error, constraints).code;

test("a refusal stays what it is", () => {
  const refusal = new Refusal("slug_taken");
  expect(translate(refusal, constraints)).toBe(refusal);
});

test("a known constraint is its code, with a pointer to the field that caused it", () => {
  const { code, extra } = translate({ code: "23514", constraint: "tasks_dates" }, constraints);
  expect([code, extra.errors?.[0]?.pointer]).toEqual(["invalid_dates", "/body/start_date"]);
  expect(translate({ code: "23505", constraint: "one_per_account" }, constraints)).toMatchObject({
    code: "free_workspace_claimed",
    extra: {},
  });
});

test("want of time, connections or a server is 503 with a delay", () => {
  for (const code of [
    "55P03",
    "57014",
    "40001",
    "40P01",
    "53300",
    "08006",
    "57P01",
    "25006",
    "ECONNREFUSED",
    "ECONNRESET",
    "EPIPE",
  ])
    expect(translate({ code }, constraints), code).toMatchObject({ code: "overloaded", extra: { retry_after: 1 } });
  expect(codeOf(new Error("timeout exceeded when trying to connect"))).toBe("overloaded");
});

test("everything else is ours, and its cause is nowhere in the answer", () => {
  for (const error of [
    new Error("select secret"),
    { code: "23505", constraint: "unknown" },
    { code: "42601" },
    new TypeError("x"),
    "text",
    5,
  ])
    expect(translate(error, constraints)).toMatchObject({ code: "internal", extra: {} });
});
