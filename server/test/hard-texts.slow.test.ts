// Texts that people may send, made to let an expression backtrack: each is as long as its limit allows, and ends. A
// quadratic expression takes from ten seconds to hours for one of them, and the test does not end in time.
import { describe, expect, test } from "vitest";
import { sentencesOf as askedOf, understood } from "../src/assistant/discuss/language/intents.ts";
import { shownText } from "../src/assistant/runs/shown-text-rules.ts";
import { mentionsIn } from "../src/history/inbox/rules.ts";
import { parseFile } from "../src/knowledge/repository/files/front-matter.ts";
import { citedSentences } from "../src/knowledge/retrieval/cited-rules.ts";
import { passagesOf, sentencesOf } from "../src/knowledge/retrieval/extraction/passages.ts";
import { urlSigner } from "../src/platform/outside/signed-url.ts";
import { sentencesOf as spokenOf } from "../src/platform/outside/voice/mouth.ts";

const LONGEST = 262_144;
const filled = (unit: string, length: number) => unit.repeat(Math.floor(length / unit.length));
const between = (start: string, unit: string, length: number, end: string) =>
  start + filled(unit, length - start.length - end.length) + end;

describe("a message to the assistant", () => {
  const most = 32_768;
  test.each([
    ["blanks", between("", " ", most, "x")],
    ["a status of blanks", between("move ENG-1 to ", " ", most, "\nx")],
    ["a person of blanks", between("assign ENG-1 to a", " ", most, "\nx")],
    ["an Agent of blanks", between("ask a", " ", most, "x")],
    ["a reminder of blanks", between("remind me ", " ", most, "x")],
    ["a comment of blanks", between("comment ENG-1", " ", most, "x")],
    ["a title of blanks", between('create a task "', " ", most, "x")],
  ])("%s: is read in no time", (_what, words) => {
    expect(understood(words)).toBeNull();
    expect(askedOf(filled(words, LONGEST)).length).toBeGreaterThanOrEqual(0);
  });

  test("is understood with blanks around and within it", () => {
    expect(understood("  move   ENG-1 to\n In Review . ")?.said).toEqual({ code: "ENG-1", status: "In Review" });
    expect(understood(" comment on eng-1 :  two\n\nlines ")?.said).toEqual({ code: "ENG-1", markdown: "two\n\nlines" });
    expect(understood("ask Scribe : summarise it")?.said).toEqual({ agent: "Scribe", task: "summarise it" });
  });

  test("has a text of at most 20,000 characters of its own", () => {
    expect(understood(`comment ENG-1: ${"a".repeat(20_000)}`)?.intent).toBe("comment");
    expect(understood(`comment ENG-1: ${"a".repeat(20_001)}`)).toBeNull();
  });
});

const units = [
  "\n",
  " ",
  "\t",
  "[",
  "![",
  "](",
  "[a](",
  "<a",
  "<",
  "@a.",
  "@a",
  "# ",
  "#\t",
  "`",
  "```",
  "- ",
  "1. ",
  ". ",
  "\n ",
  "a\n",
];

describe.each(units)("%j, again and again", (unit) => {
  const text = between("a", unit, LONGEST, "b");
  test.each<[string, (text: string) => unknown]>([
    ["sentences of an answer", askedOf],
    ["mentions", mentionsIn],
    ["sentences of Knowledge", sentencesOf],
    ["passages of Knowledge", (each) => passagesOf(each, "Title")],
    ["cited sentences", (each) => citedSentences(each, [])],
    ["spoken sentences", spokenOf],
    ["the text of an answer", (each) => shownText(each, "https://svc.example")],
    ["a title in front matter", (each) => parseFile(`---\ntitle: ${each.replaceAll("\n", " ")}\n---\n`)],
  ])("%s", (_what, read) => {
    expect(() => read(text)).not.toThrow();
  });
});

test("labels in front matter that are not closed are refused, however long they are", () => {
  const labels = between("[", " ]", 62_000, "#");
  expect(() => parseFile(`---\nlabels: ${labels}\n---\n`)).toThrow();
  expect(parseFile(`---\ntitle: a${"\t".repeat(62_000)}b # comment\n---\n`).title).toBe("a b");
});

test("a signed address of the longest head is opened or refused at once", () => {
  const urls = urlSigner([{ id: "one", key: Buffer.alloc(32) }]);
  const signed = urls.sign("GET", "/storage/x", 60);
  expect(urls.open("GET", signed)).not.toBeNull();
  expect(urls.open("GET", between("/storage/", "?until=1&by=a", 16_000, `&signature=${"a".repeat(42)}`))).toBeNull();
});
