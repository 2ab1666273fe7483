// Reads and writes tables as CSV (RFC 4180). It reads what spreadsheets write (byte order mark, any line ending, other
// separators, UTF-16), and writes cells so that none becomes a formula. It repairs nothing: a malformed table is
// refused with the number of the faulty line.
import { usage } from "../failure.ts";

export interface Table {
  header: string[];
  /** Rows with their number in a spreadsheet; the header is 1. Empty lines are omitted but counted. */
  rows: { number: number; cells: string[] }[];
  separator: string;
}

export const SEPARATORS: Record<string, string> = { comma: ",", semicolon: ";", tab: "\t" };

/** Decodes the bytes as UTF-8 or UTF-16. */
export function decoded(bytes: Uint8Array): string {
  const wide = bytes[0] === 0xff && bytes[1] === 0xfe;
  try {
    return new TextDecoder(wide ? "utf-16le" : "utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw usage("The file is not UTF-8.", "Save it again as CSV in UTF-8.");
  }
}

/** The separator that occurs most often in the first line, outside of quotes. */
function separatorOf(text: string): string {
  const [line = ""] = text.replace(/"(?:[^"]|"")*"/g, "").split(/\r|\n/, 1);
  const count = (separator: string) => line.split(separator).length;
  return Object.values(SEPARATORS).reduce((best, each) => (count(each) > count(best) ? each : best));
}

export function parseCsv(text: string, given?: string): Table {
  const separator = given ?? separatorOf(text);
  const [header, ...rows] = records(text, separator);
  if (!header) throw usage("The file is empty.", "Its first line has the names of the columns.");
  return { header: header.cells.map((name) => name.trim()), rows, separator };
}

function records(text: string, separator: string): Table["rows"] {
  const found: Table["rows"] = [];
  let cells: string[] = [];
  let [at, number, line] = [0, 1, 1];
  const broken = (why: string) => usage(`Line ${line} of the file is broken: ${why}.`, "Mend it, and try again.");
  const end = () => {
    if (cells.length > 1 || cells[0] !== "") found.push({ number, cells: cells.map(plain) });
    cells = [];
    number++;
  };
  while (at < text.length) {
    if (text[at] === '"') {
      let cell = "";
      for (;;) {
        const close = text.indexOf('"', at + 1);
        if (close < 0) throw broken("a quote is never closed");
        cell += text.slice(at + 1, close);
        at = close + 1;
        if (text[at] !== '"') break;
        cell += '"';
      }
      cells.push(cell);
      if (at < text.length && !isEnd(text[at], separator)) throw broken("something stands behind a closed quote");
      line += cell.split("\n").length - 1;
    } else {
      const start = at;
      while (at < text.length && !isEnd(text[at], separator)) at++;
      cells.push(text.slice(start, at));
    }
    if (text[at] === separator) {
      at++;
      // A separator at the end of a line is followed by an empty cell.
      if (at === text.length || text[at] === "\n" || text[at] === "\r") cells.push("");
      else continue;
    }
    if (at >= text.length) break;
    at += text[at] === "\r" && text[at + 1] === "\n" ? 2 : 1;
    line++;
    end();
  }
  if (cells.length > 0) end();
  return found;
}
const isEnd = (letter: string | undefined, separator: string) =>
  letter === separator || letter === "\n" || letter === "\r";

/** Prefixes a cell that a spreadsheet would read as a formula with an apostrophe, which reading removes. */
const neutral = (cell: string) => (/^'*[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell);
const plain = (cell: string) => (/^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell);

export function csvLine(cells: readonly (string | null | undefined)[], separator = ","): string {
  const quoted = (cell: string) => (/["\r\n,;\t]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return `${cells.map((cell) => quoted(neutral(cell ?? ""))).join(separator)}\r\n`;
}
