// Tool calls of a run: which refusals are retried, how often, and which operations a tool may call.
import type { ErrorCode } from "@svc/contract/errors.ts";
import Type from "typebox";
import { expect, test } from "vitest";
import { Refusal } from "../../platform/wire/problem.ts";
import { tool } from "../tools/tool.ts";
import { runTool } from "./tool-call.ts";

/** A tool whose first `failures` calls are refused with this code, without a delay before the retry. */
function failing(code: ErrorCode, failures: number) {
  const made = { calls: 0 };
  const planted = tool({
    name: "planted",
    description: "Planted",
    operations: ["getMe"],
    scopes: ["svc:read"],
    annotations: { readOnlyHint: true },
    input: Type.Object({}),
    output: Type.Object({}),
    run: async () => {
      made.calls++;
      if (made.calls <= failures) throw new Refusal(code, { retry_after: 0 });
      return { done: true };
    },
  });
  return { made, planted };
}
const answer = { body: { id: "user" }, commandId: null, repeated: false, now: "2026-01-01T00:00:00Z" };
const terms = (signal = new AbortController().signal): Parameters<typeof runTool>[2] => ({
  calling: () => async () => answer,
  key: "key",
  origin: "https://svc.example",
  signal,
  self: { kind: "human", actor_id: "actor", scopes: ["svc:read"] },
});

test.each<ErrorCode>(["overloaded", "rate_limited", "idempotency_in_progress"])(
  "a tool call that the service refuses with %s is retried until it succeeds",
  async (code) => {
    const { made, planted } = failing(code, 2);
    expect(await runTool(planted, {}, terms())).toEqual({ done: true });
    expect(made.calls).toBe(3);
  },
);

test.each<ErrorCode>(["not_found", "forbidden", "revision_conflict"])(
  "a tool call that is refused with %s is not retried",
  async (code) => {
    const { made, planted } = failing(code, 1);
    await expect(runTool(planted, {}, terms())).rejects.toMatchObject({ code });
    expect(made.calls).toBe(1);
  },
);

test("a tool call is retried five times and then fails with the refusal", async () => {
  const { made, planted } = failing("overloaded", 6);
  await expect(runTool(planted, {}, terms())).rejects.toMatchObject({ code: "overloaded" });
  expect(made.calls).toBe(6);
});

test("a tool call of a run that has ended is not retried", async () => {
  const { made, planted } = failing("overloaded", 1);
  await expect(runTool(planted, {}, terms(AbortSignal.abort()))).rejects.toMatchObject({ code: "overloaded" });
  expect(made.calls).toBe(1);
});

test("a tool calls only the operations that it names", async () => {
  const { planted } = failing("overloaded", 0);
  const calling = async (operation: string) =>
    runTool({ ...planted, run: async ({ call }) => call(operation, {}) as never }, {}, terms());
  expect(await calling("getMe")).toEqual(answer);
  await expect(calling("deleteTask")).rejects.toThrow("planted does not name deleteTask");
});
