// The gate before work that would take the whole machine.
import { setImmediate as turn } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { gate } from "./concurrency-limit.ts";

test("at most so many are inside at once, and everybody who may wait comes in, in order", async () => {
  const enter = gate(2, 15);
  let [inside, most] = [0, 0];
  const order: number[] = [];
  await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      enter("one", async () => {
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
  const [first, second] = [enter("one", () => promise), enter("one", async () => "second")];
  await expect(enter("one", async () => "third")).rejects.toMatchObject({
    code: "overloaded",
    extra: { retry_after: 1 },
  });
  resolve();
  expect(await second).toBe("second");
  await first;
  expect(await enter("one", async () => "fourth")).toBe("fourth");
});

test("work that fails gives its place on", async () => {
  const enter = gate(1, 5);
  const failing = enter("one", () => Promise.reject(new Error("no")));
  const next = enter("one", async () => "next");
  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe("next");
});

test("a place stays empty for as long as it is told to rest, while the result is given at once", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const rested: number[] = [];
  const enter = gate(1, 5, (worked) => {
    rested.push(worked);
    return 20;
  });
  const first = enter("one", async () => "first");
  const second = enter("one", async () => "second");
  let late = false;
  void second.then(() => {
    late = true;
  });
  expect(await first).toBe("first");
  vi.advanceTimersByTime(19);
  await turn();
  expect(late).toBe(false);
  vi.advanceTimersByTime(1);
  expect(await second).toBe("second");
  expect(rested).toHaveLength(2);
});

test("shares are served in turn, however many one of them has waiting", async () => {
  const enter = gate(1, 30);
  const order: string[] = [];
  const work = (name: string) => async () => {
    order.push(name);
    await turn();
  };
  const crowd = Array.from({ length: 10 }, (_, n) => enter("crowd", work(`crowd ${n}`)));
  await Promise.all([...crowd, enter("one", work("one")), enter("other", work("other"))]);
  expect(order.slice(0, 5)).toEqual(["crowd 0", "crowd 1", "one", "other", "crowd 2"]);
  expect(order).toHaveLength(12);
});

test("a share may have twice as many waiting as there is room left: whoever comes new finds room, until nobody does", async () => {
  const enter = gate(1, 6);
  const { promise, resolve } = Promise.withResolvers<void>();
  const asked: Promise<unknown>[] = [enter("first", () => promise)];
  const waits = async (share: string) => {
    const asking = enter(share, () => promise);
    asked.push(asking.catch(() => {}));
    return Promise.race([asking.then(() => true), turn(true)]).catch(() => false);
  };
  for (let n = 0; n < 4; n++) expect(await waits("crowd")).toBe(true);
  expect(await waits("crowd")).toBe(false);
  expect(await waits("one")).toBe(true);
  expect(() => enter.requireRoom()).not.toThrow();
  expect(await waits("other")).toBe(true);
  expect(() => enter.requireRoom()).toThrow(expect.objectContaining({ code: "overloaded" }));
  expect(await waits("late")).toBe(false);
  resolve();
  await Promise.all(asked);
  expect(await enter("late", async () => "in")).toBe("in");
});

test("a share holds only so many places, and leaves the others to those who come", async () => {
  const enter = gate(2, 10, undefined, 1);
  const { promise, resolve } = Promise.withResolvers<void>();
  let entered = 0;
  const crowd = Array.from({ length: 4 }, () =>
    enter("crowd", () => {
      entered++;
      return promise;
    }),
  );
  await turn();
  expect(entered).toBe(1);
  expect(await enter("other", async () => "at once")).toBe("at once");
  expect(entered).toBe(1);
  resolve();
  await Promise.all(crowd);
  expect(entered).toBe(4);
});
