// Names of files: the same and possible on every platform, and none that could mean another place.
import { expect, test } from "vitest";
import { folded, freePath, isOurs, isSafe, lastOf, MOST_LEVELS, nameOf, placesIn, takenBy, titleOf } from "./names.ts";

test("a title becomes a name that every platform can have", () => {
  for (const [title, name] of [
    ["Getting started!", "getting-started"],
    ["  Über uns / Team ", "über-uns-team"],
    ["会議 メモ", "会議-メモ"],
    ["../../etc/passwd", "etc-passwd"],
    ["CON", "con-1"],
    ["com1", "com1-1"],
    ["README", "readme-1"],
    ["Index", "index-1"],
    ["???", "document"],
    ["a".repeat(200), "a".repeat(60)],
  ] as const)
    expect(nameOf(title)).toBe(name);
  expect(titleOf("getting-started.md")).toBe("Getting started");
});

test("names that lead elsewhere, hide or are impossible somewhere are not safe", () => {
  for (const path of [
    "../a.md",
    "a/../b.md",
    "/a.md",
    "a//b.md",
    "./a.md",
    "a\\b.md",
    "C:a.md",
    "a\u0000.md",
    "a\n.md",
    "con.md",
    "a/NUL.md",
    "a./b.md",
    "a /b.md",
    ".git/a.md",
    ".GIT/a.md",
    "git~1/a.md",
    ".g\u200cit/a.md",
    "a?.md",
    `${"x".repeat(253)}.md`,
    `${"x/".repeat(600)}a.md`,
  ])
    expect(isSafe(path), JSON.stringify(path)).toBe(false);
  for (const path of ["a.md", "ä/b c.md", "a.b/c.md", "console.md", "日本.md"]) expect(isSafe(path), path).toBe(true);
});

test("Markdown is ours, unless it is hidden; everything else never is", () => {
  for (const path of ["a.md", "A.MD", "x/b.markdown"]) expect(isOurs(path)).toBe(true);
  for (const path of ["a.txt", "md", ".github/a.md", "x/.hidden.md", "a.md.png"]) expect(isOurs(path)).toBe(false);
});

test("a folder belongs to the Document of its name, and to its README or index", () => {
  const { stemOf, parentOf, levelOf } = placesIn(["a/b.md", "a/README.md", "README.md", "c.md", "c/index.md"]);
  expect([stemOf("a/b.md"), parentOf("a/b.md"), levelOf("a/b.md")]).toEqual(["a/b", "a", 2]);
  expect([stemOf("a/README.md"), parentOf("a/README.md"), levelOf("a/README.md")]).toEqual(["a", "", 1]);
  expect([stemOf("README.md"), parentOf("README.md")]).toEqual(["README", ""]);
  expect([stemOf("c.md"), stemOf("c/index.md"), parentOf("c/index.md")]).toEqual(["c", "c/index", "c"]);
});

test("a new name meets no other, however it is written, and no folder", () => {
  const taken = takenBy(["Guide.MD", "x/Notes/a.png", "u\u0308ber.md"]);
  expect(freePath("", "guide", taken)).toBe("guide-2.md");
  expect(freePath("x", "notes", taken)).toBe("x/notes-2.md");
  expect(freePath("", "über", taken)).toBe("über-2.md");
  expect(freePath("", "other", taken)).toBe("other.md");
});

test("letters that some platform does not tell apart are one name, and a tree has as many levels as that of Documents", () => {
  expect(folded("U\u0308ber.MD")).toBe(folded("über.md"));
  expect([lastOf("a/b/c"), lastOf("a"), MOST_LEVELS]).toEqual(["c", "a", 20]);
});
