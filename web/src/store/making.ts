// A change as a person makes it: under a new key, building on what they see, with what the changed fields were before.
import { newKey } from "@svc/client";
import { type Change, isProvisional, PROVISIONAL } from "./change.ts";
import type { Operation } from "./domain.ts";
import type { AnyRow, Kind } from "./rows.ts";
import { pick } from "./sender.ts";
import type { Store } from "./store.ts";

export interface Making {
  /** The objects that it changes. */
  ids?: readonly string[];
  /** The fields of path, query and body. */
  input: Readonly<Record<string, unknown>>;
  guess?: Change["guess"];
  batch?: string;
  /** What the person began with, where what is shown may have moved on: somebody else's change in between is a conflict then. */
  seen?: AnyRow;
  /** It makes something, which has a provisional id until the answer comes. */
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
    ...{ key, order, operation, input, kind, ids, guess, at, saw },
    ...{ creates: creates ? PROVISIONAL + key : null, madeAt: Date.now(), sentAt: null, state: "waiting" },
    ...(batch !== undefined && { batch }),
  };
  for (const id of ids) {
    const row = (seen ?? store.get(kind, id)) as (AnyRow & Record<string, unknown>) | undefined;
    if (!row && absent !== undefined) at[id] = absent;
    if (!row) continue;
    // What is not made yet has no revision that anybody could build on.
    if (row.revision !== undefined && !isProvisional(id)) at[id] = row.revision;
    const after = (apply(row, change, id) ?? {}) as Record<string, unknown>;
    const names = Object.keys({ ...row, ...after }).filter((name) => row[name] !== after[name]);
    saw[id] = pick(row, names);
  }
  return change;
}
