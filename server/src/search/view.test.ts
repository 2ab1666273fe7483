// What is shown of a match.
import { expect, test } from "vitest";
import type { Match } from "./store.ts";
import { resultOf } from "./view.ts";

test("a snippet ends with a whole character", () => {
  for (const lead of ["gears ", "gears  x"]) {
    const { snippet } = resultOf({
      title: "",
      text: lead + "\u{1f600}".repeat(200),
      words: ["gears"],
    } as Partial<Match> as Match);
    expect(snippet.isWellFormed()).toBe(true);
  }
});
