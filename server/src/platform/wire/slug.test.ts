// Slugs from names in any script.
import { expect, test } from "vitest";
import { slugCandidates, slugOf } from "./slug.ts";

test("a name becomes lowercase ASCII words joined by single hyphens", () => {
  expect(slugOf("  Analytical   Engines, Ltd. ", 48)).toBe("analytical-engines-ltd");
  expect(slugOf("Zürich Straße", 48)).toBe("zurich-strasse");
  expect(slugOf("Łódź & Ærø", 48)).toBe("lodz-aero");
  expect(slugOf("Ada's ﬁrst ②", 48)).toBe("adas-first-2");
  expect(slugOf("株式会社 Sony", 48)).toBe("sony");
});

test("a name without anything that ASCII can write gives nothing", () => {
  for (const name of ["株式会社", "Компания", "🦉🦉", "---", ""]) expect(slugOf(name, 48)).toBe("");
});

test("a slug is never longer than it may be and never ends in a hyphen", () => {
  expect(slugOf(`${"a".repeat(9)} bcd`, 10)).toBe("a".repeat(9));
  for (const candidate of slugCandidates(`${"a".repeat(45)}-bc`, 48)) {
    expect(candidate.length).toBeLessThanOrEqual(48);
    expect(candidate).toMatch(/^[a-z0-9]+(?:-+[a-z0-9]+)*$/);
  }
});

test("the candidates are the slug, then numbered, then by chance", () => {
  expect(slugCandidates("ada", 30).slice(0, 3)).toEqual(["ada", "ada-2", "ada-3"]);
  expect(slugCandidates("ada", 30).at(-1)).not.toBe(slugCandidates("ada", 30).at(-1));
});
