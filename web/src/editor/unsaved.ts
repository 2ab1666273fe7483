// Changes that the service does not have. Those that it refuses are taken out of this document: one's own are undone, and another's, which came over a server
// that was lost before it stored them, are deleted. Nothing that was saved goes with them. Pure.
import * as Y from "yjs";

/** Clients with the clock from which on the service has nothing of them. */
export type Refused = Readonly<Record<string, number>>;
const CLOCK = "clock";

/** `origins` are those of changes that somebody makes here. */
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
    // Put aside: where a change leaves nothing to undo, undo() goes on to the one before it, which may be saved. They stay undoable, because the service may
    // refuse a change that it has broadcast and not stored.
    const earlier = own.undoStack.splice(0, first);
    while (own.undoStack.length > 0) own.undo();
    own.undoStack.unshift(...earlier);
    own.clear(false, true);
    return true;
  }
  return {
    /** Everything was acknowledged. */
    clear: () => own.clear(),
    /** Takes refused changes out. False where this document has nothing to take out, so that asking again would change nothing. */
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

/** A number as Yjs encodes it: seven bits at a time, the lowest first. */
const encoded = (value: number): number[] =>
  value < 128 ? [value] : [(value % 128) + 128, ...encoded(Math.floor(value / 128))];

/** Deletes what a client wrote from a clock on. */
function deleteFrom(doc: Y.Doc, client: number, clock: number): boolean {
  const length = Y.getState(doc.store, client) - clock;
  if (length <= 0) return false;
  // An update without items, and with one range of deletions.
  const update = Uint8Array.from([0, 1, client, 1, clock, length].flatMap(encoded));
  let changed = false;
  doc.once("update", () => {
    changed = true;
  });
  Y.applyUpdate(doc, update, deleteFrom);
  return changed;
}
