import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { contextOf, nothingLeft, settle } from "./context.ts";

test("a deferred statement that fails after its write was refused leaves no unhandled rejection", async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on("unhandledRejection", note);
  try {
    const left = nothingLeft({} as never);
    contextOf({} as never, {} as never, left).defer(Promise.reject(new Error("the connection is gone")));
    await turn();
    await turn();
    expect(unhandled).toEqual([]);
    await expect(settle(left.deferred), "the commit still hears of it").rejects.toThrow("the connection is gone");
  } finally {
    process.off("unhandledRejection", note);
  }
});

test("settling waits for everything that was started and then throws the first fault in order", async () => {
  let late = false;
  const slow = turn().then(() => {
    late = true;
    throw new Error("second");
  });
  const fast = Promise.reject(new Error("third"));
  await expect(settle([turn(), slow, fast])).rejects.toThrow("second");
  expect(late).toBe(true);
});
