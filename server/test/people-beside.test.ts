// People beside ids, on a part of the reads: see people-beside-reads.ts. people-beside.slow.test.ts tests the others.
import { expect, test } from "vitest";
import { beside, exceptions, isTestedFirst, naming, testBeside } from "./people-beside-reads.ts";

test("every read with the id of an Actor takes include=people, but for those that say why not", () => {
  expect(naming.filter(({ include }) => !include?.includes("people")).map(({ id }) => id)).toEqual(
    naming.filter(({ id }) => id in exceptions).map(({ id }) => id),
  );
  expect(Object.keys(exceptions).filter((id) => !naming.some((operation) => operation.id === id))).toEqual([]);
});

testBeside(isTestedFirst);

test("three tenths of the reads are tested here", () => {
  expect(beside.filter(({ id }) => isTestedFirst(id)).length / beside.length).toBeGreaterThan(0.3);
});
