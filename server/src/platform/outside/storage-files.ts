// Objects as files below DATA_DIR/objects. The name of a file is the hash of its key, so that no key leads out of the
// directory; its first kilobyte contains its metadata. A write is atomic: to a draft, flushed, then renamed.
import { createHash } from "node:crypto";
import { type FileHandle, open, readdir, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Readable } from "node:stream";
import type { Config } from "../settings/config.ts";
import { makeDirectory, renameDurably } from "../settings/directory.ts";
import { newId, sha256 } from "../wire/ids.ts";
import { Refusal } from "../wire/problem.ts";
import type { Grant, Storage } from "./external-systems.ts";
import { urlSigner } from "./signed-url.ts";
import { StorageFault, storageFailure } from "./storage-health.ts";

const HEAD = 1024;
/** Large enough to need a block of the disk. */
const PROBE = Buffer.alloc(64 * 1024);
/** All processes of a directory share this key: a killed check leaves at most one object. */
const PROBE_KEY = "probe";

const pathIn = (dir: string, key: string) => {
  const name = sha256(key).toString("hex");
  return join(dir, name.slice(0, 2), name.slice(2));
};
export const objectsOf = ({ dataDir }: Config) => join(dataDir, "objects");

export function fileStorage(config: Config, origin: () => string): Omit<Storage, "uploadLimit"> {
  const dir = objectsOf(config);
  const urls = urlSigner(config.secretKeys);
  return {
    put: (key, bytes, type) => writeObject(dir, key, type, bytes.length, [bytes]),
    async get(key) {
      const found = await openObject(dir, key);
      if (!found) return undefined;
      try {
        const bytes = Buffer.alloc(found.size);
        await found.file.read(bytes, 0, found.size, HEAD);
        return bytes;
      } finally {
        await found.file.close();
      }
    },
    async open(key) {
      const found = await openObject(dir, key);
      if (!found) return undefined;
      const { size, type, sha256, version } = found;
      if (size === 0) await found.file.close();
      const bytes = size === 0 ? Readable.from([]) : readObject(found, 0, size - 1);
      return { size, type, sha256, version, bytes, close: async () => void bytes.destroy() };
    },
    async move(from, to, version) {
      const found = await openObject(dir, from);
      await found?.file.close();
      return found?.version === version && renameObject(pathIn(dir, from), pathIn(dir, to));
    },
    delete: (key) => removeObject(dir, key),
    write: (key, { type, size, sha256, bytes }) => writeObject(dir, key, type, size, bytes, sha256),
    async isEmpty() {
      const files = await readdir(dir, { recursive: true, withFileTypes: true }).catch(() => []);
      const isProbe = (path: string) => path === pathIn(dir, PROBE_KEY);
      return !files.some(
        (entry) =>
          entry.isFile() && basename(entry.parentPath) !== "incoming" && !isProbe(join(entry.parentPath, entry.name)),
      );
    },
    async check() {
      await writeObject(dir, PROBE_KEY, "application/octet-stream", PROBE.length, [PROBE]);
      await removeObject(dir, PROBE_KEY);
    },
    async signedUrl({ method, key, seconds, length, type, sha256, filename }) {
      const query = new URLSearchParams();
      if (length !== undefined) query.set("length", String(length));
      if (type !== undefined) query.set("type", type);
      if (sha256 !== undefined) query.set("sha256", sha256);
      if (filename !== undefined) query.set("filename", filename);
      const path = `/storage/${key}${query.size > 0 ? `?${query}` : ""}`;
      return origin() + urls.sign(method, path, seconds);
    },
    uploadHeaders: ({ type }: Grant) => ({ "content-type": type as string }),
  };
}

export const removeObject = (dir: string, key: string) => rm(pathIn(dir, key), { force: true });

/**
 * The disk is full, a quota is used up, or the file exceeds the system's size limit: the sender can do nothing about
 * it.
 */
const FULL = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);
const RETRY_SECONDS = 60;
/** Errors of the directory or its disk, never of the request. */
const BROKEN = new Set(["EACCES", "EPERM", "EROFS", "EIO", "ENODEV", "ENXIO", "ESTALE", "ENOTDIR"]);
const broken = (done: "read" | "written", error: Error) =>
  storageFailure(new StorageFault(`files cannot be ${done}: ${error.message}`, false, error));
/** Writes exactly `length` bytes with this checksum, if given; otherwise throws and changes nothing. */
export const writeObject = (...object: Parameters<typeof write>): Promise<void> =>
  write(...object).catch((error: NodeJS.ErrnoException) => {
    const { code = "" } = error;
    if (FULL.has(code)) throw new Refusal("storage_full", { retry_after: RETRY_SECONDS }, false, error);
    if (BROKEN.has(code)) throw broken("written", error);
    throw error;
  });

type Pieces = Iterable<Buffer> | AsyncIterable<Uint8Array>;
async function write(
  dir: string,
  key: string,
  type: string,
  length: number,
  source: Pieces,
  checksum: string | null = null,
): Promise<void> {
  const [path, draft] = [pathIn(dir, key), join(dir, "incoming", newId())];
  for (const parent of [dirname(path), dirname(draft)]) makeDirectory(parent, 0o700);
  const file = await open(draft, "wx", 0o600);
  try {
    await fill(
      file,
      Buffer.from(`${JSON.stringify({ key, type, sha256: checksum }).padEnd(HEAD - 1)}\n`),
      length,
      source,
      checksum,
    );
    await file.sync();
    await file.close();
    await renameDurably(draft, path);
  } catch (error) {
    await file.close().catch(() => {});
    await rm(draft, { force: true });
    throw error;
  }
}

/** Resolves to false if a concurrent move won. The header of the file still names its original key. */
async function renameObject(from: string, to: string): Promise<boolean> {
  makeDirectory(dirname(to), 0o700);
  try {
    await renameDurably(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

export class WrongChecksum extends Error {}

async function fill(file: FileHandle, head: Buffer, length: number, source: Pieces, checksum: string | null) {
  await file.write(head);
  const hash = checksum === null ? null : createHash("sha256");
  let size = 0;
  // The sender must receive the reason of a refusal: destroying the request would end its connection.
  const pieces = source instanceof Readable ? source.iterator({ destroyOnReturn: false }) : source;
  for await (const chunk of pieces) {
    size += chunk.length;
    if (size > length) break;
    hash?.update(chunk);
    // Writes the whole chunk: if the disk fills up, a single write only reports how much it took and does not throw.
    await file.writeFile(chunk);
  }
  if (size !== length) throw new Error(`has not the ${length} bytes that it should have`);
  if (hash && hash.digest("hex") !== checksum) throw new WrongChecksum("has not the checksum that it should have");
}

export interface OpenObject {
  file: FileHandle;
  type: string;
  /** Checksum that was verified during the write; null if none was given. */
  sha256: string | null;
  version: string;
  size: number;
}
/** Opens an object; the caller closes the file. */
export async function openObject(dir: string, key: string): Promise<OpenObject | undefined> {
  const file = await open(pathIn(dir, key), "r").catch((error) => {
    if (error.code !== "ENOENT") throw BROKEN.has(error.code) ? broken("read", error) : error;
  });
  if (!file) return undefined;
  try {
    const { buffer } = await file.read(Buffer.alloc(HEAD), 0, HEAD, 0);
    const { type, sha256 = null } = JSON.parse(buffer.toString()) as { type: string; sha256?: string | null };
    const { ino, ctimeMs, size } = await file.stat();
    return { file, type, sha256, version: `${ino} ${ctimeMs}`, size: size - HEAD };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Streams the bytes from first to last, both included; closes the file at the end. */
export const readObject = ({ file }: OpenObject, first: number, last: number): Readable =>
  file.createReadStream({ start: HEAD + first, end: HEAD + last });

const ABANDONED_MS = 60 * 60 * 1000;
/** Removes drafts of uploads that a crash cut off. */
export async function sweepIncoming(config: Config, now = Date.now()): Promise<void> {
  const dir = join(objectsOf(config), "incoming");
  for (const name of await readdir(dir).catch(() => [])) {
    const path = join(dir, name);
    const found = await stat(path).catch(() => null);
    if (found && now - found.mtimeMs > ABANDONED_MS) await rm(path, { force: true });
  }
}
