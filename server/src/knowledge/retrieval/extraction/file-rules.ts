// Extracts the text of a file: UTF-8 text, a Word document (docx) from its archive, and a PDF in a thread of its own.
// Sizes are bounded: a small file must not expand to a large text. Other files have no text. Pure except for unpacking.
import { inflateRawSync } from "node:zlib";
import { textOfPdf } from "./pdf.ts";

const DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
const PDF = "application/pdf";
/** Maximum size of a file, and of its text, in bytes. */
export const MOST_BYTES = 8 * 1024 * 1024;
const MOST_TEXT = 1024 * 1024;

export const isRead = (contentType: string) =>
  contentType.startsWith("text/") || contentType === DOCX || contentType === PDF;

const inUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** Returns null if the type is another, the file is damaged, or the text is too long. */
export async function textOfFile(contentType: string, bytes: Buffer): Promise<string | null> {
  if (bytes.length > MOST_BYTES) return null;
  try {
    if (contentType === PDF) return await textOfPdf(bytes);
    if (contentType === DOCX) return textOfXml(inUtf8.decode(entryOf(bytes, "word/document.xml")));
    return bytes.length <= MOST_TEXT ? inUtf8.decode(bytes) : null;
  } catch {
    return null;
  }
}

/** Extracts one entry of a ZIP archive, found by the directory at its end. */
function entryOf(bytes: Buffer, wanted: string): Buffer {
  const end = bytes.lastIndexOf("PK\x05\x06", undefined, "latin1");
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    const [nameLength, extraLength, noteLength] = [28, 30, 32].map((field) => bytes.readUInt16LE(at + field)) as [
      number,
      number,
      number,
    ];
    if (bytes.toString("utf8", at + 46, at + 46 + nameLength) === wanted) {
      const local = bytes.readUInt32LE(at + 42);
      const from = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
      const packed = bytes.subarray(from, from + bytes.readUInt32LE(at + 20));
      return bytes.readUInt16LE(at + 10) === 0 ? packed : inflateRawSync(packed, { maxOutputLength: MOST_BYTES });
    }
    at += 46 + nameLength + extraLength + noteLength;
  }
  throw new Error(`the archive has no ${wanted}`);
}

const NAMED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
/** Each part extends from the first start of a paragraph to its end. */
const paragraphsOf = (xml: string) =>
  xml
    .split("</w:p>")
    .slice(0, -1)
    .flatMap((part) => {
      const start = part.search(/<w:p[ >]/);
      return start < 0 ? [] : [part.slice(start)];
    });
/** Joins paragraphs with empty lines, and marks headings as in Markdown. */
function textOfXml(xml: string): string | null {
  const paragraphs = paragraphsOf(xml).map((paragraph) => {
    const level = /<w:pStyle w:val="(?:Heading|berschrift|Überschrift)([1-6])"/.exec(paragraph)?.[1];
    const text = Array.from(
      paragraph.matchAll(/<w:t(?: [^<>]*)?>([^<]*)<\/w:t>|<w:(?:tab|br|cr)(?: [^<>]*)?\/>/g),
      ([, said]) =>
        said === undefined
          ? " "
          : said.replace(/&(?:#(x?)([0-9a-fA-F]+)|(\w+));/g, (all, hex, code, name) =>
              name ? (NAMED[name] ?? all) : String.fromCodePoint(Number.parseInt(code, hex ? 16 : 10)),
            ),
    ).join("");
    return level && text ? `${"#".repeat(Number(level))} ${text}` : text;
  });
  const text = paragraphs.filter((each) => each.trim() !== "").join("\n\n");
  return Buffer.byteLength(text) <= MOST_TEXT ? text : null;
}
