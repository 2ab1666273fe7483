// Writes a backup of a running service: every table in one snapshot, and the objects that its rows name. It only reads,
// so that nobody waits for it and the journal is not held back, and it rests four times as long as it works. The file
// gets its name only once it is complete and on the disk. Refuses a file that exists, keys that do not match the
// database, and a disk that would fill up.
import { existsSync, statfsSync } from "node:fs";
import { open as openFile, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { constants, createZstdCompress } from "node:zlib";
import type pg from "pg";
import { HOLD_OBJECTS } from "../../platform/background/held-objects.ts";
import { connectClient } from "../../platform/database/connections/client.ts";
import { ownerSession } from "../../platform/database/connections/session.ts";
import { copyOut } from "../../platform/database/copy.ts";
import { keysFault, listKeys } from "../../platform/database/start/key-check.ts";
import { shipped } from "../../platform/database/start/migrations.ts";
import type { Storage } from "../../platform/outside/external-systems.ts";
import { ConfigError } from "../../platform/settings/config-error.ts";
import { renameDurably } from "../../platform/settings/directory.ts";
import type { SecretKey } from "../../platform/settings/secret-keys.ts";
import * as catalog from "./catalog.ts";
import { type Sum, write } from "./part-stream.ts";
import { refused, type SealKeys, seal } from "./seal.ts";

export interface BackupSource {
  url: string;
  storage: Pick<Storage, "open">;
  secretKeys: readonly SecretKey[];
  /** Source of the keys, for messages. */
  keysFrom: string;
}
export interface BackupOptions {
  keyFile: Buffer | null;
  /** Multiple of the working time that it rests. */
  rest?: number;
  say?: (line: string) => void;
  /** Free bytes of the disk that contains the directory. */
  room?: (directory: string) => number;
}
export interface BackupCounts {
  tables: number;
  rows: number;
  objects: number;
  missing: number;
  /** Bytes of the content, and of the file. */
  content: number;
  bytes: number;
}

/** Same share as all background work: a fifth of a core at most. */
const REST = 4;
/** Connection whose COPY produces the same text everywhere, and all rows. */
export async function connect(url: string, name: string): Promise<pg.Client> {
  const client = await connectClient(url, ownerSession(name, { synchronize_seqscans: "off" }), { keepAlive: true });
  const hidden = await catalog.hiddenTables(client);
  if (hidden.length === 0) return client;
  await client.end();
  throw new ConfigError([
    `DATABASE_URL: row-level security hides rows of ${hidden.join(", ")} from this user; ` +
      "use the address that the service has",
  ]);
}

export async function makeBackup(path: string, source: BackupSource, options: BackupOptions): Promise<BackupCounts> {
  const client = await connect(source.url, "svc-backup");
  try {
    const known = await listKeys(client);
    const fault = keysFault(source.secretKeys, known);
    if (fault) throw new ConfigError([`${source.keysFrom}: ${fault}`]);
    const keys = known.map(({ id, check_value, retired_at }) => ({
      id,
      check: check_value.toString("base64url"),
      retired: retired_at?.toISOString() ?? null,
    }));
    const facts = { version: (await shipped()).version, keys };
    await client.query(HOLD_OBJECTS);
    await client.query("begin isolation level repeatable read, read only");
    const made: BackupCounts = { tables: 0, rows: 0, objects: 0, missing: 0, content: 0, bytes: 0 };
    const sealing = { keyFile: options.keyFile, secretKeys: source.secretKeys };
    made.bytes = await written(path, sealed(parts(client, source, options, made), facts, sealing), options);
    return made;
  } finally {
    await client.end();
  }
}

const fast = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
async function* sealed(source: AsyncIterable<Uint8Array>, facts: Parameters<typeof seal>[1], keys: SealKeys) {
  const packed = createZstdCompress(fast);
  const packing = pipeline(source, packed);
  packing.catch(() => {});
  yield* seal(packed, facts, keys);
  await packing;
}

async function* parts(
  client: pg.Client,
  { storage }: BackupSource,
  { rest = REST, say = () => {} }: BackupOptions,
  made: BackupCounts,
) {
  let count = 0;
  const add = ({ bytes }: Sum) => {
    count++;
    made.content += bytes;
  };
  const migrations = await catalog.appliedMigrations(client);
  const [jobs, sequences] = [await catalog.jobsVersion(client), await catalog.sequencesOf(client)];
  add(yield* write({ kind: "database", migrations, jobs, sequences }));
  for (const { name, columns } of await catalog.carriedTables(client)) {
    const rows = paced(copyOut(client, `${name} (${columns.join(", ")})`), rest);
    let counted = 0;
    const sum = yield* write(
      { kind: "table", name, columns },
      (async function* () {
        counted = yield* rows;
      })(),
    );
    add(sum);
    made.tables++;
    made.rows += counted;
    if (counted > 0) say(`${name}: ${counted} rows, ${sum.bytes} bytes`);
  }
  for await (const key of catalog.namedObjects(client)) {
    const object = await storage.open(key);
    if (!object) {
      add(yield* write({ kind: "missing", key }));
      made.missing++;
      say(`${key} is named by the database and is not in the storage`);
      continue;
    }
    const { type, size, sha256 } = object;
    const sum = yield* write({ kind: "object", key, type, size, sha256 }, paced(object.bytes, rest));
    if (sum.bytes !== size)
      throw new Error(`the object ${key} has ${sum.bytes} bytes and not the ${size} that it says`);
    add(sum);
    if (++made.objects % 1000 === 0) say(`${made.objects} objects`);
  }
  yield* write({ kind: "end", parts: count });
}

/** Rests after each piece; the time that the consumer takes for a piece counts as work too. */
async function* paced<T, R>(source: AsyncIterable<T, R>, rest: number): AsyncGenerator<T, R> {
  const pieces = source[Symbol.asyncIterator]();
  for (;;) {
    const began = performance.now();
    const { value, done } = await pieces.next();
    if (done) return value;
    yield value;
    if (rest > 0) await sleep(rest * (performance.now() - began));
  }
}

/** Free bytes of the disk that contains the directory, or would contain it. */
export function freeBytes(directory: string): number {
  if (!existsSync(directory)) return freeBytes(dirname(directory));
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}
/** Reserve for the database, which may be on the same disk. */
export const ROOM_LEFT = 64 * 1024 * 1024;
const LOOK_EVERY = 8 * 1024 * 1024;

async function written(
  path: string,
  bytes: AsyncIterable<Buffer>,
  { room = freeBytes }: BackupOptions,
): Promise<number> {
  const draft = `${path}.part.${process.pid}`;
  let size = 0;
  const full = () =>
    refused(
      path,
      `has no room: ${size} bytes were written and removed again; make room, or name a file on another disk`,
    );
  if (existsSync(path)) throw refused(path, "is there already; name another file");
  const file = await openFile(draft, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    throw refused(path, `cannot be written (${error.code}); name a file in a directory that this user may write`);
  });
  try {
    let looked = -LOOK_EVERY;
    for await (const piece of bytes) {
      if (size - looked >= LOOK_EVERY) {
        if (room(dirname(path)) < ROOM_LEFT) throw full();
        looked = size;
      }
      await file.writeFile(piece);
      size += piece.length;
    }
    await file.sync();
    await file.close();
    await renameDurably(draft, path);
    return size;
  } catch (error) {
    await file.close().catch(() => {});
    await rm(draft, { force: true });
    throw /ENOSPC|EDQUOT|EFBIG/.test((error as NodeJS.ErrnoException).code ?? "") ? full() : error;
  }
}
