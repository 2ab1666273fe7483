// Each planted test asserts nothing, so it must fail. `test.fails` turns a test that passes into a failure.
import { afterAll, describe, expect, onTestFailed, test } from "vitest";
import { asserted } from "./asserts.ts";

describe("the rule fails a test", () => {
  const faults: string[] = [];
  const collectFaults = () =>
    onTestFailed(({ task }) => {
      faults.push(...(task.result?.errors ?? []).map(({ message }) => message));
    });
  const nothing: number[] = [];

  test.fails("without an assertion", () => {
    collectFaults();
  });

  test.fails("whose assertions are in a loop over an empty list", () => {
    collectFaults();
    for (const one of nothing) expect(one).toBe(1);
  });

  test.fails("that is concurrent and asserts with the imported expect", { concurrent: true }, ({ onTestFailed }) => {
    onTestFailed(({ task }) => {
      faults.push(...(task.result?.errors ?? []).map(({ message }) => message));
    });
    expect(1).toBe(1);
  });

  afterAll(() => {
    expect(faults).toEqual([
      expect.stringMatching(/^"without an assertion" asserts nothing\. Call expect/),
      expect.stringMatching(/^"whose assertions are in a loop over an empty list" asserts nothing\..* is not empty\.$/),
      expect.stringMatching(/asserts nothing\. A concurrent test asserts with the expect of its context/),
    ]);
  });
});

describe("the rule passes a test", () => {
  test("that awaits a counted check", async () => {
    await asserted(Promise.resolve());
  });

  test.concurrent("that is concurrent and asserts with the expect of its context", ({ expect }) => {
    expect(1).toBe(1);
  });
});
