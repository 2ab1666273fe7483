// Tracks edits that the service does not have, and removes those that it rejects: the member's own are undone; those of
// others, relayed by a server that crashed before it stored them, are deleted. Saved edits are never removed. Pure.
import * as Y from "yjs";

/** Clock per client from which on the service has nothing. */
export type Refused = Readonly<Record<string, number>>;
const CLOCK = "clock";

/** `origins` are the transaction origins of local edits. */
export function trackUnsaved(doc: Y.Doc, origins: readonly unknown[] = []) {
  const own = new Y.UndoManager(doc.getXmlFragment("default"), {
    captureTimeout: 0,
    trackedOrigins: new Set<unknown>([null, Y.UndoManager, ...origins]),
  });
  own.on("stack-item-added", ({ stackItem }: { stackItem: { meta: Map<unknown, unknown> } }) =>
    stackItem.meta.set(CLOCK, Y.getState(doc.store, doc.clientID)),
  );
  function undoFrom(clock: number): boolean {
    const first = own.undoStack.findIndex(({ meta }) => (meta.get(CLOCK) as number) > clock);
    if (first < 0) return false;
    // Sets earlier items aside: if a change leaves nothing to undo, undo() continues with the one before it, which may
    // be saved. Those items stay undoable, because the service may reject a change that it has broadcast and not
    // stored.
    const earlier = own.undoStack.splice(0, first);
    while (own.undoStack.length > 0) own.undo();
    own.undoStack.unshift(...earlier);
    own.clear(false, true);
    return true;
  }
  return {
    /** Call when everything is acknowledged. */
    clear: () => own.clear(),
    /**
     * Removes rejected edits. Returns false if this document has none of them, so that asking again would change
     * nothing.
     */
    takeOut(refused: Refused): boolean {
      let changed = false;
      for (const [name, clock] of Object.entries(refused)) {
        const client = Number(name);
        const undone = client === doc.clientID ? undoFrom(clock) : deleteFrom(doc, client, clock);
        changed ||= undone;
      }
      return changed;
    },
    close: () => own.destroy(),
  };
}

/** Variable-length integer of Yjs: seven bits per byte, the lowest first. */
const encoded = (value: number): number[] =>
  value < 128 ? [value] : [(value % 128) + 128, ...encoded(Math.floor(value / 128))];

/** Deletes the content of a client from a clock on. */
function deleteFrom(doc: Y.Doc, client: number, clock: number): boolean {
  const length = Y.getState(doc.store, client) - clock;
  if (length <= 0) return false;
  // Encodes an update without items, with one delete range.
  const update = Uint8Array.from([0, 1, client, 1, clock, length].flatMap(encoded));
  let changed = false;
  doc.once("update", () => {
    changed = true;
  });
  Y.applyUpdate(doc, update, deleteFrom);
  return changed;
}
