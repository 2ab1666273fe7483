// An answer loads nothing and leads nowhere else, whatever a model was made to write; and no text takes long.
import { type DocumentJson, fromMarkdown, type NodeJson } from "@svc/document/document.ts";
import { expect, test } from "vitest";
import { shownText } from "./shown-text-rules.ts";

const shown = (text: string) => shownText(text, "https://svc.example");

test.each([
  ["a picture", "![words](https://evil.example/x.png)", "words"],
  ["a picture with brackets in its words", "![a [b] c](https://evil.example)", "a [b] c"],
  ["a picture in a picture", "![a ![b](https://evil.example)](https://evil.example)", "a b"],
  ["a picture by a label", "![words][label]", "words"],
  ["a picture in a link", "[![words](https://evil.example)](/tasks/1)", "[words](/tasks/1)"],
  ["a link elsewhere", "[words](https://evil.example 'title')", "words"],
  ["a link in pointed brackets", "[words](<https://evil.example>)", "words"],
  ["a link without a scheme", "[words](//evil.example)", "words"],
  [
    "our own links",
    "[a](/b) [c](svc://task/d) [e](https://svc.example/f)",
    "[a](/b) [c](svc://task/d) [e](https://svc.example/f)",
  ],
  ["a definition", "a\n[label]: https://evil.example\nb", "a\n\nb"],
  ["a definition on two lines", "a\n[la\nbel]:\n  https://evil.example\nb", "a\n\nb"],
  ["HTML", "a <img src=x> <https://evil.example> b < c", "a   b < c"],
  ["a slash and a backslash", "[plan](/\\evil.example/x)", "plan"],
  ["an escaped slash", "[plan](/\\/evil.example)", "plan"],
  ["a slash as an entity", "[plan](/&#47;evil.example) [plan](/&sol;evil.example)", "plan plan"],
  ["a tab between two slashes", "[plan](</\t/evil.example>)", "[plan](/)"],
  ["a link within the address of ours", "[a](/b[c](https://evil.example)", "a"],
  ["an escaped bracket in the words of a picture", "![a\\]b](https://evil.example/p.png)", "a\\]b"],
  ["a bracket in code in the words of a link", "[a `]` b](https://evil.example)", "[a `]` b] (https://evil.example)"],
  ["words and an address with nothing in between", "[a][](b)(https://evil.example)", "[a] (https://evil.example)"],
  ["words and an address with a tag in between", "[a]<b>(https://evil.example)", "[a] (https://evil.example)"],
  ["a tag in a tag", "<<b>img src=x>", "< img src=x>"],
  [
    "a definition in a quote",
    "![x] and see [plan][x]\n\n> [x]: https://evil.example/p.png",
    "! [x] and see [plan][x]\n\n> [x] : https://evil.example/p.png",
  ],
  ["a definition in a list", "[x]\n\n1. - [x]: https://evil.example", "[x]\n\n1. - [x] : https://evil.example"],
  [
    "a definition of a label with an escaped bracket",
    "![a\\]b]\n\n[a\\]b]: https://evil.example/p.png",
    "! [a\\]b]\n\n[a\\]b] : https://evil.example/p.png",
  ],
  ["a definition behind the end of another line", "[x]\r\r[x]: https://evil.example", "[x]\n\n"],
  ["brackets that are no link", "[a] (b) [c", "[a] (b) [c"],
])("%s", (_what, text, expected) => expect(shown(text)).toBe(expected));

test.each(["![", "[", "[a](", "![a](b", "<a", "[a]:", "[\n", "]", "[a](b"])("%s, again and again, ends", (unit) => {
  expect(shown(unit.repeat(50_000)).length).toBeLessThanOrEqual(100_000);
});

const pieces = "[ ] ( ) ! < > \\ : ` a / & \n \t / | - > ' \"".split(" ");
const longer = [
  "[a](/b)",
  "[a](",
  "](",
  "![",
  "]:",
  "[a]:",
  "> ",
  "- ",
  "\n\n",
  "<b>",
  "&#47;",
  "/b",
  "[^1]:",
  "    ",
  "[]()",
  "\r",
];
const addresses = ["https://evil.example", "//evil.example", "/\\evil.example", "/b"];
/** Pictures, and links that say something else than where they lead. */
function leading({ type, attrs, text, marks = [], content = [] }: DocumentJson | NodeJson): unknown[] {
  const links = marks
    .filter(({ type, attrs }) => type === "link" && text !== attrs?.href)
    .map(({ attrs }) => attrs?.href);
  return [...(type === "image" ? [attrs?.src] : []), ...links, ...content.flatMap(leading)];
}
test("however brackets, tags, escapes and definitions are put together, the parser finds no picture and no link elsewhere", () => {
  let state = 7;
  const random = (below: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  const all = [...pieces, ...longer, ...addresses];
  let links = 0;
  for (let count = 0; count < 6000; count++) {
    const text = Array.from({ length: 4 + random(16) }, () => all[random(all.length)]).join("");
    const found = leading(fromMarkdown(shown(text)));
    links += found.length;
    expect(
      found.filter((href) => !/^\/(?![/\\])/.test(String(href))),
      JSON.stringify(text),
    ).toEqual([]);
  }
  expect(links).toBeGreaterThan(100);
});
