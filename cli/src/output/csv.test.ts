// Tables as spreadsheets write them, and as they can read them without running anything.
import fc from "fast-check";
import { expect, test } from "vitest";
import { csvLine, decoded, parseCsv } from "./csv.ts";

const cellsOf = (text: string, separator?: string) => parseCsv(text, separator).rows.map(({ cells }) => cells);

test("any line end, quotes with everything in them, and a mark at the beginning are read", () => {
  for (const end of ["\n", "\r\n", "\r"]) {
    const text = ["Title,State", 'Gears,"To ""do"", soon"', '"two\r\nlines",', ""].join(end);
    const bytes = new TextEncoder().encode(`\ufeff${text}`);
    expect(parseCsv(decoded(bytes))).toEqual({
      header: ["Title", "State"],
      separator: ",",
      rows: [
        { number: 2, cells: ["Gears", 'To "do", soon'] },
        { number: 3, cells: ["two\r\nlines", ""] },
      ],
    });
  }
});

test("the separator is found in the first line, outside of quotes, or named", () => {
  expect(cellsOf('"a,b,c";State\nGears;Todo')).toEqual([["Gears", "Todo"]]);
  expect(cellsOf("Title\tState\nGears, brass\tTodo")).toEqual([["Gears, brass", "Todo"]]);
  expect(cellsOf("Title\nGears; brass")).toEqual([["Gears; brass"]]);
  expect(cellsOf("Title\nGears; brass", ";")).toEqual([["Gears", " brass"]]);
});

test("empty lines are left out, and every row keeps the number that a spreadsheet shows", () => {
  expect(parseCsv("Title,State\n\nGears,\n\n,\nBrass,x").rows.map(({ number }) => number)).toEqual([3, 5, 6]);
});

test("UTF-16 of a spreadsheet is read, and what is neither is refused", () => {
  expect(decoded(Buffer.from("\ufeffTitle\tä", "utf16le"))).toBe("Title\tä");
  expect(() => decoded(Buffer.from([0x54, 0xe4]))).toThrow("not UTF-8");
});

test("what is broken is refused with its line", () => {
  expect(() => parseCsv('Title\n"a\nb"\n"open')).toThrow("Line 4 of the file is broken: a quote is never closed");
  expect(() => parseCsv('Title\n"a" b')).toThrow("Line 2 of the file is broken: something stands behind");
  expect(() => parseCsv("")).toThrow("empty");
});

test("no cell that is written begins as a formula does", () => {
  for (const cell of ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
    expect(csvLine([cell]).replace(/^"/, "")[0], cell).toBe("'");
  expect(csvLine(["a-b", 'say "x"', null, "a;b"])).toBe('a-b,"say ""x""",,"a;b"\r\n');
});

test("what was written is read as it was, whatever is in it", () => {
  const cell = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.string({ unit: fc.constantFrom("'", "=", "-", '"', ",", ";", "\n", "\r", "\t", "a", " ", "+", "@") }),
  );
  fc.assert(
    fc.property(
      fc.array(fc.tuple(cell, cell), { maxLength: 8 }),
      fc.constantFrom(",", ";", "\t"),
      (rows, separator) => {
        const text = [["One", "Two"], ...rows].map((cells) => csvLine(cells, separator)).join("");
        expect(cellsOf(text, separator)).toEqual(rows);
      },
    ),
  );
});
