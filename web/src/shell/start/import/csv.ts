// Parses CSV as spreadsheets save it (RFC 4180: any line end, comma, semicolon or tab) and converts its rows to Tasks.
// Cells are never guessed: a row that cannot become a Task is reported with its number. Pure.
export interface Table {
  header: string[];
  /** Rows with the row number that a spreadsheet shows. */
  rows: { number: number; cells: string[] }[];
}
const SEPARATORS = [",", ";", "\t"];
const separatorOf = (text: string) => {
  const [line = ""] = text.replace(/"(?:[^"]|"")*"/g, "").split(/\r|\n/, 1);
  const count = (separator: string) => line.split(separator).length;
  return SEPARATORS.reduce((best, each) => (count(each) > count(best) ? each : best));
};

/** Returns null if a quote is never closed, or followed by text. */
export function parseTable(text: string): Table | null {
  const separator = separatorOf(text);
  const cell = new RegExp(
    `(?:"((?:[^"]|"")*)"|([^"${separator}\\r\\n][^${separator}\\r\\n]*|))(${separator}|\\r\\n|\\r|\\n|$)`,
    "y",
  );
  const records: Table["rows"] = [];
  let cells: string[] = [];
  let number = 1;
  while (cell.lastIndex < text.length || cells.length > 0) {
    const found = cell.exec(text);
    if (!found) return null;
    const [, quoted, bare = "", end] = found;
    cells.push(plain(quoted === undefined ? bare : quoted.replaceAll('""', '"')));
    if (end === separator) continue;
    if (cells.some((each) => each !== "")) records.push({ number, cells });
    cells = [];
    number++;
    if (end === "") break;
  }
  const [header, ...rows] = records;
  return header ? { header: header.cells.map((name) => name.trim()), rows } : null;
}
/** Removes the apostrophe that protects a cell from being parsed as a formula. */
const plain = (cell: string) => (/^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell);

/** Column names of the fields, in English and German. */
const names = {
  title: ["title", "summary", "name", "titel", "aufgabe"],
  description_markdown: ["description", "description_markdown", "body", "beschreibung"],
  status: ["status", "state"],
  priority: ["priority", "priorität"],
  start_date: ["start_date", "start", "start-date", "beginn"],
  due_date: ["due_date", "due", "due-date", "fällig", "fälligkeit"],
  labels: ["labels", "label", "tags"],
} as const;
export type Field = keyof typeof names;
export const fields = Object.keys(names) as Field[];
/** Finds the column of each field by its header. */
export function columnsOf(header: readonly string[]): Partial<Record<Field, number>> {
  const word = (name: string) => name.trim().toLowerCase().replaceAll(" ", "_");
  const found: Partial<Record<Field, number>> = {};
  for (const field of fields) {
    const at = header.findIndex((name) => (names[field] as readonly string[]).includes(word(name)));
    if (at >= 0) found[field] = at;
  }
  return found;
}

export interface Known {
  /** Ids by lower-case name. */
  statuses: ReadonlyMap<string, string>;
  labels: ReadonlyMap<string, string>;
}
export interface ImportedTask {
  title: string;
  description_markdown?: string;
  status_id?: string;
  priority?: "none" | "low" | "medium" | "high" | "urgent";
  start_date?: string;
  due_date?: string;
  label_ids?: string[];
}
export type Fault = "rowTitle" | "longTitle" | "badPriority" | "badDate" | "badStatus" | "badLabel" | "datesCross";

/** Converts a row to a Task, or returns the fault and the word that caused it. */
export function askedBy(
  cells: readonly string[],
  columns: Partial<Record<Field, number>>,
  { statuses, labels }: Known,
): ImportedTask | { fault: Fault; word: string } {
  const said = (field: Field) => (columns[field] === undefined ? "" : (cells[columns[field]] ?? "").trim());
  const title = said("title").replace(/\s+/g, " ");
  if (title === "") return { fault: "rowTitle", word: "" };
  if (title.length > 500) return { fault: "longTitle", word: title.slice(0, 40) };
  const asked: ImportedTask = { title };
  if (said("description_markdown")) asked.description_markdown = said("description_markdown");
  const priority = said("priority").toLowerCase();
  if (priority) {
    if (!["none", "low", "medium", "high", "urgent"].includes(priority))
      return { fault: "badPriority", word: priority };
    asked.priority = priority as ImportedTask["priority"];
  }
  for (const field of ["start_date", "due_date"] as const) {
    const day = said(field);
    if (day === "") continue;
    if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || Number.isNaN(Date.parse(day))) return { fault: "badDate", word: day };
    asked[field] = day;
  }
  if (asked.start_date && asked.due_date && asked.start_date > asked.due_date)
    return { fault: "datesCross", word: asked.due_date };
  const status = said("status");
  if (status) {
    asked.status_id = statuses.get(status.toLowerCase());
    if (asked.status_id === undefined) return { fault: "badStatus", word: status };
  }
  const wanted = said("labels")
    .split(/[;,\n]/)
    .flatMap((name) => name.trim() || []);
  for (const name of wanted) {
    const id = labels.get(name.toLowerCase());
    if (id === undefined) return { fault: "badLabel", word: name };
    asked.label_ids = [...new Set([...(asked.label_ids ?? []), id])];
  }
  return asked;
}
