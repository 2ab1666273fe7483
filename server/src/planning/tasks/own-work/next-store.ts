// SQL of a member's next work: open Tasks, first those with a due date, soonest first, then the others, latest change
// first. Two ranges of two indexes, one after the other, because no index has both orders.
import type { Queries } from "../../../platform/database/db.ts";
import { filled, type PageBounds, parameters } from "../../../platform/database/scan-page.ts";
import { LAST_ID, NIL } from "../../../platform/wire/ids.ts";
import { examinedPage, type IndexRange } from "../lists/examined-page.ts";
import { isOpen, open } from "./work-store.ts";

const mine = "t.workspace_id = current_workspace() and t.trashed_at is null and t.assignee_actor_id = current_actor()";
const where = [open, "p.archived_at is null"];

const stretches = {
  dated: {
    which: `${mine} and t.completed_at is null and t.due_date is not null`,
    after: (due: string, id: string) => `(t.due_date, t.id) > (${due}::date, ${id}::uuid)`,
    first: ["-infinity", NIL],
    order: [
      ["due_date", "asc"],
      ["id", "asc"],
    ],
  },
  undated: {
    which: `${mine} and ${isOpen} and t.due_date is null`,
    after: (time: string, id: string) => `(t.updated_at, t.id) < (${time}::timestamptz, ${id}::uuid)`,
    first: ["infinity", LAST_ID],
    order: [
      ["updated_at", "desc"],
      ["id", "desc"],
    ],
  },
} as const;
type Name = keyof typeof stretches;

/** A page of one of the two ranges; its keys contain the range's name. */
async function stretchOf(tx: Queries, name: Name, json: string, page: PageBounds) {
  const { which, after, first, order } = stretches[name];
  const values = parameters();
  const [start, id] = (page.after ?? first).map(values.put) as [string, string];
  const stretch: IndexRange = {
    parts: [`select * from tasks t where ${which} and ${after(start, id)}`],
    order: order.map(([column, way]) => [column, way]),
  };
  const { rows, more } = await examinedPage(tx, stretch, { where, json }, values, page);
  const keyed = (key: string) => `["${name}",${key.slice(1)}`;
  return {
    rows: rows.map((row) => ({ ...row, key: keyed(row.key) })),
    more: more === null ? null : keyed(more),
  };
}

const START_OF_UNDATED = `["undated","infinity","${LAST_ID}"]`;
/** `json` is the SQL of the JSON of Task t in Project p. */
export const listOwnWork = (tx: Queries, json: string, page: PageBounds) =>
  filled(page, (rest) => bothOf(tx, json, rest));

/** Queries both ranges at once, so that a page is one round-trip. */
async function bothOf(tx: Queries, json: string, { after, limit }: PageBounds) {
  const [name = "dated", ...key] = after ?? [];
  if (name === "undated") return stretchOf(tx, "undated", json, { after: key, limit });
  const [dated, undated] = await Promise.all([
    stretchOf(tx, "dated", json, { after: after === null ? null : key, limit }),
    stretchOf(tx, "undated", json, { after: null, limit }),
  ]);
  if (dated.more !== null) return dated;
  const rows = [...dated.rows, ...undated.rows].slice(0, limit);
  if (rows.length === dated.rows.length + undated.rows.length) return { rows, more: undated.more };
  return { rows, more: rows.length > dated.rows.length ? (rows.at(-1)?.key ?? null) : START_OF_UNDATED };
}
