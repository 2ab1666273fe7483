// Texts that are remembered: each is put together once, and a set of filters that nobody asks for again makes room.
import { expect, test } from "vitest";
import { cachedSql } from "./sql.ts";

test("a text is put together once for its parts, and the oldest goes when there are too many", () => {
  const built: string[] = [];
  const text = cachedSql((part: string) => {
    built.push(part);
    return `select ${part}`;
  }, 2);
  for (const part of ["a", "b", "a", "b"]) expect(text(part)).toBe(`select ${part}`);
  expect(built).toEqual(["a", "b"]);
  text("c");
  text("b");
  expect(built, "b is still remembered").toEqual(["a", "b", "c"]);
  text("a");
  expect(built, "a is put together anew").toEqual(["a", "b", "c", "a"]);
});
