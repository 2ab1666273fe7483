// The PostgreSQL that needs no installation: its cluster lives in DATA_DIR/postgres, it listens only on a socket in
// a directory that nobody else may enter, and it ends with this process. Start-up is recovery: whatever a kill left
// behind is put right here, and where PostgreSQL ends by itself it is started again (embedded-restart.ts).
// Refuses a cluster of another major version and a data directory that another PostgreSQL uses.
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { ConfigError, dataDirFault } from "../settings/config-error.ts";
import { makeDirectory, privateDirectory } from "../settings/directory.ts";
import { findBinaries } from "./embedded-binaries.ts";
import { initialise, isInitialised, superuser } from "./embedded-cluster.ts";
import { ownerOfLock, postmasterLock, removeStaleLock } from "./embedded-locks.ts";
import { chooseRunner, type Runner, type Running, reason, run } from "./embedded-process.ts";
import { type Kept, keepRunning } from "./embedded-restart.ts";

export type Embedded = Kept & { url: string };

const database = "svc";
const socketName = ".s.PGSQL.5432";

const settings = {
  listen_addresses: "",
  unix_socket_permissions: "0700",
  max_connections: "100",
  shared_buffers: "128MB",
  wal_compression: "on",
  random_page_cost: "1.1",
  jit: "off",
  update_process_title: "off",
  // Commits that arrive together share one fsync; alone, a commit never waits.
  commit_delay: "200",
  commit_siblings: "4",
  timezone: "UTC",
  lc_messages: "C",
  // Only the life of the server is logged, never a statement: statements hold the users' data.
  log_min_messages: "log",
  log_min_error_statement: "panic",
  log_checkpoints: "off",
  logging_collector: "off",
  log_destination: "stderr",
};
const volatile = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" };

// `durable: false` is for tests, whose data may vanish with the machine.
type Options = { durable?: boolean; patienceMs?: number; say?: (line: string) => void };

export async function startEmbedded(dataDir: string, options: Options = {}): Promise<Embedded> {
  const { start, sockets } = await prepare(dataDir, options).catch((error) => {
    throw "syscall" in error ? dataDirFault(dataDir, error) : error;
  });
  const kept = keepRunning(await start(), start, options.say ?? (() => {}));
  return { ...kept, url: await ensureDatabase(sockets) };
}

async function prepare(dataDir: string, { durable = true, patienceMs = 10_000 }: Options) {
  const cluster = join(dataDir, "postgres");
  makeDirectory(dataDir, 0o711);
  const binaries = findBinaries(dataDir);
  const runner = chooseRunner(binaries, dataDir, cluster);
  if (!isInitialised(cluster)) await initialise(cluster, binaries, runner, durable);
  const sockets = socketDirectory(dataDir, runner);
  const flags = {
    ...settings,
    ...(durable ? {} : volatile),
    unix_socket_directories: `"${sockets.replaceAll('"', '""')}"`,
  };
  const command = [binaries.postgres, "-D", cluster, ...Object.entries(flags).flatMap(([k, v]) => ["-c", `${k}=${v}`])];
  const socketLock = join(sockets, `${socketName}.lock`);
  const start = () => {
    const deadline = Date.now() + patienceMs;
    return startWhenFree({ dataDir, cluster, socketLock, deadline, start: () => run(runner, command) });
  };
  return { start, sockets };
}

// A socket address holds about 100 bytes; a deeper DATA_DIR gets a directory named after it in the temporary one.
function socketPath(dataDir: string): string {
  const near = join(dataDir, "socket");
  const far = join(tmpdir(), `svc-${createHash("sha256").update(dataDir).digest("hex").slice(0, 16)}`);
  return Buffer.byteLength(join(near, socketName)) <= 100 ? near : far;
}

function socketDirectory(dataDir: string, runner: Runner): string {
  const directory = socketPath(dataDir);
  privateDirectory(directory, runner.ids);
  return directory;
}

const urlOf = (sockets: string, name: string) =>
  `postgresql://${superuser}@localhost/${name}?host=${encodeURIComponent(sockets)}`;

/** The address of the database in this directory, where a server runs on it. */
export const runningEmbedded = (dataDir: string): string | null => {
  const cluster = join(dataDir, "postgres");
  return ownerOfLock(postmasterLock(cluster), cluster) === null ? null : urlOf(socketPath(dataDir), database);
};

// What a killed predecessor left (its PostgreSQL still stopping, backends still holding memory) goes away by itself.
type Attempt = { dataDir: string; cluster: string; socketLock: string; deadline: number; start: () => Running };

async function startWhenFree({ dataDir, cluster, socketLock, deadline, start }: Attempt): Promise<Running> {
  for (;;) {
    removeStaleLock(postmasterLock(cluster), cluster);
    removeStaleLock(socketLock, cluster);
    const pid = ownerOfLock(postmasterLock(cluster), cluster);
    const server = pid === null ? start() : null;
    if (server && (await isReady(server))) return server;
    const log = server?.log() ?? "";
    if (server && !/lock file|shared memory block/.test(log))
      throw new ConfigError([`DATA_DIR: PostgreSQL does not start in ${cluster}: ${reason(log)}`]);
    if (Date.now() > deadline) {
      const user = pid === null ? "another PostgreSQL" : `PostgreSQL process ${pid}`;
      throw new ConfigError([
        `DATA_DIR: ${dataDir} is in use by ${user}; stop the server it belongs to, or set another DATA_DIR`,
      ]);
    }
    await sleep(50);
  }
}

async function isReady(server: Running): Promise<boolean> {
  let ended = false;
  server.exited.then(() => {
    ended = true;
  });
  while (!ended && !server.log().includes("ready to accept connections")) await sleep(10);
  return !ended;
}

async function ensureDatabase(sockets: string): Promise<string> {
  const client = new pg.Client({
    connectionString: urlOf(sockets, "postgres"),
    connectionTimeoutMillis: 10_000,
    query_timeout: 60_000,
  });
  await client.connect();
  try {
    const { rowCount } = await client.query("SELECT FROM pg_database WHERE datname = $1", [database]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${database}`);
  } finally {
    await client.end();
  }
  return urlOf(sockets, database);
}
