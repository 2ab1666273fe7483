// The items that one Yjs transaction added and removed. Checks and sizes read these instead of the whole text, so that
// a keystroke costs the same in every text.
import * as Y from "yjs";

/** Items that the transaction added and did not delete. */
export function* addedItems({ doc: { store }, beforeState, afterState }: Y.Transaction): Generator<Y.Item> {
  for (const [client, clock] of afterState) {
    const before = beforeState.get(client) ?? 0;
    const structs = store.clients.get(client);
    if (clock === before || !structs) continue;
    for (let at = Y.findIndexSS(structs, before); at < structs.length; at++) {
      const struct = structs[at];
      if (struct instanceof Y.Item && !struct.deleted) yield struct;
    }
  }
}

/** Items that the transaction deleted and did not add. Their content is readable until the transaction ends. */
export function removedItems(transaction: Y.Transaction, take: (item: Y.Item) => void): void {
  Y.iterateDeletedStructs(transaction, transaction.deleteSet, (struct) => {
    if (!(struct instanceof Y.Item)) return;
    if (struct.id.clock < (transaction.beforeState.get(struct.id.client) ?? 0)) take(struct);
  });
}

export function* liveItems({ store }: Y.Doc): Generator<Y.Item> {
  for (const structs of store.clients.values())
    for (const struct of structs) if (struct instanceof Y.Item && !struct.deleted) yield struct;
}

/** Number of elements around an item, counted up to `most`. */
export function depthOf(item: Y.Item, most: number): number {
  let depth = 0;
  for (let at = (item.parent as Y.AbstractType<unknown>)._item; at && depth < most; depth++)
    at = (at.parent as Y.AbstractType<unknown>)._item;
  return depth;
}
