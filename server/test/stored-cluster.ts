// A cluster that is filled once and stored as the files of its stopped PostgreSQL, so that a later run copies them. It
// is filled beside the store and renamed into it when it is complete: of two runs that fill one at the same time the
// first is stored, and a half-filled one is never used. What an older digest filled is removed.
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../../scripts/install.mjs";
import { type Cluster, clusterDirectory, createMigrated, filesOf, startCluster } from "./cluster.ts";
import type { TestDatabase } from "./database.ts";

const STORE = join(root, "node_modules", ".cache", "svc-test-databases");
const CONTENT = "content.json";
const DATABASE = "filled";
/** An interrupted run leaves its files behind; no run fills for so long. */
const ABANDONED_MS = 3_600_000;
/** A server that is copied needs no large log. */
const SMALL_LOG = { min_wal_size: "32MB", max_wal_size: "256MB" };

interface Filled<T> extends TestDatabase {
  /** Ids and secrets of the rows, returned by the one who filled the database. */
  content: T;
}

/** Copies the files of a stopped server, which keep their owner. */
function copyFiles(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { recursive: true, mode: constants.COPYFILE_FICLONE });
  // PostgreSQL refuses a data directory that others can read.
  chmodSync(to, 0o700);
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(from);
  chownSync(to, uid, gid);
  for (const name of readdirSync(to, { recursive: true, encoding: "utf8" })) chownSync(join(to, name), uid, gid);
}

/** Removes what other digests of this name stored, and what interrupted runs left. */
function removeOthers(name: string, entry: string): void {
  for (const found of readdirSync(STORE).filter((each) => each.startsWith(`${name}-`) && each !== entry)) {
    const path = join(STORE, found);
    const isPart = found.includes(".part");
    const since = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (!isPart || Date.now() - since > ABANDONED_MS) rmSync(path, { recursive: true, force: true });
  }
}

function store(name: string, entry: string, directory: string, content: unknown): void {
  const part = join(STORE, `${entry}.part-${process.pid}-${randomBytes(4).toString("hex")}`);
  mkdirSync(part, { recursive: true });
  try {
    copyFiles(filesOf(directory), filesOf(part));
    writeFileSync(join(part, CONTENT), JSON.stringify(content));
    renameSync(part, join(STORE, entry));
    removeOthers(name, entry);
  } catch (error) {
    rmSync(part, { recursive: true, force: true });
    // Another run stored the same meanwhile.
    if (!existsSync(join(STORE, entry, CONTENT))) throw error;
  }
}

/**
 * Copies a stored cluster into the directory. Returns its content, or null where none is stored or another run removed
 * it meanwhile.
 */
function copyStored<T>(entry: string, directory: string): { content: T } | null {
  const stored = join(STORE, entry);
  if (!existsSync(join(stored, CONTENT))) return null;
  try {
    copyFiles(filesOf(stored), filesOf(directory));
    return { content: JSON.parse(readFileSync(join(stored, CONTENT), "utf8")) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    rmSync(join(directory, "data"), { recursive: true, force: true });
    return null;
  }
}

/**
 * Returns a database of its own PostgreSQL, copied from the store; the first run with this digest fills and stores it.
 */
export async function storedCluster<T>(
  name: string,
  digest: string,
  fill: (url: string) => Promise<T>,
): Promise<Filled<T>> {
  const entry = `${name}-${digest}`;
  const directory = clusterDirectory();
  const found = copyStored<T>(entry, directory);
  let cluster: Cluster = await startCluster(directory, SMALL_LOG);
  let content = found?.content as T;
  try {
    if (found === null) {
      content = await fill(await createMigrated(cluster.url, DATABASE));
      await cluster.stop();
      store(name, entry, directory, content);
      cluster = await startCluster(directory, SMALL_LOG);
    }
  } catch (error) {
    await cluster.remove();
    throw error;
  }
  const url = new URL(cluster.url);
  url.pathname = `/${DATABASE}`;
  return { content, url: url.href, drop: () => cluster.remove() };
}
