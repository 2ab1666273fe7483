// Maps the columns of a table to fields of a Task: which column is which field, how its values translate, and the
// request for a row. Unmappable columns and values are reported before anything is sent.
import { usage } from "../failure.ts";
import type { Table } from "../output/csv.ts";
import { PRIORITIES } from "../rows/pieces.ts";

/** Field names of the tool create_task, with common synonyms. */
const FIELDS: Record<string, readonly string[]> = {
  title: ["summary", "name"],
  description: ["description_markdown", "body"],
  priority: [],
  status: ["state"],
  assignee: [],
  labels: ["label", "tags"],
  milestone: [],
  parent: [],
  start_date: ["start", "start-date"],
  due_date: ["due", "due-date"],
};
const fieldOf = (name: string) => {
  const word = name.trim().toLowerCase().replaceAll(" ", "_");
  return Object.keys(FIELDS).find((field) => field === word || FIELDS[field]?.includes(word));
};
/** Fields that the command line's own operation accepts. Rows with other fields use the tool, which resolves names. */
export const PLAIN = ["title", "description", "priority"];

export interface Mapping {
  /** Column index by field. */
  columns: ReadonlyMap<string, number>;
  ignored: string[];
  said(field: string, word: string): string;
  /** Equal for equal mappings. */
  mark: string;
}

/** Parses `title=Title,status=State`; without it, maps the columns that have the name of a field. */
export function mappingOf(table: Table, maps: readonly string[], values: readonly string[]): Mapping {
  const { header } = table;
  const columns = new Map<string, number>();
  const put = (field: string, at: number) => {
    if (columns.has(field)) throw usage(`Two columns are ${field}.`, `Say which: --map ${field}=COLUMN`);
    columns.set(field, at);
  };
  const pairs = maps.flatMap((given) => given.split(",")).filter(Boolean);
  for (const pair of pairs) {
    const [, name = "", column = ""] = /^([^=]+)=(.+)$/.exec(pair) ?? [];
    const field = fieldOf(name);
    if (!field) throw usage(`${pair} maps to no field.`, `Fields are: ${Object.keys(FIELDS).join(", ")}`);
    const at = header.findIndex((each) => each.toLowerCase() === column.trim().toLowerCase());
    if (at < 0) throw usage(`There is no column ${column}.`, `There are: ${header.join(", ")}`);
    put(field, at);
  }
  if (pairs.length === 0)
    for (const [at, name] of header.entries()) {
      const field = fieldOf(name);
      if (field) put(field, at);
    }
  if (!columns.has("title"))
    throw usage("No column is the title.", `Say which: --map title=COLUMN. There are: ${header.join(", ")}`);
  const words = new Map(values.map(wordOf));
  const used = new Set(columns.values());
  return {
    columns,
    ignored: header.filter((name, at) => name !== "" && !used.has(at)),
    said: (field, word) => words.get(`${field}:${word.toLowerCase()}`) ?? word,
    mark: JSON.stringify([[...columns].sort(), [...words].sort()]),
  };
}
function wordOf(given: string): [string, string] {
  const [, name = "", from = "", to = ""] = /^([^:=]+):(.+?)=(.*)$/.exec(given) ?? [];
  const field = fieldOf(name);
  if (!field) throw usage(`${given} says nothing about a field.`, 'Write it so: --value "status:Doing=In Progress"');
  return [`${field}:${from.trim().toLowerCase()}`, to.trim()];
}

/** Splits a cell into names at line feeds, semicolons or commas. */
const namesIn = (cell: string) => {
  const by = ["\n", ";"].find((mark) => cell.includes(mark)) ?? ",";
  return cell.split(by).flatMap((name) => name.trim() || []);
};

export type Asked = Record<string, string | string[]> & { title: string };

/** The request for a row, or the reason why it cannot be sent. */
export function askedBy(cells: readonly string[], { columns, said }: Mapping, width: number): Asked | string {
  if (cells.slice(width).some((cell) => cell !== ""))
    return `It has ${cells.length} cells, and there are ${width} columns.`;
  const asked: Record<string, string | string[]> = {};
  for (const [field, at] of columns) {
    const cell = (cells[at] ?? "").replace(/\r\n?/g, "\n");
    const text = said(field, field === "description" ? cell : cell.trim());
    if (text.trim() === "") continue;
    asked[field] = field === "labels" ? namesIn(text).map((name) => said(field, name)) : text;
  }
  if (asked.title === undefined) return "It has no title.";
  if (typeof asked.priority === "string") {
    asked.priority = asked.priority.toLowerCase();
    if (!PRIORITIES.includes(asked.priority))
      return `Its priority must be one of ${PRIORITIES.join(", ")}, not ${asked.priority}.`;
  }
  for (const field of ["start_date", "due_date"])
    if (asked[field] !== undefined && !/^\d{4}-\d{2}-\d{2}$/.test(String(asked[field])))
      return `Its ${field} must be a day such as 2026-12-24, not ${asked[field]}.`;
  for (const field of ["parent", "milestone"]) if (asked[field]) asked[field] = String(asked[field]).toUpperCase();
  return asked as Asked;
}
