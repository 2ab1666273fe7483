// Yjs updates as peers send them: decoding, and comparison with a text. Pure.
import * as Y from "yjs";

/** An invalid update. Closes the socket that sent it. */
export class Misfit extends Error {}

export type DocUpdate = ReturnType<typeof Y.decodeUpdate>;
export type Struct = DocUpdate["structs"][number];
export function decoded(update: Uint8Array): DocUpdate {
  try {
    return Y.decodeUpdate(update);
  } catch {
    throw new Misfit("it is no update");
  }
}
/** Whether a change builds on items that neither the change nor the text has. */
export function isMissing({ structs, ds }: DocUpdate, { store }: Y.Doc): boolean {
  const known = new Map<number, number>();
  const until = (client: number) => Math.max(known.get(client) ?? 0, Y.getState(store, client));
  const has = (id: unknown) => !(id instanceof Y.ID) || id.clock < until(id.client);
  // Any other struct marks a gap.
  const items = structs.filter((struct) => struct instanceof Y.Item || struct instanceof Y.GC);
  for (const { id, length } of items) {
    if (id.clock > until(id.client)) return true;
    known.set(id.client, Math.max(until(id.client), id.clock + length));
  }
  const missing = items.some(
    (item) => item instanceof Y.Item && !(has(item.origin) && has(item.rightOrigin) && has(item.parent)),
  );
  return (
    missing || [...ds.clients].some(([client, gone]) => gone.some(({ clock, len }) => clock + len > until(client)))
  );
}
/**
 * Length of the part of a struct that the text lacks. The text may have the start of an item already, because an editor
 * merges neighbouring items.
 */
export const newLength = ({ id, length }: Struct, { store }: Y.Doc): number =>
  Math.min(length, id.clock + length - Y.getState(store, id.client));
/** A key that is equal for equal deletions: two copies with the same items and the same deletions are equal. */
export const deletionsOf = ({ ds }: DocUpdate): string =>
  JSON.stringify([...ds.clients].sort(([one], [other]) => one - other));

/** A state vector restricted to what this text has ever had, so that equal requests have equal keys. */
export function knownOf(vector: Uint8Array, own: Uint8Array): Map<number, number> {
  const [known, has] = [new Map<number, number>(), Y.decodeStateVector(own)];
  for (const [client, clock] of Y.decodeStateVector(vector)) {
    const most = Math.min(clock, has.get(client) ?? 0);
    if (most > 0) known.set(client, most);
  }
  return known;
}
