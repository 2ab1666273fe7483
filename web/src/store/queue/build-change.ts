// Creates a change: new idempotency key, base revision, and previous values of the changed fields.
import { newKey } from "@svc/client";
import type { Operation } from "../domain.ts";
import type { AnyRow, RowKind } from "../rows.ts";
import type { Store } from "../store.ts";
import { isProvisional, PROVISIONAL, type QueuedChange } from "./change.ts";
import { pick } from "./sender.ts";

export interface Making {
  /** Ids of the changed rows. */
  ids?: readonly string[];
  /** Fields of path, query and body. */
  input: Readonly<Record<string, unknown>>;
  guess?: QueuedChange["guess"];
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
  kind: RowKind,
  operation: string,
  { ids: named = [], input, guess = {}, batch, seen, creates }: Making,
  order: number,
): QueuedChange {
  const key = newKey();
  const ids = named.map(store.real);
  const at: Record<string, string> = {};
  const saw: Record<string, Record<string, unknown>> = {};
  const change: QueuedChange = {
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
