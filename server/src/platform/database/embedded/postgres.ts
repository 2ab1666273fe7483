// The embedded PostgreSQL, which needs no installation: its cluster is in DATA_DIR/postgres, no other user of the
// machine can connect to it (address.ts), and it ends with this process. Start-up includes recovery from a
// kill, and a PostgreSQL that ends by itself is restarted (restart.ts). Refuses a cluster of another major
// version and a data directory that another PostgreSQL uses.
import { statfsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ConfigError, dataDirFault } from "../../settings/config-error.ts";
import { makeDataDirectory } from "../../settings/directory.ts";
import { connectClient } from "../connections/client.ts";
import { ownerSession } from "../connections/session.ts";
import { type PostgresAddress, portAddress, runningAddress, socketAddress } from "./address.ts";
import { type Binaries, findBinaries } from "./binaries.ts";
import { initialise, isInitialised, passwordOf } from "./cluster.ts";
import { isTaken, ownerOfLock, postmasterLock, removeStaleLock } from "./locks.ts";
import { chooseRunner, type RunningProcess, reason, run } from "./process.ts";
import { keepRunning, type RestartLoop } from "./restart.ts";

export type Embedded = RestartLoop & { url: string };

const database = "svc";

const settings = {
  max_connections: "100",
  shared_buffers: "128MB",
  wal_compression: "on",
  // Statements on a table are planned by guesses until autovacuum has analysed it: with the default interval of a
  // minute, an import fills the table first.
  autovacuum_naptime: "10s",
  random_page_cost: "1.1",
  jit: "off",
  update_process_title: "off",
  // Commits that arrive together share one fsync; alone, a commit never waits.
  commit_delay: "200",
  commit_siblings: "4",
  timezone: "UTC",
  lc_messages: "C",
  // Logs only the server's own events, never a statement: statements contain the users' data.
  log_min_messages: "log",
  log_min_error_statement: "panic",
  log_checkpoints: "off",
  logging_collector: "off",
  log_destination: "stderr",
};
// Before recovery PostgreSQL flushes all written files: syncfs does so at once; file after file took two seconds under
// load.
const flushing = process.platform === "linux" ? { recovery_init_sync_method: "syncfs" } : {};
// Several services share the test cluster at the same time.
const volatile = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_connections: "300" };

// `durable: false` is for tests, whose data may vanish with the machine. `portable` creates a cluster that needs
// neither sh nor Unix sockets; an existing cluster stays as it was created.
type Options = {
  durable?: boolean;
  patienceMs?: number;
  say?: (line: string) => void;
  portable?: boolean;
  choosePort?: () => Promise<number>;
  binaries?: Binaries;
  /** Overrides the settings above. */
  settings?: Record<string, string>;
};

export async function startEmbedded(dataDir: string, options: Options = {}): Promise<Embedded> {
  const { start, address } = await prepare(dataDir, options).catch((error) => {
    throw "syscall" in error ? dataDirFault(dataDir, error) : error;
  });
  const room = () => {
    const { bavail, bsize } = statfsSync(dataDir);
    return bavail * bsize;
  };
  const kept = keepRunning(await start(), { start, room, say: options.say ?? (() => {}) });
  await ensureDatabase(address.url("postgres"));
  return { ...kept, url: address.url(database) };
}

async function prepare(dataDir: string, options: Options) {
  const { durable = true, patienceMs = 10_000, portable = process.platform === "win32", choosePort } = options;
  const cluster = join(dataDir, "postgres");
  makeDataDirectory(dataDir);
  const binaries = options.binaries ?? findBinaries(dataDir);
  const isMade = isInitialised(cluster);
  const withPassword = isMade ? passwordOf(cluster) !== null : portable;
  const runner = chooseRunner(binaries, dataDir, cluster, withPassword);
  if (!isMade) await initialise(cluster, binaries, runner, { durable, withPassword });
  const password = passwordOf(cluster);
  const address = password === null ? socketAddress(dataDir, runner.ids) : portAddress(password, choosePort);
  const launch = async (withoutRights: boolean) => {
    const own = { ...(durable ? {} : volatile), ...options.settings };
    const flags = { ...settings, ...flushing, ...own, ...(await address.settings()) };
    const given = Object.entries(flags).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const command = withoutRights
      ? [binaries.control, "start", "--no-wait", "--pgdata", cluster, "--options", given.join(" ")]
      : [binaries.postgres, "-D", cluster, ...given];
    return run(runner, command);
  };
  const start = () => startWhenFree({ dataDir, cluster, address, deadline: Date.now() + patienceMs, launch });
  return { start, address };
}

/** URL of the database in this directory, if a server runs on it. */
export const runningEmbedded = (dataDir: string): string | null =>
  runningAddress(dataDir, join(dataDir, "postgres"), database);

// Leftovers of a killed predecessor (its PostgreSQL still stopping, backends still holding memory or the port) go away
// by themselves, so a start retries until the deadline.
type Attempt = {
  dataDir: string;
  cluster: string;
  address: PostgresAddress;
  deadline: number;
  /**
   * `withoutRights`: PostgreSQL refuses to run for an administrator of Windows, so pg_ctl starts it without those
   * rights.
   */
  launch: (withoutRights: boolean) => Promise<RunningProcess>;
};

async function startWhenFree({ dataDir, cluster, address, deadline, launch }: Attempt): Promise<RunningProcess> {
  let withoutRights = false;
  for (;;) {
    removeStaleLock(postmasterLock(cluster), cluster);
    if (address.lock) removeStaleLock(address.lock, cluster);
    const pid = ownerOfLock(postmasterLock(cluster), cluster);
    const server = pid === null ? await launch(withoutRights) : null;
    if (server && (await isReady(server))) return server;
    const log = server?.log() ?? "";
    if (!withoutRights && /user with administrative permissions/.test(log)) {
      withoutRights = true;
      continue;
    }
    const isLate = Date.now() > deadline;
    const isInUse = server === null || isTaken(log);
    const hasNoPort = /could not create any TCP\/IP sockets/.test(log);
    if (!isInUse && (isLate || !hasNoPort))
      throw new ConfigError([`DATA_DIR: PostgreSQL does not start in ${cluster}: ${reason(log)}`]);
    if (isLate) {
      const user = pid === null ? "another PostgreSQL" : `PostgreSQL process ${pid}`;
      throw new ConfigError([
        `DATA_DIR: ${dataDir} is in use by ${user}; stop the server it belongs to, or set another DATA_DIR`,
      ]);
    }
    await sleep(50);
  }
}

async function isReady(server: RunningProcess): Promise<boolean> {
  let ended = false;
  server.exited.then(() => {
    ended = true;
  });
  while (!ended && !server.log().includes("ready to accept connections")) await sleep(10);
  return !ended;
}

async function ensureDatabase(url: string): Promise<void> {
  const client = await connectClient(url, ownerSession("svc-start"), { query_timeout: 60_000 });
  try {
    const { rowCount } = await client.query("SELECT FROM pg_database WHERE datname = $1", [database]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${database}`);
  } finally {
    await client.end();
  }
}
