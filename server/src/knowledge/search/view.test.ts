// Snippets of matches.
import { expect, test } from "vitest";
import type { Match } from "./store.ts";
import { resultOf } from "./view.ts";

test("a snippet has no Markdown, and its matches stand where the words are", () => {
  const text =
    `${"Before. ".repeat(500)}\n\n## Wheels\n\n- [x] All of **brass**, ` +
    `see [the *drawing*](https://example.com/brass) and \`cut.ts\`\n> snake_case <b>stays</b>`;
  const { snippet, snippet_matches } = resultOf({ title: "", text, words: ["brass"] } as Partial<Match> as Match);
  expect(snippet).toMatch(/Wheels All of brass, see the drawing and cut\.ts snake_case stays$/);
  expect(snippet_matches.map(([start, end]) => snippet.slice(start, end))).toEqual(["brass"]);
  const plain = "2 * 3 < 4 and a - b";
  expect(resultOf({ title: "", text: plain, words: [] } as Partial<Match> as Match).snippet).toBe(plain);
});

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

test("a snippet shows the words of a table, whole or cut, and no marks of it", () => {
  const snippet = (text: string) => resultOf({ title: "", text, words: ["brass"] } as Partial<Match> as Match).snippet;
  const table = "| Part | Metal |\n| :--- | ---: |\n| Gear | brass \\| steel |\n";
  expect(snippet(`Parts:\n\n${table}\nThat is all, a || b.`)).toBe(
    "Parts: Part Metal Gear brass | steel That is all, a || b.",
  );
  expect(snippet(`${"x".repeat(990)} | cut |\n|---|---|\n| brass | b |`)).toBe("cut brass b");
  expect(snippet("brass\n---\nbelow")).toBe("brass below");
});
