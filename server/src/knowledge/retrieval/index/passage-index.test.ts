// Passages in memory: what is found among them, what goes, and that what a question does not name has no part in its
// answer.
import { expect, test } from "vitest";
import { openBeside } from "./embedding-worker.ts";
import { PassageIndex } from "./passage-index.ts";
import type { IndexRow } from "./place-index.ts";
import { DIMENSIONS } from "./scan.ts";
import { termsOf } from "./words.ts";

let number = 0;
const vectorOf = (seed: number) =>
  Int8Array.from({ length: DIMENSIONS }, (_, at) => Math.round(60 * Math.sin((at + 1) * (seed + 1))));
const row = (source: string, text: string, seed = ++number, version = 1): IndexRow => ({
  number: ++number,
  source,
  version,
  terms: termsOf(text),
  vector: vectorOf(seed),
});
const asked = (q: string, places: string[], gone: string[] = [], seed?: number) => ({
  terms: termsOf(q),
  vector: seed === undefined ? null : vectorOf(seed),
  places: places.map((id) => ({ id, gone })),
  most: 20,
});

test("by words the rare one decides, by meaning the nearest, and what is first in both is first", () => {
  const held = new PassageIndex();
  const rows = [row("a", "The boat is red", 1), row("b", "The boat is blue", 2), row("c", "A boat, and a boat", 3)];
  held.hold("one", true, rows, []);
  const [a, b, c] = rows.map((each) => each.number);
  expect(held.ask(asked("a blue boat", ["one"]))[0]?.number).toBe(b);
  expect(held.ask(asked("nothing of it", ["one"], [], 3)).map((each) => each.number)[0]).toBe(c);
  expect(held.ask(asked("red boats", ["one"], [], 1))[0]?.number).toBe(a);
  expect(held.ask(asked("submarine", ["one"]))).toEqual([]);
});

test("meaning finds nothing where the nearest has a cosine below 0.25, and beside it nothing below 0.2 or half of that", () => {
  const vector = (...values: number[]) => Int8Array.from({ length: DIMENSIONS }, (_, at) => values[at] ?? 0);
  const asking = (products: number[]) => {
    const held = new PassageIndex();
    const rows = products.map((product, at) => ({ ...row(`s${at}`, "boat"), vector: vector(product, 1) }));
    held.hold("one", true, rows, []);
    const found = held.ask({ ...asked("nothing", ["one"]), vector: vector(127) }).map((each) => each.number);
    return rows.map(({ number: each }) => found.includes(each));
  };
  // The question has the length 127: 32 is a cosine of 0.252, 31 one of 0.244, 26 one of 0.205, and 25 one of 0.197.
  expect(asking([31, 30])).toEqual([false, false]);
  expect(asking([32, 26, 25])).toEqual([true, true, false]);
  expect(asking([100, 50, 49])).toEqual([true, true, false]);
});

test("a place that is not named, and a source that is gone, change neither order nor scores", () => {
  const [alone, beside] = [new PassageIndex(), new PassageIndex()];
  const rows = Array.from({ length: 40 }, (_, at) => row(`s${at}`, `Boat number ${at % 7} in the harbour`, at));
  const hidden = Array.from({ length: 60 }, (_, at) => row(`h${at}`, "Boat boat boat harbour", at % 40));
  alone.hold("open", true, rows, []);
  beside.hold("open", true, rows, []);
  beside.hold("hidden", true, hidden, []);
  const question = asked("which boat is in the harbour", ["open"], [], 5);
  expect(beside.ask(question)).toEqual(alone.ask(question));
  beside.hold("open", false, [row("extra", "Boat boat harbour", 5)], []);
  const without = { ...question, places: [{ id: "open", gone: ["extra"] }] };
  expect(beside.ask(without)).toEqual(alone.ask(question));
  expect(beside.ask(question)).not.toEqual(alone.ask(question));
});

test("a newer version of a source takes the place of the older, what is gone stays gone, and the rest survives thousands of both", () => {
  const held = new PassageIndex();
  const kept = row("kept", "The lighthouse", 9);
  held.hold("one", true, [kept], []);
  for (let version = 1; version <= 1500; version++)
    held.hold("one", false, [row("changing", `Word ${version} lantern`, version, version)], []);
  expect(held.hold("one", false, [], [])).toBe(2);
  expect(held.ask(asked("lantern", ["one"])).length).toBe(1);
  expect(held.ask(asked("lighthouse", ["one"], [], 9))[0]?.number).toBe(kept.number);
  // Told twice, and of a time before what is there.
  held.hold("one", false, [kept], [{ source: "changing", version: 1499 }]);
  expect(held.ask(asked("lantern", ["one"])).length).toBe(1);
  expect(held.hold("one", false, [], [{ source: "changing", version: 1501 }])).toBe(1);
  expect(held.ask(asked("lantern", ["one"]))).toEqual([]);
});

test("where the model cannot be loaded, that is said once, and words serve", async () => {
  const told: string[] = [];
  const beside = openBeside((why) => told.push(why), "no-such-weights");
  expect(await beside.read(["one", "two"])).toEqual([null, null]);
  const without = { ...row("a", "The boat is red"), vector: null };
  await beside.hold(7, "one", true, [without], []);
  const places = [{ id: "one", gone: [] }];
  expect(await beside.ask({ q: "red boats", places, most: 5 })).toMatchObject({
    found: [{ number: without.number }],
    whole: true,
  });
  expect([beside.versionOf("one"), beside.held(), told.length]).toEqual([7, 1, 1]);
  expect((await beside.ask({ q: "boat", places: [{ id: "other", gone: [] }], most: 5 })).whole).toBe(false);
  beside.stop();
  expect(beside.versionOf("one")).toBeUndefined();
});
