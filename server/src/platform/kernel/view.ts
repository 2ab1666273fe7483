// What a handler returns of rows that PostgreSQL has rendered (platform/database/view.ts).
import type { Capability } from "@svc/contract/capabilities.ts";
import type { ListRow, Rendered } from "./implement.ts";

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
