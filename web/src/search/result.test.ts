// What was found is marked without changing a letter of it, whatever the service says.
import { expect, test, vi } from "vitest";

vi.hoisted(() => Object.assign(globalThis, { window: { addEventListener() {} } }));
const { pieces } = await import("./result.tsx");

test("the text stays whole, with what matches apart", () => {
  expect(pieces("All of brass", [[7, 12]])).toEqual([
    { text: "All of ", hit: false, at: 0 },
    { text: "brass", hit: true, at: 7 },
  ]);
});

test.each([
  [[]],
  [[[0, 3]]],
  [[[2, 99]]],
  [
    [
      [3, 5],
      [4, 8],
    ],
  ],
  [
    [
      [8, 9],
      [0, 2],
    ],
  ],
])("no match, and no place that is none, loses a letter: %j", (matches) => {
  const text = "<b>All</b> of brass";
  expect(
    pieces(text, matches)
      .map((piece) => piece.text)
      .join(""),
  ).toBe(text);
});
