// Prints a result: as JSON with the selected fields, as the output of a jq filter, or as text.
import type { Result } from "../command.ts";
import { usage } from "../failure.ts";
import type { Screen } from "./screen.ts";

type Row = Record<string, unknown>;

function picked(row: Row, names: readonly string[]): Row {
  const unknown = names.find((name) => !(name in row));
  if (unknown !== undefined)
    throw usage(`There is no field ${unknown}.`, `There are: ${Object.keys(row).sort().join(", ")}`);
  return Object.fromEntries(names.map((name) => [name, row[name]]));
}

/** Selects fields of an object, or of each item of a list. */
function withFields(data: Row, fields: string): Row {
  const names = fields.split(",").map((name) => name.trim());
  if (names.includes("all")) return data;
  return Array.isArray(data.items)
    ? { ...data, items: data.items.map((item: Row) => picked(item, names)) }
    : picked(data, names);
}

export async function shown(
  result: Result,
  { json, jq }: { json: string | undefined; jq: string | undefined },
  screen: Screen,
): Promise<string> {
  if (json === undefined && jq === undefined) return ended(result.text(screen));
  const data = withFields(result.data, json ?? "all");
  if (jq === undefined) return ended(JSON.stringify(data, null, screen.columns === null ? 0 : 2));
  const { filtered } = await import("./jq.ts");
  return filtered(jq, data)
    .map((found) => ended(typeof found === "string" ? found : JSON.stringify(found)))
    .join("");
}

const ended = (text: string) => (text === "" || text.endsWith("\n") ? text : `${text}\n`);
