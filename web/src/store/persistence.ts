// IndexedDB storage that survives a reload, a crash and hours offline: server rows in chunks, because reading ten
// thousand single rows takes six times as long; the change queue, each record written strictly before it is sent; and
// small facts. One database for each member of each Workspace. If the browser has no storage (a private window, a full
// disk), everything works but nothing survives a reload.

import { firstOf } from "./first-chunks.ts";
import type { QueuedChange } from "./queue/change.ts";
import type { AnyRow, RowKind } from "./rows.ts";
import { hasLeft, onLeft } from "./sign-out.ts";

const CHUNK_ROWS = 500;
interface Chunk {
  name: string;
  kind: RowKind;
  rows: AnyRow[];
}
/** Data written in one transaction with a completed change. */
export interface Written {
  put?: readonly QueuedChange[];
  remove?: readonly string[];
  touched?: ReadonlyMap<RowKind, ReadonlySet<string>>;
  facts?: Readonly<Record<string, unknown>>;
}

export interface Kept {
  rows: [RowKind, AnyRow[]][];
  queue: QueuedChange[];
  facts: Map<string, unknown>;
  /** Names of the chunks that are not loaded yet. */
  left: string[];
}
/** Kinds with potentially thousands of rows; all others load at once. */
const MANY = /^(?:task|comment|relation|attachment|subscription|document|inbox_item|time_entry|discuss_message):/;

export class Persist {
  /** Chunk number of each row. New rows go to the last chunk of their kind until it is full. */
  private readonly chunkOf = new Map<string, number>();
  private readonly sizes = new Map<RowKind, number[]>();
  private readonly database: IDBDatabase | null;

  constructor(database: IDBDatabase | null) {
    this.database = database;
  }

  /** Reads the queue alone; null without storage. */
  async queue(): Promise<QueuedChange[] | null> {
    return this.database && done(this.database.transaction("queue").objectStore("queue").getAll());
  }

  private begun: Promise<Kept> | undefined;
  /** Loads the chunks that this address shows first, for kinds with many rows; all chunks if these are unknown. */
  load(): Promise<Kept> {
    this.begun ??= this.begin();
    return this.begun;
  }
  private async begin(): Promise<Kept> {
    const kept: Kept = { rows: [], queue: [], facts: new Map(), left: [] };
    if (!this.database) return kept;
    const from = this.database.transaction(["chunks", "queue", "facts"], "readonly");
    const [chunks, queue, names, values] = await Promise.all([
      done(from.objectStore("chunks").getAllKeys() as IDBRequest<string[]>),
      done(from.objectStore("queue").getAll() as IDBRequest<QueuedChange[]>),
      done(from.objectStore("facts").getAllKeys() as IDBRequest<string[]>),
      done(from.objectStore("facts").getAll() as IDBRequest<unknown[]>),
    ]);
    kept.queue = queue;
    for (const [at, name] of names.entries()) kept.facts.set(name, values[at]);
    const first = firstOf(kept.facts);
    const isLater = (name: string) => first !== undefined && MANY.test(name) && !first.includes(name);
    kept.left = chunks.filter(isLater);
    kept.rows = await this.read(
      from,
      chunks.filter((name) => !isLater(name)),
    );
    return kept;
  }
  /** Loads further chunks. */
  async more(names: readonly string[]): Promise<Kept["rows"]> {
    return this.database ? this.read(this.database.transaction("chunks"), names) : [];
  }
  private async read(from: IDBTransaction, names: readonly string[]): Promise<Kept["rows"]> {
    const wanted = names.map((name) => done(from.objectStore("chunks").get(name) as IDBRequest<Chunk | undefined>));
    const found: Kept["rows"] = [];
    for (const chunk of await Promise.all(wanted)) {
      if (!chunk) continue;
      const number = Number(chunk.name.slice(chunk.name.indexOf(":") + 1));
      this.size(chunk.kind)[number] = chunk.rows.length;
      for (const row of chunk.rows) this.chunkOf.set(`${chunk.kind}:${row.id}`, number);
      found.push([chunk.kind, chunk.rows]);
    }
    return found;
  }
  /** Names of the chunks that contain these rows. */
  chunksOf(kind: RowKind, ids: readonly string[]): string[] {
    const numbers = new Set(ids.map((id) => this.chunkOf.get(`${kind}:${id}`)));
    return [...numbers].flatMap((number) => (number === undefined ? [] : `${kind}:${number}`));
  }

  /** Writes everything in one transaction; the data is on disk when the promise resolves. */
  async write({ put = [], remove = [], touched, facts = {} }: Written, rowsOf: (kind: RowKind) => Iterable<AnyRow>) {
    if (!this.database) return;
    const into = this.database.transaction(["chunks", "queue", "facts"], "readwrite", { durability: "strict" });
    for (const key of remove) into.objectStore("queue").delete(key);
    for (const change of put) into.objectStore("queue").put(change, change.key);
    for (const [name, value] of Object.entries(facts)) into.objectStore("facts").put(value, name);
    for (const [kind, ids] of touched ?? [])
      for (const chunk of this.chunks(kind, ids, rowsOf(kind))) into.objectStore("chunks").put(chunk, chunk.name);
    await new Promise<void>((resolve, reject) => {
      into.oncomplete = () => resolve();
      into.onabort = into.onerror = () => reject(into.error ?? new Error("it was not kept"));
    });
  }

  close() {
    this.database?.close();
  }

  private size(kind: RowKind): number[] {
    let sizes = this.sizes.get(kind);
    if (!sizes) {
      sizes = [];
      this.sizes.set(kind, sizes);
    }
    return sizes;
  }
  /** Builds the chunks that contain these rows, and assigns new rows to a chunk. */
  private chunks(kind: RowKind, ids: ReadonlySet<string>, rows: Iterable<AnyRow>): Chunk[] {
    const sizes = this.size(kind);
    const numbers = new Set<number>();
    for (const id of ids) {
      let number = this.chunkOf.get(`${kind}:${id}`);
      if (number === undefined) {
        number = Math.max(0, sizes.length - 1);
        if ((sizes[number] ?? 0) >= CHUNK_ROWS) number++;
        this.chunkOf.set(`${kind}:${id}`, number);
        sizes[number] = (sizes[number] ?? 0) + 1;
      }
      numbers.add(number);
    }
    const found = new Map([...numbers].map((number) => [number, [] as AnyRow[]]));
    for (const row of rows) found.get(this.chunkOf.get(`${kind}:${row.id}`) ?? -1)?.push(row);
    return [...found].map(([number, chunk]) => ({ name: `${kind}:${number}`, kind, rows: chunk }));
  }
}

const VERSION = 1;
export const nameOf = (workspaceId: string, actorId: string) => `svc:${workspaceId}:${actorId}`;

/** Databases opened before the application scripts have loaded; undefined once consumed. */
const ahead = new Map<string, Promise<Persist> | undefined>();
export function openAhead({ workspaceId, actorId }: { workspaceId: string; actorId: string }) {
  const name = nameOf(workspaceId, actorId);
  if (ahead.has(name)) return;
  const begun = openDatabase(name).then((database) => new Persist(database));
  begun.then((persist) => persist.load()).catch(() => {});
  ahead.set(name, begun);
}
export async function openPersist(name: string): Promise<Persist> {
  const begun = ahead.get(name);
  ahead.set(name, undefined);
  return begun ?? new Persist(await openDatabase(name));
}

async function openDatabase(name: string): Promise<IDBDatabase | null> {
  if (hasLeft()) return null;
  try {
    const opening = indexedDB.open(name, VERSION);
    opening.onupgradeneeded = () => {
      for (const store of ["chunks", "queue", "facts"]) opening.result.createObjectStore(store);
    };
    const database = await done(opening);
    // A sign-out in another tab deletes the database, which requires this connection to close.
    database.onversionchange = () => database.close();
    // The sign-out may have happened before this database was opened.
    if (!hasLeft()) return database;
    database.close();
    indexedDB.deleteDatabase(name);
    return null;
  } catch {
    return null;
  }
}

/** Deletes all databases of this origin, of every member, at sign-out. */
export async function forgetAll() {
  const found = await indexedDB.databases?.().catch(() => []);
  for (const { name } of found ?? []) if (name?.startsWith("svc:")) indexedDB.deleteDatabase(name);
}
onLeft(forgetAll);

const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
