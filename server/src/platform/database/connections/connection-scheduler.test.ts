// Who gets the next place, and who is refused: the order alone, without a clock of its own.
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { places } from "./connection-scheduler.ts";

function room(atOnce: number) {
  let time = 0;
  const queue = places(atOnce, 500, () => time);
  const inside: { name: string; leave: () => void }[] = [];
  const refused: string[] = [];
  return {
    queue,
    refused,
    inside: () => inside.map(({ name }) => name),
    /** `a1` is the first request of the tenant `a`. */
    async come(...names: string[]) {
      for (const name of names)
        queue.enter(name[0] as string).then(
          (leave) => inside.push({ name, leave }),
          () => refused.push(name),
        );
      await turn();
    },
    async leave(name: string) {
      const at = inside.findIndex((one) => one.name === name);
      inside.splice(at, 1)[0]?.leave();
      await turn();
    },
    async pass(ms: number) {
      time += ms;
      queue.expire();
      await turn();
    },
  };
}

test("a tenant alone uses every place, in the order of its requests", async () => {
  const { come, leave, inside } = room(2);
  await come("a1", "a2", "a3", "a4");
  expect(inside()).toEqual(["a1", "a2"]);
  await leave("a2");
  expect(inside()).toEqual(["a1", "a3"]);
});

test("the next place is that of the tenant with the fewest, however many another has waiting", async () => {
  const { come, leave, inside } = room(2);
  await come("a1", "a2", ...Array.from({ length: 100 }, () => "ax"), "b1", "b2", "c1");
  await leave("a1");
  expect(inside()).toEqual(["a2", "b1"]);
  await leave("a2");
  expect(inside()).toEqual(["b1", "c1"]);
  await leave("b1");
  expect(inside()).toEqual(["c1", "ax"]);
});

test("with as many each, it is that of the tenant that was served longest ago", async () => {
  const { come, leave, inside } = room(1);
  await come("a1", "b1", "b2", "a2", "c1", "a3");
  const order = [];
  for (let served = 0; served < 6; served++) {
    const [one = ""] = inside();
    order.push(one);
    await leave(one);
  }
  expect(order).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
});

test("who waits too long is refused, and takes nothing from those that came later", async () => {
  const { come, leave, inside, pass, refused, queue } = room(1);
  await come("a1", "a2", "b1");
  await pass(1999);
  await come("b2");
  expect(refused).toEqual([]);
  await pass(1);
  expect(refused.sort()).toEqual(["a2", "b1"]);
  expect(queue.waiting()).toBe(1);
  await leave("a1");
  expect(inside()).toEqual(["b2"]);
  await leave("b2");
  await come("a3");
  expect(inside()).toEqual(["a3"]);
});

test("of a crowd those that waited longest are refused four times sooner, until it is none; a small tenant beside it waits on", async () => {
  const { come, pass, refused } = room(1);
  const crowd = Array.from({ length: 70 }, (_, n) => `a${n}`);
  await come("x", ...crowd, "b1");
  await pass(499);
  expect(refused).toEqual([]);
  await pass(1);
  expect(refused).toEqual(crowd.slice(0, 70 - 32));
  await pass(1499);
  expect(refused).not.toContain("b1");
});

test("while another tenant asks a crowd leaves most places empty, until half a second after that one's last request", async () => {
  const { come, leave, inside, pass, refused } = room(8);
  const ofCrowd = () => inside().filter((name) => name.startsWith("a"));
  await come(...Array.from({ length: 60 }, (_, n) => `a${n}`));
  expect(ofCrowd()).toHaveLength(8);
  await come("b1");
  for (let at = 0; at < 7; at++) await leave(`a${at}`);
  expect(inside(), "the first place was b's, and none of the next six the crowd's").toEqual(["a7", "b1"]);
  await come("b2");
  expect(inside(), "whoever comes finds an empty one").toContain("b2");
  await leave("a7");
  expect(ofCrowd(), "it keeps one").toEqual(["a8"]);
  await leave("b1");
  expect(ofCrowd()).toEqual(["a8"]);
  await leave("b2");
  expect(ofCrowd(), "and a quarter while nobody else is served").toEqual(["a8", "a9"]);
  await pass(499);
  expect(ofCrowd()).toHaveLength(2);
  await pass(1);
  expect(ofCrowd(), "those that waited too long are refused, and the rest is none").toHaveLength(8);
  expect(refused.every((name) => name.startsWith("a"))).toBe(true);
});

test("while another tenant is served a crowd rests for as long as it had its place, and not once that one is gone", async () => {
  const { come, leave, inside, pass } = room(8);
  await come("a0", "b1", ...Array.from({ length: 6 + 60 }, (_, n) => `a${n + 1}`));
  for (let at = 1; at < 7; at++) await leave(`a${at}`);
  await pass(10);
  await leave("a0");
  expect(inside(), "it had the place for ten milliseconds").toEqual(["b1"]);
  await pass(9);
  expect(inside()).toEqual(["b1"]);
  await pass(1);
  expect(inside()).toEqual(["b1", "a7"]);
  await pass(10);
  await leave("a7");
  expect(inside()).toEqual(["b1"]);
  await leave("b1");
  expect(inside(), "nobody else is served").toEqual(["a8", "a9"]);
});

test("a crowd alone leaves half of the places empty for as long as it is one, and whoever else comes finds them", async () => {
  const { come, leave, inside } = room(8);
  await come(...Array.from({ length: 8 + 35 }, (_, n) => `a${n}`));
  expect(inside(), "the first were no crowd yet").toHaveLength(8);
  for (let at = 0; at < 4; at++) await leave(`a${at}`);
  expect(inside()).toEqual(["a4", "a5", "a6", "a7"]);
  await leave("a4");
  expect(inside()).toEqual(["a5", "a6", "a7", "a8"]);
  await leave("a5");
  await leave("a6");
  expect(inside(), "32 wait: it may use every place again").toHaveLength(8);
});

test("beside few requests of one tenant nothing is left empty for another, and nothing for what the service does for itself", async () => {
  const few = room(8);
  await few.come("b1", ...Array.from({ length: 7 + 32 }, (_, n) => `a${n}`));
  await few.leave("b1");
  expect(few.inside()).toHaveLength(8);
  const crowd = room(8);
  await crowd.queue.enter("");
  await crowd.come(...Array.from({ length: 60 }, (_, n) => `a${n}`));
  expect(crowd.inside()).toHaveLength(7);
  for (let at = 0; at < 4; at++) await crowd.leave(`a${at}`);
  expect(crowd.inside(), "half of them, as alone").toHaveLength(4);
});
