// Handler results made of rows that PostgreSQL rendered (platform/database/view.ts).
import type { Capability } from "@svc/contract/capabilities.ts";
import type { ListRow, Rendered } from "./implement-operation.ts";

/** Renders one resource: its view and the caller's capabilities on it. */
export const render = (
  { json, revision }: { json: string; revision?: string },
  capabilities: readonly Capability[],
): Rendered => ({ json, revision, capabilities });

/** Adds fields to a rendered resource. */
export const extended = (rendered: Rendered, fields: Record<string, unknown>): Rendered => ({
  ...rendered,
  json: `${rendered.json.slice(0, -1)}, ${JSON.stringify(fields).slice(1)}`,
});

/** Builds a page of scanned rows: omits those without JSON, and continues after the last scanned row. */
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
