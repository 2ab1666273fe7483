// The three-way merge: what only one side changed is taken, what both changed alike is taken once, and what overlaps is
// never decided.
import fc from "fast-check";
import { expect, test } from "vitest";
import { mergePages, mergeText } from "./merge.ts";

const lines = (...each: string[]) => each.join("\n");
const base = lines("one", "two", "three", "four", "five", "six");

test("what one side changed is taken, in either direction, and both where they are apart", () => {
  const ours = base.replace("two", "TWO");
  const theirs = base.replace("five", "FIVE");
  expect(mergeText(base, ours, base)).toBe(ours);
  expect(mergeText(base, base, theirs)).toBe(theirs);
  expect(mergeText(base, ours, theirs)).toBe(lines("one", "TWO", "three", "four", "FIVE", "six"));
});

test("the same change on both sides is made once; different ones of the same line, or of lines that touch, are a conflict", () => {
  const changed = base.replace("three", "3");
  expect(mergeText(base, changed, `${changed}\nseven`)).toBe(`${changed}\nseven`);
  expect(mergeText(base, base.replace("three", "3"), base.replace("three", "drei"))).toBeNull();
  expect(mergeText(base, base.replace("three", "3"), base.replace("four", "4"))).toBeNull();
  expect(mergeText(base, `${base}\nours`, `${base}\ntheirs`)).toBeNull();
  expect(mergeText(base, "", base.replace("one", "1"))).toBeNull();
});

test("for any texts: one side alone is taken whole, the order of the sides does not matter, and no line comes from nowhere", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", "d", ""), { maxLength: 12 }).map((each) => each.join("\n"));
  fc.assert(
    fc.property(text, text, text, (base, ours, theirs) => {
      expect(mergeText(base, ours, base)).toBe(ours);
      expect(mergeText(base, base, theirs)).toBe(theirs);
      expect(mergeText(base, ours, ours)).toBe(ours);
      const merged = mergeText(base, ours, theirs);
      expect(mergeText(base, theirs, ours)).toBe(merged);
      const known = new Set([base, ours, theirs].flatMap((each) => each.split("\n")));
      for (const line of merged?.split("\n") ?? []) expect(known).toContain(line);
    }),
    { numRuns: 2000 },
  );
});

test("changes of different lines that are apart always merge, and each is in what comes out", () => {
  const many = Array.from({ length: 40 }, (_, at) => `line ${at}`);
  fc.assert(
    fc.property(fc.subarray([...many.keys()]), (places) => {
      const apart = places.filter((place, at) => at === 0 || place - (places[at - 1] as number) > 1);
      const change = (parity: number) =>
        many.map((line, at) =>
          apart.indexOf(at) % 2 === parity && apart.includes(at) ? `${line} by ${parity}` : line,
        );
      const merged = mergeText(many.join("\n"), change(0).join("\n"), change(1).join("\n"));
      expect(merged?.split("\n").filter((line) => / by [01]$/.test(line))).toHaveLength(apart.length);
    }),
    { numRuns: 500 },
  );
});

test("two texts of a hundred thousand lines that have nothing in common end in a conflict, and do not take for ever", () => {
  const many = (word: string) => Array.from({ length: 100_000 }, (_, at) => `${word} ${at}`).join("\n");
  expect(mergeText(many("a"), many("b"), many("c"))).toBeNull();
  const blank = "\n".repeat(100_000);
  expect(mergeText(blank, `ours${blank}`, `${blank}theirs`)).toBe(`ours${blank}theirs`);
});

const page = { id: "id", title: "Title", labels: ["a", "b"], body: base };
test("a title has one value, labels are taken one by one, and neither stands in the way of the other", () => {
  const ours = { ...page, title: "Ours", labels: ["b", "c"] };
  const theirs = { ...page, labels: ["a", "b", "d"], body: base.replace("one", "1") };
  expect(mergePages(page, ours, theirs)).toEqual({ ...ours, labels: ["b", "c", "d"], body: theirs.body });
  expect(mergePages(page, ours, { ...page, title: "Theirs" })).toBeNull();
});
