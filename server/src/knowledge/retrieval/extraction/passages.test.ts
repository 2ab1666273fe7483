// Passages, sentences, words and files: what a text is cut into, and that every place is exact.
import { deflateRawSync } from "node:zlib";
import { expect, test } from "vitest";
import { tokenizerOf } from "../index/tokens.ts";
import { termsOf } from "../index/words.ts";
import { isRead, textOfFile } from "./file-rules.ts";
import { passagesOf, sentencesOf } from "./passages.ts";

const said = (text: string, title = "") =>
  passagesOf(text, title).map(({ heading, start, end }) => [heading, text.slice(start, end)]);

test("a text is cut by its headings, and each passage knows what it stands under", () => {
  const text =
    "Before.\n\n# One\n\nFirst.\n\n## Two\n\nSecond.\n\n```\n# no heading\n\nsame block\n```\n\n# " +
    "Three\n\n   \n\nThird.";
  expect(said(text, "Title")).toEqual([
    ["Title", "Before."],
    ["Title › One", "First."],
    ["Title › One › Two", "Second.\n\n```\n# no heading\n\nsame block\n```"],
    ["Title › Three", "Third."],
  ]);
  expect(said(" \n\n---\n\n", "Title")).toEqual([]);
});

test("a long text is cut between sentences, then between words, then between characters, and nothing is lost", () => {
  const sentence = "This sentence has about forty characters. ";
  const long = sentence.repeat(60).trim();
  const parts = said(long).map(([, part]) => part as string);
  expect(parts.every((part) => part.length <= 700 && part.endsWith("."))).toBe(true);
  expect(parts.join(" ")).toBe(long);
  for (const text of ["word ".repeat(1000).trim(), "x".repeat(2000), "\u{1f600}a".repeat(900)]) {
    const pieces = said(text).map(([, part]) => part as string);
    expect(pieces.join("").replace(/ /g, "")).toBe(text.replace(/ /g, ""));
    expect(pieces.every((piece) => piece.length <= 700 && piece.isWellFormed())).toBe(true);
  }
  expect(passagesOf("A.\n\n".repeat(100_000), "").length).toBeLessThanOrEqual(2000);
});

test("sentences end where people end them", () => {
  const text =
    "Ask Dr. Miller at approx. 9 a.m. or later. It costs 3.50 euros! Is it z.B. here? Ja.\n- one item\n- two items";
  expect(sentencesOf(text).map(({ start, end }) => text.slice(start, end))).toEqual([
    "Ask Dr. Miller at approx. 9 a.m. or later.",
    "It costs 3.50 euros!",
    "Is it z.B. here?",
    "Ja.",
    "- one item",
    "- two items",
  ]);
});

test("words meet in their forms, without those that every text has", () => {
  const same = (one: string, other: string) => [...termsOf(one)].join() === [...termsOf(other)].join();
  expect(same("rotating the keys", "rotated key")).toBe(true);
  expect(same("Die Schlüssel", "schlussel")).toBe(true);
  expect(same("Straße", "STRASSE")).toBe(true);
  expect(same("boat", "goat")).toBe(false);
  expect(termsOf("what is it").length, "a text of nothing else keeps them").toBe(3);
});

test("pieces of words are the longest that are known", () => {
  const vocab = Object.fromEntries(
    ["[UNK]", "[CLS]", "[SEP]", "play", "##ing", "##ed", "cafe", "!", "中"].map((each, at) => [each, at]),
  );
  const tokens = tokenizerOf({ model: { vocab } });
  expect(tokens("Playing café! 中中 xyz", 20)).toEqual([1, 3, 4, 6, 7, 8, 8, 0, 2]);
  expect(tokens("played ".repeat(50), 8)).toEqual([1, 3, 5, 3, 5, 3, 5, 2]);
});

/** An archive of one entry. */
function zipOf(name: string, content: string, deflate = true): Buffer {
  const [raw, named] = [Buffer.from(content), Buffer.from(name)];
  const packed = deflate ? deflateRawSync(raw) : raw;
  const local = Buffer.alloc(30);
  local.write("PK\x03\x04", "latin1");
  local.writeUInt16LE(named.length, 26);
  const entry = Buffer.alloc(46);
  entry.write("PK\x01\x02", "latin1");
  entry.writeUInt16LE(deflate ? 8 : 0, 10);
  entry.writeUInt32LE(packed.length, 20);
  entry.writeUInt32LE(raw.length, 24);
  entry.writeUInt16LE(named.length, 28);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(local.length + named.length + packed.length, 16);
  return Buffer.concat([local, named, packed, entry, named, end]);
}
const DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
const paragraph = (text: string, style = "") =>
  `<w:p w:rsid="1"><w:pPr>${style && `<w:pStyle w:val="${style}"/>`}</w:pPr><w:r><w:t ` +
  `xml:space="preserve">${text}</w:t></w:r></w:p>`;

test("a Word document is its paragraphs and headings; what is damaged, huge or something else is nothing", async () => {
  const xml = `<w:document><w:body>${paragraph("Plans &amp; more", "Heading2")}${paragraph("First &#8211; ")}${paragraph("")}</w:body></w:document>`;
  for (const deflate of [true, false])
    expect(await textOfFile(DOCX, zipOf("word/document.xml", xml, deflate))).toBe("## Plans & more\n\nFirst – ");
  expect(await textOfFile(DOCX, zipOf("other.xml", xml))).toBeNull();
  expect(await textOfFile(DOCX, zipOf("word/document.xml", paragraph("x".repeat(20_000_000))))).toBeNull();
  expect(await textOfFile(DOCX, Buffer.from("no archive"))).toBeNull();
  expect(await textOfFile("text/plain", Buffer.from("Grüße"))).toBe("Grüße");
  expect(await textOfFile("text/plain", Buffer.from([0xff, 0xfe, 0xff]))).toBeNull();
  expect(await textOfFile("text/plain", Buffer.alloc(1024 * 1024 + 1, "a"))).toBeNull();
});

test("text, PDF and Word files are read, other files are not", () => {
  expect(["text/plain", "text/markdown", "application/pdf", DOCX].filter((type) => !isRead(type))).toEqual([]);
  expect(["image/png", "application/json", "application/zip", "video/mp4"].filter(isRead)).toEqual([]);
});
