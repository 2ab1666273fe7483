// Each bound of a pack, one below and one past it. That of all objects together is in large-pack.slow.git.test.ts.
import { expect, test } from "vitest";
import { packDelta, packObject, packOf } from "../../../../test/git-pack.ts";
import { checkPack, MOST_PACK } from "./pack-limits.ts";

const MB = 1024 * 1024;
const codeOf = (bytes: Buffer): string | null => {
  try {
    checkPack(bytes);
    return null;
  } catch (error) {
    return (error as { code: string }).code;
  }
};
const TOO_LARGE = "repository_too_large";

test("a pack of several objects is accepted", () => {
  expect(codeOf(packOf([packObject(Buffer.from("one")), packObject(Buffer.alloc(100_000)), packDelta(7)]))).toBeNull();
});

test("a pack is refused above 32 MB, before anything of it is read", () => {
  expect(codeOf(Buffer.alloc(MOST_PACK))).toBe("server_unsupported");
  expect(codeOf(Buffer.alloc(MOST_PACK + 1))).toBe(TOO_LARGE);
});

test("a pack is refused above 60,000 objects", () => {
  const small = packObject(Buffer.from("x"));
  // It lacks all but one of them, which is found out later.
  expect(codeOf(packOf([small], 60_000))).toBe("server_unsupported");
  expect(codeOf(packOf([small], 60_001))).toBe(TOO_LARGE);
});

test("an object is refused above 32 MB, whether it is whole or made by a delta", () => {
  expect(codeOf(packOf([packObject(Buffer.alloc(32 * MB))]))).toBeNull();
  expect(codeOf(packOf([packObject(Buffer.alloc(1), 32 * MB + 1)]))).toBe(TOO_LARGE);
  expect(codeOf(packOf([packDelta(32 * MB)]))).toBeNull();
  expect(codeOf(packOf([packDelta(32 * MB + 1)]))).toBe(TOO_LARGE);
});

test("an object that has more or less than its header states is refused", () => {
  expect(codeOf(packOf([packObject(Buffer.alloc(1000), 10)]))).toBe(TOO_LARGE);
  expect(codeOf(packOf([packObject(Buffer.alloc(10), 1000)]))).toBe("server_unsupported");
});

test("what is no pack, or ends too early, is refused as such", () => {
  expect(codeOf(Buffer.alloc(40))).toBe("server_unsupported");
  expect(codeOf(Buffer.from("PACK"))).toBe("server_unsupported");
  expect(codeOf(packOf([packObject(Buffer.from("one"))], 2))).toBe("server_unsupported");
});
