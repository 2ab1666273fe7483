// Creates a change: new idempotency key, base revision, and previous values of the changed fields.
import { newKey } from "@svc/client";
import type { Operation } from "../domain.ts";
import type { AnyRow, Kind } from "../rows.ts";
import type { Store } from "../store.ts";
import { type Change, isProvisional, PROVISIONAL } from "./change.ts";
import { pick } from "./sender.ts";

export interface Making {
  /** Ids of the changed rows. */
  ids?: readonly string[];
  /** Fields of path, query and body. */
  input: Readonly<Record<string, unknown>>;
  guess?: Change["guess"];
  batch?: string;
  /**
   * Row on which the person based the edit, if the displayed row may have moved on: a change in between then becomes a
   * conflict.
   */
  seen?: AnyRow;
  /** The operation creates a row, which has a provisional id until the response arrives. */
  creates?: true;
}

export function changeOf(
  store: Store,
  { apply, absent }: Operation,
  kind: Kind,
  operation: string,
  { ids: named = [], input, guess = {}, batch, seen, creates }: Making,
  order: number,
): Change {
  const key = newKey();
  const ids = named.map(store.real);
  const at: Record<string, string> = {};
  const saw: Record<string, Record<string, unknown>> = {};
  const change: Change = {
    key,
    order,
    operation,
    input,
    kind,
    ids,
    guess,
    at,
    saw,
    creates: creates ? PROVISIONAL + key : null,
    madeAt: Date.now(),
    sentAt: null,
    state: "waiting",
    ...(batch !== undefined && { batch }),
  };
  for (const id of ids) {
    const row = (seen ?? store.get(kind, id)) as (AnyRow & Record<string, unknown>) | undefined;
    if (!row && absent !== undefined) at[id] = absent;
    if (!row) continue;
    // A provisional row has no base revision.
    if (row.revision !== undefined && !isProvisional(id)) at[id] = row.revision;
    const after = (apply(row, change, id) ?? {}) as Record<string, unknown>;
    const names = Object.keys({ ...row, ...after }).filter((name) => row[name] !== after[name]);
    saw[id] = pick(row, names);
  }
  return change;
}
