// Restores a backup into an empty target. The whole file is verified before anything is changed. Then the schema is
// created as of the time of the backup, the rows are loaded in one transaction without triggers, foreign keys and
// indexes, which are created afterwards and so validate the rows, and the schema is migrated to this version. The
// journal begins a new epoch, and the head of the audit log is stored again.
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { createZstdDecompress } from "node:zlib";
import type pg from "pg";
import { acceptHead } from "../../platform/background/audit-seals.ts";
import { copyIn, copyOut } from "../../platform/database/copy.ts";
import { startEmbedded } from "../../platform/database/embedded/postgres.ts";
import { forAdministrator, MAY_NOT, migrate, type Program, shipped } from "../../platform/database/start/migrations.ts";
import type { Storage } from "../../platform/outside/external-systems.ts";
import type { Config } from "../../platform/settings/config.ts";
import { ConfigError } from "../../platform/settings/config-error.ts";
import { makeDataDirectory } from "../../platform/settings/directory.ts";
import { connect, freeBytes, ROOM_LEFT } from "./backup.ts";
import * as catalog from "./catalog.ts";
import { type BackupPart, type BackupPartData, read, type Sum, summing, sumOf } from "./part-stream.ts";
import { mark, stateOf } from "./place.ts";
import { type BackupHead, open, refused, type SealKeys } from "./seal.ts";

/** Verified contents of a file. */
export interface Checked {
  version: string;
  created_at: string;
  tables: Map<string, { columns: string[]; sum: Sum }>;
  objects: number;
  missing: number;
  /** Bytes of all tables, of all objects, and of the largest object. */
  rowBytes: number;
  objectBytes: number;
  largestObject: number;
  program: Program;
}

async function eachPart(
  path: string,
  keys: SealKeys,
  take: (found: BackupPartData, head: BackupHead) => Promise<void>,
): Promise<BackupHead> {
  const { head, data } = await open(path, keys);
  await pipeline(data, createZstdDecompress(), async (unpacked: AsyncIterable<Uint8Array>) => {
    for await (const found of read(unpacked)) await take(found, head);
  });
  return head;
}

/** Reads the whole file. Refuses one that is truncated, altered, of a newer version or for other keys. */
export async function checkBackup(path: string, keys: SealKeys): Promise<Checked> {
  const own = await shipped();
  const found: Omit<Checked, "version" | "created_at" | "program"> & { program: Program | null } = {
    tables: new Map(),
    objects: 0,
    missing: 0,
    rowBytes: 0,
    objectBytes: 0,
    largestObject: 0,
    program: null,
  };
  const { version, created_at } = await eachPart(path, keys, async ({ part, data, sum }, head) => {
    for await (const _ of data);
    if (part.kind === "database") found.program = programOf(path, head.version, part, own);
    if (part.kind === "table") {
      found.tables.set(part.name, { columns: part.columns, sum: sum() });
      found.rowBytes += sum().bytes;
    }
    if (part.kind === "missing") found.missing++;
    if (part.kind !== "object") return;
    found.objects++;
    found.objectBytes += sum().bytes;
    found.largestObject = Math.max(found.largestObject, sum().bytes);
  });
  return { ...found, version, created_at, program: found.program as Program };
}

/** Migrations that created the database of the file. */
function programOf(path: string, version: string, part: BackupPart & { kind: "database" }, own: Program): Program {
  const files = part.migrations.map(({ name, hash }) => {
    const file = own.files.find((candidate) => candidate.name === name);
    if (file?.hash === hash) return file;
    throw refused(
      path,
      file
        ? `was made by a version ${version} that is not in the line of this one ${own.version}; ` +
            "restore it with the version that made it"
        : `was made by version ${version}, which is newer than this version ${own.version}; ` +
            `restore it with version ${version} or newer`,
    );
  });
  const names = new Set(files.map(({ name }) => name));
  const released = Object.fromEntries(Object.entries(own.released).filter(([name]) => names.has(name)));
  return { version: own.version, files, released, restoring: true };
}

export interface RestoreTarget {
  url: string;
  storage: Storage;
}
type Say = (line: string) => void;

export async function restoreBackup(path: string, keys: SealKeys, checked: Checked, target: RestoreTarget, say: Say) {
  const client = await connect(target.url, "svc-restore");
  try {
    const state = await stateOf(client);
    if (state === "taken")
      throw new ConfigError([
        "The database is not empty; restore into a new DATA_DIR, or set DATABASE_URL to an empty database",
      ]);
    // Objects of an interrupted restore are overwritten.
    if (state === "empty" && !(await target.storage.isEmpty()))
      throw new ConfigError([
        "The object storage is not empty; restore into a new DATA_DIR, or set STORAGE_URL to an empty bucket",
      ]);
    await fill(path, keys, checked, target, client, { state, storage: target.storage, say });
    await migrate(target.url);
    say("The rows are in place; gathering statistics ...");
    await client.query("analyze");
    await acceptHead(client, target.storage);
  } catch (error) {
    if ((error as pg.DatabaseError).code !== MAY_NOT) throw error;
    await client.query("rollback");
    throw await forAdministrator(client, error as pg.DatabaseError);
  } finally {
    await client.end();
  }
}

interface Filling {
  state: "empty" | "half";
  storage: Pick<Storage, "write">;
  say: Say;
}
async function fill(
  path: string,
  keys: SealKeys,
  { program }: Checked,
  { url }: Pick<RestoreTarget, "url">,
  client: pg.Client,
  { state, storage, say }: Filling,
): Promise<void> {
  await mark(client, state);
  await migrate(url, program);
  await client.query("begin");
  const finish = await prepare(client);
  await eachPart(path, keys, async (found) => {
    await take(found, client, storage);
    if (found.part.kind === "table" && found.sum().bytes > 0) say(`${found.part.name}: ${found.sum().bytes} bytes`);
  });
  say("All rows are loaded; making indexes and checking references ...");
  await finish();
  await client.query(NEW_EPOCH);
  // Replaces the mark as well: the list of migrations is now the file's.
  await client.query("commit");
}

// Invalidates cursors of the former journal, and starts the proofs of the new one. Older versions have neither table.
const NEW_EPOCH = `
do $$ begin
  if to_regclass('public.journal') is not null then update public.journal set epoch = gen_random_uuid(); end if;
  if to_regclass('public.journal_marks') is not null then insert into public.journal_marks default values; end if;
end $$`;

async function take({ part, data }: BackupPartData, client: pg.Client, storage: Pick<Storage, "write">): Promise<void> {
  if (part.kind === "table") await copyIn(client, `${part.name} (${part.columns.join(", ")})`, data);
  else if (part.kind === "object") await storage.write(part.key, { ...part, bytes: data });
  else for await (const _ of data);
  if (part.kind !== "database") return;
  for (const { name, value } of part.sequences) await client.query("select setval($1::regclass, $2)", [name, value]);
}

const MADE_AFTERWARDS = `
select format('alter table %s drop constraint %I', k.conrelid::regclass, k.conname) as away,
  format('alter table %s add constraint %I %s', k.conrelid::regclass, k.conname, pg_get_constraintdef(k.oid)) as back
from pg_constraint k where k.contype = 'f' and k.conrelid = any($1::regclass[])
union all select format('drop index %s', i.indexrelid::regclass), pg_get_indexdef(i.indexrelid)
from pg_index i where i.indrelid = any($1::regclass[])
  and not exists (select from pg_constraint k where k.conindid = i.indexrelid)
order by 1`;

/**
 * Empties the tables and drops triggers, foreign keys and indexes; the returned function restores them. The owner may
 * do this; only a superuser may disable triggers for a session.
 */
async function prepare(client: pg.Client): Promise<() => Promise<void>> {
  const tables = await catalog.allTables(client);
  const { rows } = await client.query<{ away: string; back: string }>(MADE_AFTERWARDS, [tables]);
  await client.query(`set local maintenance_work_mem = '256MB'; truncate ${tables.join(", ")}`);
  for (const { away } of rows) await client.query(away);
  for (const table of tables) await client.query(`alter table ${table} disable trigger user`);
  const forced = await catalog.forcedTables(client);
  for (const table of forced) await client.query(`alter table ${table} no force row level security`);
  return async () => {
    // Indexes first: the check of a foreign key uses them.
    for (const isForeign of [false, true])
      for (const { back } of rows) if (back.startsWith("alter table") === isForeign) await client.query(back);
    for (const table of tables) await client.query(`alter table ${table} enable trigger user`);
    for (const table of forced) await client.query(`alter table ${table} force row level security`);
  };
}

/**
 * Restores into a scratch PostgreSQL beside the file, and compares every table and every object with the file by
 * digest. Neither the service nor its database is used.
 */
export async function verifyBackup(
  path: string,
  keys: SealKeys,
  storageIn: (dataDir: string) => Storage,
  say: Say,
  room = freeBytes,
) {
  const checked = await checkBackup(path, keys);
  // Objects are deleted once they are compared, so that only the largest needs space.
  const needed = TIMES * checked.rowBytes + checked.largestObject;
  const fault = fitFault(dirname(path), needed, room(dirname(path)), "verify a copy of the file on another disk");
  if (fault) throw new ConfigError([fault]);
  const dataDir = `${path}.verify.${process.pid}`;
  makeDataDirectory(dataDir);
  try {
    const embedded = await startEmbedded(dataDir, { durable: false });
    try {
      await compare(path, keys, checked, { url: embedded.url, storage: storageIn(dataDir) }, say);
    } finally {
      await embedded.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
  return checked;
}

async function compare(path: string, keys: SealKeys, checked: Checked, target: RestoreTarget, say: Say): Promise<void> {
  const client = await connect(target.url, "svc-verify");
  const differs = (what: string) =>
    refused(path, `does not restore as it was written: ${what} differs; make another backup, and report this`);
  const storage: Pick<Storage, "write"> = {
    async write(key, object) {
      const { data, sum } = summing(object.bytes);
      await target.storage.write(key, { ...object, bytes: data });
      const back = await target.storage.open(key);
      if (!back || (await sumOf(back.bytes)).digest !== sum().digest) throw differs(key);
      await target.storage.delete(key);
    },
  };
  try {
    await fill(path, keys, checked, target, client, { state: "empty", storage, say });
    // Skips the table whose epoch a restore replaces.
    const compared = [...checked.tables].filter(([name]) => name !== "public.journal");
    for (const [name, { columns, sum }] of compared) {
      const { digest } = await sumOf(copyOut(client, `${name} (${columns.join(", ")})`));
      if (digest !== sum.digest) throw differs(name);
    }
    say(`${checked.tables.size} tables and ${checked.objects} objects were restored aside and are as they were.`);
  } finally {
    await client.end();
  }
}

/** Includes indexes and the write-ahead log. */
const TIMES = 3;
const megabytes = (bytes: number) => Math.ceil(bytes / 1024 / 1024);
function fitFault(what: string, needed: number, free: number, elsewhere: string): string | null {
  if (needed === 0 || needed + ROOM_LEFT <= free) return null;
  return (
    `${what} has no room: the backup needs about ${megabytes(needed + ROOM_LEFT)} MiB and ` +
    `${megabytes(free)} are ` +
    `free; make room, or ${elsewhere}`
  );
}
/** Refusal if it would not fit on the disk of DATA_DIR; null if it fits, or is stored elsewhere. */
export function roomFault(
  { rowBytes, objectBytes }: Pick<Checked, "rowBytes" | "objectBytes">,
  { databaseUrl, storageUrl, dataDir }: Pick<Config, "databaseUrl" | "storageUrl" | "dataDir">,
  free: number,
): string | null {
  const needed = (databaseUrl === null ? TIMES * rowBytes : 0) + (storageUrl === null ? objectBytes : 0);
  return fitFault(`DATA_DIR: ${dataDir}`, needed, free, "name a DATA_DIR on another disk");
}
