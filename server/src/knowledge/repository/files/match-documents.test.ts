// Renames and moves are recognised; a copy is not taken for the original, and what names somebody else's Document is
// nobody's.
import { expect, test } from "vitest";
import { recognise } from "./match-documents.ts";

const row = (document_id: string, path: string, oid: string | null = `oid of ${document_id}`) => ({
  document_id,
  path,
  oid,
});
const outcome = (...args: Parameters<typeof recognise>) => {
  const { same, fresh, vanished } = recognise(...args);
  return {
    same: same.map(({ known, file }) => `${known.document_id} ${file.path}`),
    fresh: fresh.map(({ path }) => path),
    vanished: vanished.map(({ document_id }) => document_id),
  };
};

test("the same place is the same Document, whatever it says, also where somebody has cut the id away", () => {
  expect(
    outcome(
      [row("a", "a.md"), row("b", "b.md")],
      [
        { path: "a.md", oid: "new", id: null },
        { path: "b.md", oid: "oid of b" },
      ],
    ),
  ).toEqual({
    same: ["a a.md", "b b.md"],
    fresh: [],
    vanished: [],
  });
});

test("a rename is known by the id, and without one by what is in it", () => {
  expect(
    outcome(
      [row("a", "a.md"), row("b", "b.md")],
      [
        { path: "x/new.md", oid: "changed", id: "a" },
        { path: "y.md", oid: "oid of b", id: null },
      ],
    ),
  ).toEqual({
    same: ["a x/new.md", "b y.md"],
    fresh: [],
    vanished: [],
  });
});

test("two that change places are each still themselves", () => {
  expect(
    outcome(
      [row("a", "a.md"), row("b", "b.md")],
      [
        { path: "a.md", oid: "1", id: "b" },
        { path: "b.md", oid: "2", id: "a" },
      ],
    ).same,
  ).toEqual(["a b.md", "b a.md"]);
});

test("a copy is new, and the original stays where it was", () => {
  expect(
    outcome(
      [row("a", "a.md")],
      [
        { path: "A copy.md", oid: "oid of a", id: "a" },
        { path: "a.md", oid: "oid of a" },
      ],
    ),
  ).toEqual({
    same: ["a a.md"],
    fresh: ["A copy.md"],
    vanished: [],
  });
  expect(
    outcome(
      [row("a", "gone.md")],
      [
        { path: "1.md", oid: "1", id: "a" },
        { path: "2.md", oid: "2", id: "a" },
      ],
    ),
  ).toEqual({
    same: ["a 1.md"],
    fresh: ["2.md"],
    vanished: [],
  });
});

test("an id that nobody knows is nobody's, and what is not there any more has vanished; a folder without a file has not", () => {
  expect(
    outcome([row("a", "a.md"), row("f", "folder.md", null)], [{ path: "new.md", oid: "1", id: "foreign" }]),
  ).toEqual({
    same: [],
    fresh: ["new.md"],
    vanished: ["a"],
  });
});

test("a file that names an unknown id is not recognised by its content", () => {
  expect(outcome([row("a", "a.md")], [{ path: "new.md", oid: "oid of a", id: "foreign" }])).toEqual({
    same: [],
    fresh: ["new.md"],
    vanished: ["a"],
  });
});
