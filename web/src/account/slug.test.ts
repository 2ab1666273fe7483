// The browser suggests the slug that the service would make, and counts passwords as it does.
import { expect, test } from "vitest";
import { slugOf as ofTheService } from "../../../server/src/platform/wire/slug.ts";
import { LONGEST, lengthOf, passwordFault, SHORTEST } from "./sign-in/password-rules.ts";
import { SLUG_LENGTH, slugFault, slugOf } from "./slug.ts";

test("a name suggests what the service would make of it", () => {
  for (const name of [
    "  Analytical   Engines, Ltd. ",
    "Zürich Straße",
    "Łódź & Ærø",
    "Ada's ﬁrst ②",
    "株式会社",
    `${"a".repeat(47)} b`,
  ])
    expect(slugOf(name), name).toBe(ofTheService(name, SLUG_LENGTH));
});

test("what the service would refuse is said before it is sent", () => {
  for (const slug of ["", "-a", "a-", "A", "a b", "ä", "a".repeat(49)]) expect(slugFault(slug), slug).not.toBeNull();
  for (const slug of ["a", "a--b", "9", "a".repeat(48)]) expect(slugFault(slug), slug).toBeNull();
});

test("a password is refused below 12 and above 128 characters, counted as the service counts them", () => {
  expect(passwordFault("x".repeat(SHORTEST - 1))).toMatch(/1 more/);
  expect(passwordFault("x".repeat(SHORTEST))).toBeNull();
  expect(passwordFault("x".repeat(LONGEST))).toBeNull();
  expect(passwordFault("x".repeat(LONGEST + 1))).toMatch(/1 fewer/);
  expect(lengthOf("🦉".repeat(12))).toBe(12);
  expect(lengthOf("e\u0301")).toBe(1);
});
