// Row -> wire, generated from the contract: an object of the schema's properties, so that a field without a column fails
// when the statement is prepared and the two cannot drift apart. PostgreSQL builds the JSON and Node passes it through.
import type { Capability } from "@svc/contract/capabilities.ts";
import type { TSchema } from "typebox";
import type { ListRow, Rendered } from "./implement.ts";

interface Property {
  type?: string | string[];
  format?: string;
  enum?: unknown[];
}

/** `alias` is the row's alias in the query; `computed` gives SQL for the properties that are not plain columns. */
export function view(schema: TSchema, alias: string, computed: Record<string, string> = {}): string {
  const { properties, required = [] } = schema as unknown as {
    properties: Record<string, Property>;
    required?: string[];
  };
  // What need not be there is added where it is asked for.
  const fields = Object.entries(properties)
    .filter(([name]) => name !== "capabilities" && required.includes(name))
    .map(([name, property], at) => {
      const sql = computed[name] ?? column(`${alias}.${name}`, property);
      return `'${at === 0 ? "" : ","}"${name}":', ${jsonOf(sql, name, property)}`;
    });
  return `concat('{', ${fields.join(", ")}, '}')`;
}

const column = (sql: string, { format }: Property) => (format === "date-time" ? `wire_time(${sql})` : sql);

/** Text as it stands in JSON, put together from texts: half of what json_build_object takes, which looks up every type again for every row. */
function jsonOf(sql: string, name: string, { type, format, enum: words }: Property): string {
  if (sql === "null") return "'null'";
  const plain = name === "revision" || words !== undefined || PLAIN.has(format ?? "");
  if (plain) return `coalesce('"' || (${sql}) || '"', 'null')`;
  const types = [type].flat();
  return types.includes("integer") || types.includes("boolean")
    ? `coalesce((${sql})::text, 'null')`
    : `coalesce(to_json(${sql})::text, 'null')`;
}
/** Formats whose values hold nothing that JSON would escape. */
const PLAIN = new Set(["uuid", "date", "date-time"]);

/** A single-resource answer: the view and what the caller may do with it. */
export const render = (
  { json, revision }: { json: string; revision?: string },
  capabilities: readonly Capability[],
): Rendered => ({ json, revision, capabilities });

/** With more fields in it. */
export const extended = (rendered: Rendered, fields: Record<string, unknown>): Rendered => ({
  ...rendered,
  json: `${rendered.json.slice(0, -1)}, ${JSON.stringify(fields).slice(1)}`,
});

/** A page of what was examined: what does not count is left out of it, and the next goes on behind it all the same. */
export function examinedPage<Row extends { key: string; json: string | null }>(
  found: Row[],
  limit: number,
  show: (json: string, row: Row) => string = (json) => json,
): { rows: ListRow[]; more: string | null } {
  const examined = found.slice(0, limit);
  return {
    rows: examined.flatMap((row) => (row.json === null ? [] : [{ key: row.key, json: show(row.json, row) }])),
    more: found.length > limit ? (examined.at(-1)?.key ?? null) : null,
  };
}
