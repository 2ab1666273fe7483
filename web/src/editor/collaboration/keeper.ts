// Persists unacknowledged edits in IndexedDB, so that they survive a reload, a crash and hours offline. Deletes them as
// soon as the service has acknowledged all of them. If the browser has no storage, editing works, but edits do not
// survive a reload.
import * as Y from "yjs";

const STORE = "texts";
const AFTER_MS = 150;
/**
 * A text opens without its persisted edits if storage does not answer within this time. Those that arrive later are
 * merged then.
 */
const MOST_RESTORE_MS = 3000;
/** Origin of persisted edits, to distinguish them from remote ones. */
export const KEPT = "kept";

let opened: Promise<IDBDatabase | null> | undefined;
function database(): Promise<IDBDatabase | null> {
  opened ??= new Promise((resolve) => {
    const request = indexedDB.open("svc:texts", 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => {
      // Closes the connection, so that signing out can delete the database.
      request.result.onversionchange = () => {
        request.result.close();
        opened = undefined;
      };
      resolve(request.result);
    };
    request.onerror = () => resolve(null);
  });
  return opened;
}
async function use<T>(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T | undefined> {
  const found = await database().catch(() => null);
  if (!found) return undefined;
  return new Promise((resolve) => {
    try {
      const request = work(found.transaction(STORE, mode).objectStore(STORE));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => resolve(undefined);
    } catch {
      // The browser closed the database, as it may at any time: the next use opens it again.
      opened = undefined;
      resolve(undefined);
    }
  });
}

export function keeper(name: string, doc: Y.Doc) {
  let held = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const write = () => {
    clearTimeout(timer);
    timer = undefined;
    if (held) void use("readwrite", (store) => store.put(Y.encodeStateAsUpdate(doc), name));
  };
  const changed = () => {
    timer ??= setTimeout(write, AFTER_MS);
  };
  doc.on("update", changed);
  addEventListener("pagehide", write);
  const restoring = use<Uint8Array>("readonly", (store) => store.get(name)).then((update) => {
    if (update) Y.applyUpdate(doc, update, KEPT);
    return update !== undefined;
  });
  const late = new Promise<false>((resolve) => setTimeout(resolve, MOST_RESTORE_MS, false));
  /** True if there were persisted edits. */
  const restored = Promise.race([restoring, late]);
  return {
    restored,
    /** Starts or stops persisting: true while edits are unacknowledged. */
    hold(unsent: boolean) {
      if (held && !unsent) void use("readwrite", (store) => store.delete(name));
      held = unsent;
      if (held) changed();
    },
    close() {
      if (timer !== undefined) write();
      doc.off("update", changed);
      removeEventListener("pagehide", write);
    },
  };
}
