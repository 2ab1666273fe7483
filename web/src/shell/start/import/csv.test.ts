// Tables as people bring them: what spreadsheets write is read, and what cannot become a Task is told by its row.
import { expect, test } from "vitest";
import { askedBy, columnsOf, parseTable } from "./csv.ts";

const known = { statuses: new Map([["todo", "s1"]]), labels: new Map([["bug", "l1"]]) };

test("quotes, separators in them, line ends of every kind and empty lines", () => {
  expect(parseTable('Title;Body\r\n"Cut; the ""gears""";"two\nlines"\r\n\r\nOil,all;x\n')).toEqual({
    header: ["Title", "Body"],
    rows: [
      { number: 2, cells: ['Cut; the "gears"', "two\nlines"] },
      { number: 4, cells: ["Oil,all", "x"] },
    ],
  });
  expect(parseTable("a\tb\n1\t")?.rows).toEqual([{ number: 2, cells: ["1", ""] }]);
});

test("a broken table is none, and an empty one too", () => {
  for (const text of ['a,b\n"never closed', 'a\n"x"y', "", "\n\n"]) expect(parseTable(text), text).toBeNull();
});

test("what was protected from being a formula is itself again", () => {
  expect(parseTable("title\n'=SUM(A1)\n'plain")?.rows.map(({ cells }) => cells)).toEqual([["=SUM(A1)"], ["'plain"]]);
});

test("columns are known by what people call them, also in German", () => {
  expect(columnsOf(["Summary", "Due Date", "Priorität", "Other"])).toEqual({ title: 0, due_date: 1, priority: 2 });
});

test("a row asks for a Task, with names for ids", () => {
  const columns = columnsOf(["title", "status", "labels", "priority", "due", "start"]);
  expect(askedBy(["Cut  gears", "Todo", "bug; BUG", "High", "2026-03-04", ""], columns, known)).toEqual({
    title: "Cut gears",
    status_id: "s1",
    label_ids: ["l1"],
    priority: "high",
    due_date: "2026-03-04",
  });
});

test.each([
  [["", "", "", "", "", ""], "rowTitle"],
  [["x".repeat(501), "", "", "", "", ""], "longTitle"],
  [["x", "Nowhere", "", "", "", ""], "badStatus"],
  [["x", "", "nothing", "", "", ""], "badLabel"],
  [["x", "", "", "very", "", ""], "badPriority"],
  [["x", "", "", "", "04.03.2026", ""], "badDate"],
  [["x", "", "", "", "2026-13-40", ""], "badDate"],
  [["x", "", "", "", "2026-03-04", "2026-03-05"], "datesCross"],
])("a row that cannot be a Task says why: %#", (cells, fault) => {
  const columns = columnsOf(["title", "status", "labels", "priority", "due", "start"]);
  expect(askedBy(cells, columns, known)).toMatchObject({ fault });
  expect(askedBy(["x".repeat(500), ...cells.slice(1).map(() => "")], columns, known)).toEqual({
    title: "x".repeat(500),
  });
});
