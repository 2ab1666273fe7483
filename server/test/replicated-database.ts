// A primary and a streaming standby of the embedded PostgreSQL, behind one address that leads to whichever of the two
// is the primary: for tests of promotions, with and without the loss of what the standby had not received.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { socketAddress } from "../src/platform/database/embedded/address.ts";
import { findBinaries } from "../src/platform/database/embedded/binaries.ts";
import { superuser } from "../src/platform/database/embedded/cluster.ts";
import { startEmbedded } from "../src/platform/database/embedded/postgres.ts";
import { chooseRunner, run } from "../src/platform/database/embedded/process.ts";
import { migrate } from "../src/platform/database/start/migrations.ts";
import { makeDataDirectory } from "../src/platform/settings/directory.ts";
import { eventually } from "./eventually.ts";

type Settings = Record<string, string>;

async function query<R extends pg.QueryResultRow>(url: string, sql: string, values?: unknown[]): Promise<R[]> {
  const client = new pg.Client(url);
  client.on("error", () => {});
  await client.connect();
  return (await client.query<R>(sql, values).finally(() => client.end())).rows;
}

/** Starts PostgreSQL on a copy of a stopped cluster. */
async function startCopy(source: string, dataDir: string, settings: Settings, isStandby: boolean) {
  makeDataDirectory(dataDir);
  const cluster = join(dataDir, "postgres");
  execFileSync("cp", ["-a", join(source, "postgres"), cluster]);
  const binaries = findBinaries(dataDir);
  const runner = chooseRunner(binaries, dataDir, cluster, false);
  const address = socketAddress(dataDir, runner.ids);
  if (isStandby) writeFileSync(join(cluster, "standby.signal"), "");
  const flags = { fsync: "off", max_connections: "300", ...settings, ...(await address.settings()) };
  const given = Object.entries(flags).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const server = run(runner, [binaries.postgres, "-D", cluster, ...given]);
  const url = address.url("svc");
  let ended = false;
  server.exited.then(() => {
    ended = true;
  });
  while (!(await query(url, "select 1").catch(() => null))) {
    if (ended) throw new Error(server.log());
    await sleep(50);
  }
  return {
    url,
    socketDirectory: (await address.settings()).unix_socket_directories?.slice(1, -1) as string,
    /** Ends it without a word to the standby, as a power cut does. */
    async kill() {
      const [pid] = readFileSync(join(cluster, "postmaster.pid"), "utf8").split("\n");
      process.kill(Number(pid), "SIGQUIT");
      await server.exited;
    },
    async stop() {
      server.stop();
      await server.exited;
    },
  };
}

/** One address for clients: forwards to the current primary, and cuts every connection when that changes. */
async function openSwitch(primary: string) {
  const open = new Set<Socket>();
  let target: string | null = primary;
  const server = createServer((client) => {
    client.on("error", () => {});
    if (target === null) return void client.destroy();
    const database = connect(join(new URL(target).searchParams.get("host") as string, ".s.PGSQL.5432"));
    for (const [from, to] of [
      [client, database],
      [database, client],
    ] as const) {
      open.add(from);
      from.on("error", () => {});
      from.on("close", () => {
        open.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const url = new URL(primary);
  url.searchParams.delete("host");
  url.host = `127.0.0.1:${(server.address() as { port: number }).port}`;
  const lead = (next: string | null) => {
    target = next;
    for (const socket of open) socket.destroy();
  };
  return {
    url: url.href,
    lead,
    async close() {
      lead(null);
      await new Promise((closed) => server.close(closed));
    },
  };
}

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "svc-replicated-"));
  chmodSync(directory, 0o711);
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
/** A stopped cluster with a migrated database, which both copies begin as. */
let migrated: Promise<string> | undefined;
async function makeSource(): Promise<string> {
  const source = join(newDirectory(), "source");
  const embedded = await startEmbedded(source, { durable: false });
  await migrate(embedded.url);
  await embedded.stop();
  return source;
}

export type ReplicatedDatabase = Awaited<ReturnType<typeof replicatedDatabase>>;
/** `synchronous`: a commit is acknowledged, and seen by others, once the standby has it. */
export async function replicatedDatabase({ synchronous }: { synchronous: boolean }) {
  migrated ??= makeSource();
  const source = await migrated;
  const directory = newDirectory();
  const primary = await startCopy(source, join(directory, "a"), { wal_keep_size: "256MB" }, false);
  const primary_conninfo = `host=${primary.socketDirectory} user=${superuser} application_name=standby`;
  const standby = await startCopy(source, join(directory, "b"), {}, true);
  await query(standby.url, `alter system set primary_conninfo = '${primary_conninfo}'`);
  await query(standby.url, "select pg_reload_conf()");
  const set = async (url: string, name: string, value: string) => {
    await query(url, `alter system set ${name} = '${value}'`);
    await query(url, "select pg_reload_conf()");
  };
  await eventually(async () => {
    const rows = await query(primary.url, "select from pg_stat_replication where state = 'streaming'");
    if (rows.length !== 1) throw new Error("the standby does not stream");
  });
  if (synchronous) await set(primary.url, "synchronous_standby_names", "standby");
  const way = await openSwitch(primary.url);
  let current = primary.url;
  return {
    url: way.url,
    /** As the owner, on whichever is the primary. */
    query: <R extends pg.QueryResultRow>(sql: string, values?: unknown[]) => query<R>(current, sql, values),
    /** Resolves once the standby has replayed everything. */
    async caughtUp() {
      const [row] = await query<{ lsn: string }>(primary.url, "select pg_current_wal_insert_lsn()::text as lsn");
      await eventually(async () => {
        const sql = "select pg_last_wal_replay_lsn() >= $1::pg_lsn as done";
        const [replayed] = await query<{ done: boolean }>(standby.url, sql, [row?.lsn]);
        if (!replayed?.done) throw new Error("the standby lags");
      });
    },
    /** The standby receives nothing from now on. */
    async separate() {
      await set(standby.url, "primary_conninfo", "");
      await eventually(async () => {
        if ((await query(primary.url, "select from pg_stat_replication")).length > 0)
          throw new Error("it still streams");
      });
    },
    /** Kills the primary and promotes the standby, to which the address leads from then on. */
    async promote() {
      way.lead(null);
      await primary.kill();
      await query(standby.url, "select pg_promote(true, 60)");
      current = standby.url;
      way.lead(standby.url);
    },
    async close() {
      await way.close();
      await Promise.all([current === primary.url ? primary.stop() : null, standby.stop()]);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
