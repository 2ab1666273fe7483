// Row -> wire, generated from the contract: json_build_object over the schema's properties, so that a field without a column fails
// when the statement is prepared and the two cannot drift apart. PostgreSQL builds the JSON and Node passes it through.
import type { TSchema } from "typebox";
import type { Rendered } from "./implement.ts";

type Properties = Record<string, TSchema & { format?: string; type?: unknown }>;

/** `alias` is the row's alias in the query; `computed` gives SQL for the properties that are not plain columns. */
export function view(schema: TSchema, alias: string, computed: Record<string, string> = {}): string {
  const { properties } = schema as unknown as { properties: Properties };
  const pairs = Object.entries(properties)
    .filter(([name]) => name !== "capabilities")
    .map(([name, property]) => `'${name}', ${computed[name] ?? column(`${alias}.${name}`, name, property)}`);
  return `json_build_object(${pairs.join(", ")})::text`;
}

function column(sql: string, name: string, property: { format?: string }): string {
  if (name === "revision") return `${sql}::text`;
  return property.format === "date-time" ? `wire_time(${sql})` : sql;
}

/** A single-resource answer: the view and what the caller may do with it. */
export function render(row: { json: string; revision?: string }, capabilities: readonly string[]): Rendered {
  return { json: `${row.json.slice(0, -1)}, "capabilities": ${JSON.stringify(capabilities)}}`, revision: row.revision };
}
