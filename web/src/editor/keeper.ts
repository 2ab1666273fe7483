// Keeps what was typed and is not acknowledged in this browser, so that it survives a reload, a crash and a night without a connection. As soon as the
// service has all of it, nothing is kept. Where the browser keeps nothing, everything works but survives no reload.
import * as Y from "yjs";

const STORE = "texts";
const AFTER_MS = 150;
/** A text opens without what was kept when the browser's storage does not answer in this time. What it answers later is added then. */
const MOST_RESTORE_MS = 3000;
/** Told apart from what comes of others. */
export const KEPT = "kept";

let opened: Promise<IDBDatabase | null> | undefined;
function database(): Promise<IDBDatabase | null> {
  opened ??= new Promise((resolve) => {
    const request = indexedDB.open("svc:texts", 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => {
      // Signing out deletes it.
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
      // The browser has closed the database, as it may at any time: the next use opens it again.
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
  /** Whether something was kept from before. */
  const restored = Promise.race([restoring, late]);
  return {
    restored,
    /** Something is not acknowledged, or all of it is. */
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
