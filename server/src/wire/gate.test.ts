// The gate before work that would take the whole machine.
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { gate } from "./gate.ts";

test("at most so many are inside at once, and everybody who may wait comes in, in order", async () => {
  const enter = gate(2, 10);
  let [inside, most] = [0, 0];
  const order: number[] = [];
  await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      enter(async () => {
        most = Math.max(most, ++inside);
        order.push(n);
        await turn();
        inside--;
      }),
    ),
  );
  expect(most).toBe(2);
  expect(order).toEqual([...Array(12).keys()]);
});

test("beyond that it refuses at once, and lets in again as soon as there is room", async () => {
  const enter = gate(1, 1);
  const { promise, resolve } = Promise.withResolvers<void>();
  const [first, second] = [enter(() => promise), enter(async () => "second")];
  await expect(enter(async () => "third")).rejects.toMatchObject({ code: "overloaded", extra: { retry_after: 1 } });
  resolve();
  expect(await second).toBe("second");
  await first;
  expect(await enter(async () => "fourth")).toBe("fourth");
});

test("work that fails gives its place on", async () => {
  const enter = gate(1, 5);
  const failing = enter(() => Promise.reject(new Error("no")));
  const next = enter(async () => "next");
  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe("next");
});

test("a place stays empty for as long as it is told to rest, while the result is given at once", async () => {
  const rested: number[] = [];
  const enter = gate(1, 5, (worked) => {
    rested.push(worked);
    return 20;
  });
  const first = enter(async () => "first");
  const second = enter(async () => "second");
  let late = false;
  void second.then(() => {
    late = true;
  });
  expect(await first).toBe("first");
  await turn();
  expect(late).toBe(false);
  expect(await second).toBe("second");
  expect(rested).toHaveLength(2);
});
