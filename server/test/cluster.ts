// The embedded PostgreSQL of tests: where its files lie, with which settings it runs, and how a migrated database is
// made in it.
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { startEmbedded } from "../src/platform/database/embedded/postgres.ts";
import { migrate } from "../src/platform/database/start/migrations.ts";
import { ownerUrl } from "./database.ts";

const PREFIX = "svc-test-cluster-";
const MEMORY = "/dev/shm";
const ENOUGH = 3 * 1024 ** 3;
const HOUR_MS = 3_600_000;
/**
 * Nothing is recovered from the log of this cluster, so that little is written there: for explain.slow.test.ts it took
 * 66 s of a core in place of 72, once each.
 */
const LITTLE_LOG = { wal_level: "minimal", max_wal_senders: "0", wal_compression: "off" };
/**
 * All files share it. Indexes that are made by several processes take more of them together: the rows of
 * explain.slow.test.ts took 39 s in place of 42, once each.
 */
const FOR_ALL = {
  shared_buffers: "512MB",
  max_parallel_maintenance_workers: "0",
  // Each analysis of a table by autovacuum also discards the plans on it, in every database of the run.
  autovacuum_naptime: "60s",
};
/**
 * In memory, where there is enough of it: ext4 looks at every file that was deleted within the last seconds before it
 * makes one, which made a clone of the template take 0.25 s of a core in place of 0.02. What a killed run left there is
 * removed.
 */
function room(): string {
  if (!existsSync(MEMORY)) return tmpdir();
  for (const left of readdirSync(MEMORY).filter((name) => name.startsWith(PREFIX))) {
    const path = join(MEMORY, left);
    const since = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    const isRunning = existsSync(join(path, "data", "postgres", "postmaster.pid"));
    if (!isRunning && Date.now() - since > HOUR_MS) rmSync(path, { recursive: true, force: true });
  }
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize > ENOUGH ? MEMORY : tmpdir();
}

/** Makes the directory of one cluster, which its PostgreSQL can enter. */
export function clusterDirectory(): string {
  const directory = mkdtempSync(join(room(), PREFIX));
  chmodSync(directory, 0o711);
  return directory;
}

export interface Cluster {
  url: string;
  stop(): Promise<void>;
  /** Stops it and removes its directory. */
  remove(): Promise<void>;
}
export const filesOf = (directory: string): string => join(directory, "data", "postgres");

export async function startCluster(directory: string, settings: Record<string, string> = {}): Promise<Cluster> {
  const embedded = await startEmbedded(join(directory, "data"), {
    durable: false,
    settings: { ...LITTLE_LOG, ...FOR_ALL, ...settings },
  });
  const stop = async () => void (await embedded.stop());
  return {
    url: embedded.url,
    stop,
    async remove() {
      await stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** A foreign cluster has the roles from the run before. */
const ROLE_EXISTS = "42710";

/** Returns the address of a new migrated database; `before` makes room for its name. */
export async function createMigrated(
  url: string,
  name: string,
  before: (client: pg.Client) => Promise<void> = async () => {},
): Promise<string> {
  const client = new pg.Client(url);
  await client.connect();
  const own = new URL(url);
  own.pathname = `/${name}`;
  try {
    // A service owns its database and may do nothing else, as docs/operate.md asks for: row-level security applies to
    // it.
    for (const role of ["svc_app", "svc_owner LOGIN"])
      await client.query(`CREATE ROLE ${role}`).catch((error) => {
        if (error.code !== ROLE_EXISTS) throw error;
      });
    await client.query("GRANT svc_app TO svc_owner WITH ADMIN OPTION");
    await before(client);
    await client.query(`CREATE DATABASE ${name} OWNER svc_owner`);
    await migrate(ownerUrl(own.href));
  } finally {
    await client.end();
  }
  return own.href;
}
