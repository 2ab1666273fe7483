// The name under which a browser saves a stored object.
import { expect, test } from "vitest";
import { contentDisposition } from "./content-disposition.ts";

test("without a name it is shown in place; with one it is saved under it, in both forms", () => {
  expect(contentDisposition(undefined)).toBe("inline");
  expect(contentDisposition("gears.png")).toBe(`attachment; filename="gears.png"; filename*=UTF-8''gears.png`);
  expect(contentDisposition('a"b%.png')).toBe(`attachment; filename="a_b_.png"; filename*=UTF-8''a%22b%25.png`);
});

test("a name leads nowhere, breaks no header and does not read in another order than it has", () => {
  const saved = (name: string) => decodeURIComponent(contentDisposition(name).split("''")[1] as string);
  expect(saved("../../etc/passwd")).toBe(".._.._etc_passwd");
  expect(saved("a\r\nset-cookie: x")).toBe("a__set-cookie: x");
  expect(saved("report\u202egnp.exe")).toBe("report_gnp.exe");
  expect(saved("a\u2066b\u2069.png")).toBe("a_b_.png");
  expect(saved("\u05d0\u200f.png")).toBe("\u05d0\u200f.png");
});

test("the longest name keeps its ending, whatever its characters are", () => {
  const name = `${"\u{1f600}".repeat(251)}.png`;
  expect(decodeURIComponent(contentDisposition(name).split("''")[1] as string)).toBe(name);
});
