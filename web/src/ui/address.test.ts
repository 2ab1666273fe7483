// Addresses of pages: what a pattern takes, and what it refuses without a fault.
import { expect, test, vi } from "vitest";

vi.hoisted(() => Object.assign(globalThis, { window: { addEventListener() {} } }));
const { matched } = await import("./address.ts");

test("a pattern names the variable parts of a path, decoded", () => {
  expect(matched("projects/:key/list", "projects/ENG/list")).toEqual({ key: "ENG" });
  expect(matched("documents/:path", "documents/a%20b")).toEqual({ path: "a b" });
  expect(matched("projects/:key", "projects/ENG/list")).toBeNull();
});

test("a path with a % that begins nothing is the address of no page", () => {
  expect(matched("projects/:key", "projects/%E0%A4%A")).toBeNull();
  expect(matched("projects/:key", "projects/%")).toBeNull();
});
