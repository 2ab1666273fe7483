// Merges the updates of a text: those of one commit, and stored ones, so that the text opens fast. A failed compaction
// is logged and changes nothing.
import type { Database } from "../../../platform/database/db.ts";
import type { Log } from "../../../platform/wire/log.ts";
import type { PendingChange } from "../socket/peer.ts";
import { compact, reading, readText, type StoredText, type TextPlace, writing } from "../store.ts";
import { mergedUpdate } from "./rich-text.ts";

/**
 * Number of stored updates above which a text is compacted when it is opened, and number of new ones after which it is
 * compacted again.
 */
export const MANY = 500;
interface Parts {
  database: Database;
  log: Log;
}

const notCompacted = (log: Log) => (error: unknown) => log.warn({ err: error }, "updates of a text were not made one");

/** Merges accepted changes into one update, and lists the Actors who made them. */
export function mergedOf(taken: readonly PendingChange[]): [update: Uint8Array, actorIds: string[]] {
  const own = taken.filter(({ update }) => update !== null);
  return [
    mergedUpdate(own.map(({ update }) => update as Uint8Array)),
    [...new Set(own.map(({ peer }) => peer.actorId))],
  ];
}

/** Replaces stored updates by the merged one. */
export const storeMerged = ({ database, log }: Parts, place: TextPlace, stored: StoredText, merged: Uint8Array) =>
  writing(database, place, (tx) => compact(tx, place, stored, merged)).catch(notCompacted(log));

/** Compacts the stored updates of a text if there are many. */
export async function compactStored({ database, log }: Parts, place: TextPlace): Promise<void> {
  try {
    const stored = await reading(database, place, (tx) => readText(tx, place));
    if (!stored || stored.updates.length < MANY) return;
    await storeMerged({ database, log }, place, stored, mergedUpdate(stored.updates.map(({ data }) => data)));
  } catch (error) {
    notCompacted(log)(error);
  }
}
