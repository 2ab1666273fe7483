import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { eventually } from "../../../../test/eventually.ts";
import { ConfigError } from "../../settings/config-error.ts";
import { socketAddress } from "./address.ts";
import { findBinaries } from "./binaries.ts";
import { isAlive, isTaken } from "./locks.ts";
import { runningEmbedded, startEmbedded } from "./postgres.ts";
import { chooseRunner, reason, run, shell } from "./process.ts";
import { keepRunning } from "./restart.ts";

const directory = mkdtempSync(join(tmpdir(), "svc-embedded-"));
chmodSync(directory, 0o711);
afterAll(() => rmSync(directory, { recursive: true }));

const dataDir = join(directory, 'a, "b" c');
const cluster = join(dataDir, "postgres");

async function value(url: string, sql: string): Promise<unknown> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return Object.values((await client.query(sql)).rows[0])[0];
  } finally {
    await client.end();
  }
}

function makeOld(path: string): void {
  utimesSync(path, new Date(0), new Date(0));
}

test("a fresh cluster is durable, checksummed, UTF-8 and reachable only through a private socket", async () => {
  const { url, stop } = await startEmbedded(dataDir);
  const setting = (name: string) => value(url, `SHOW ${name}`);
  expect(await setting("fsync")).toBe("on");
  expect(await setting("data_checksums")).toBe("on");
  expect(await setting("server_encoding")).toBe("UTF8");
  expect(await setting("listen_addresses")).toBe("");
  expect(await value(url, "SELECT lower('ÄÉ')")).toBe("äé");
  expect(await value(url, "SELECT to_tsvector('simple', '“café”')::text")).toBe("'café':1");
  for (const name of ["postgres", "socket"]) expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o700);
  await stop();
  expect(existsSync(join(cluster, "postmaster.pid"))).toBe(false);
});

test("lock files whose number now belongs to another program do not stand in the way", async () => {
  const { uid, gid } = statSync(cluster);
  const other = spawn("sleep", ["60"], process.getuid?.() === 0 ? { uid, gid } : {});
  for (const lock of [join(cluster, "postmaster.pid"), join(dataDir, "socket", ".s.PGSQL.5432.lock")]) {
    writeFileSync(lock, `${other.pid}\n${cluster}\n1\n5432\n`);
    makeOld(lock);
  }
  const { url, stop } = await startEmbedded(dataDir, { durable: false });
  expect(await value(url, "SELECT 1")).toBe(1);
  await stop();
  other.kill();
});

test("an empty lock file, left by a crash in the middle of writing it, does not either", async () => {
  writeFileSync(join(cluster, "postmaster.pid"), "");
  makeOld(join(cluster, "postmaster.pid"));
  const { url, stop } = await startEmbedded(dataDir, { durable: false });
  expect(await value(url, "SELECT 1")).toBe(1);
  await stop();
});

test("a data directory in use is refused in one line that names the process", async () => {
  const { stop } = await startEmbedded(dataDir, { durable: false });
  const pid = Number.parseInt(readFileSync(join(cluster, "postmaster.pid"), "utf8"), 10);
  await expect(startEmbedded(dataDir, { patienceMs: 100 })).rejects.toThrow(
    `DATA_DIR: ${dataDir} is in use by PostgreSQL process ${pid}`,
  );
  await stop();
});

const postmaster = () => Number.parseInt(readFileSync(join(cluster, "postmaster.pid"), "utf8"), 10);

test("a PostgreSQL that is killed is started again in place, five times a minute, and then given up", async () => {
  // All in the same minute.
  vi.spyOn(Date, "now").mockReturnValue(Date.now());
  onTestFinished(() => void vi.restoreAllMocks());
  const said: string[] = [];
  const { url, lost } = await startEmbedded(dataDir, { durable: false, say: (line) => said.push(line) });
  const again = () => said.filter((line) => line === "PostgreSQL runs again").length;
  for (let turn = 1; turn <= 5; turn++) {
    process.kill(postmaster(), "SIGKILL");
    await eventually(() => expect(again()).toBe(turn));
    expect(await value(url, "SELECT 1")).toBe(1);
  }
  process.kill(postmaster(), "SIGKILL");
  expect(await lost).toMatch(/killed|postmaster exit/);
  expect(again()).toBe(5);
});

test("one that is stopped while it is being started again stays stopped", async () => {
  const { lost, stop } = await startEmbedded(dataDir, { durable: false });
  process.kill(postmaster(), "SIGKILL");
  await stop();
  expect(await lost).toBe(null);
  await eventually(() => expect(existsSync(join(cluster, "postmaster.pid")) && isAlive(postmaster())).toBe(false));
});

test("one that is told to stop before it listens to that is told again", async () => {
  const binaries = findBinaries(dataDir);
  const runner = chooseRunner(binaries, dataDir, cluster, false);
  const settings = await socketAddress(dataDir, runner.ids).settings();
  const listening = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const late = ["sh", "-c", 'sleep 1; exec "$@"', "sh"];
  const running = run(runner, [...late, binaries.postgres, "-D", cluster, ...listening]);
  running.stop();
  await running.exited;
  expect(runningEmbedded(dataDir)).toBe(null);
});

test("one that is stopped while it restarts after the crash of a backend ends", async () => {
  const stopAfter = async (ms: number) => {
    const own = join(directory, `crash-${ms}`);
    const { url, stop } = await startEmbedded(own, { durable: false });
    const client = new pg.Client(url);
    client.on("error", () => {});
    await client.connect();
    const { rows } = await client.query("SELECT pg_backend_pid() AS pid");
    process.kill(rows[0].pid, "SIGKILL");
    // Wait: a fast shutdown within about 10 to 60 ms of the crash never ends.
    await sleep(ms);
    await stop();
    expect(runningEmbedded(own)).toBe(null);
  };
  await Promise.all([10, 20, 40].map(stopAfter));
});

const runner = { ids: null, prefix: [], env: { PATH: process.env.PATH }, supervisor: shell };
const program = (script: string) => run(runner, ["sh", "-c", script]);

test("one that does not end after requests for a fast shutdown gets one for an immediate shutdown", async () => {
  const script = `
    const got = [];
    process.on("SIGINT", () => got.push("fast"));
    process.on("SIGQUIT", () => { console.error([...got, "immediate"].join()); process.exit(); });
    // Wait: the timer keeps the program running until the signal.
    setInterval(() => {}, 1000);
    console.error("ready");`;
  const running = run(runner, [process.execPath, "-e", script]);
  await eventually(() => expect(running.log()).toContain("ready"));
  running.stop();
  await running.exited;
  expect(running.log()).toMatch(/^ready\nfast,.*fast,immediate\n$/);
});
const full = () =>
  program(`echo 'PANIC:  could not write to file: No space left on device
FATAL:  the database system is not yet accepting connections' >&2; exit 1`);

test("a full disk is waited for, however often it ends PostgreSQL", async () => {
  const said: string[] = [];
  let starts = 0;
  const start = async () => (++starts < 3 ? full() : program("exec sleep 2"));
  const { lost, stop } = keepRunning(full(), { start, room: () => 0, say: (line) => said.push(line) });
  await eventually(() => expect(starts).toBe(3));
  expect(said.filter((line) => /disk is full \(.*No space left on device\); make room/.test(line))).toHaveLength(3);
  await stop();
  expect(await lost).toBe(null);
});

test("it is started as soon as there is room again, however long the pause has become", async () => {
  onTestFinished(() => void vi.restoreAllMocks());
  let [starts, room] = [0, 0];
  const start = async () => {
    if (++starts < 4) throw new Error("could not write to file: No space left on device");
    return program("exec sleep 2");
  };
  const say = (line: string) => {
    if (!line.endsWith("in 8 s")) return;
    // No pause ends by itself from here on.
    vi.spyOn(Date, "now").mockReturnValue(Date.now());
    room = 2 ** 30;
  };
  const { stop } = keepRunning(full(), { start, room: () => room, say });
  await eventually(() => expect(room).toBeGreaterThan(0));
  await eventually(() => expect(starts).toBe(4));
  await stop();
});

test("a start that fails for want of room says so, whatever clients were told before and after", () => {
  const log = `
FATAL:  the database system is starting up
PANIC:  could not write to file "pg_wal/xlogtemp.7": No space left on device
FATAL:  the database system is not yet accepting connections`;
  expect(reason(log)).toMatch(/No space left on device$/);
});

test("no room for its own lock file is a full disk, and no other server", () => {
  expect(isTaken('FATAL:  lock file "postmaster.pid" already exists')).toBe(true);
  expect(isTaken("FATAL:  pre-existing shared memory block (key 1, ID 2) is still in use")).toBe(true);
  expect(isTaken('FATAL:  could not write lock file "postmaster.pid": No space left on device')).toBe(false);
});

test("a cluster that was being made when the power went is thrown away, and a deep path gets its socket elsewhere", async () => {
  const deep = join(directory, "x".repeat(90));
  const abandoned = join(deep, "postgres.new.4194304");
  mkdirSync(abandoned, { recursive: true, mode: 0o711 });
  chmodSync(deep, 0o711);
  writeFileSync(join(abandoned, "half"), "");
  const { url, stop } = await startEmbedded(deep, { durable: false });
  expect(await value(url, "SELECT 1")).toBe(1);
  expect(existsSync(abandoned)).toBe(false);
  const sockets = new URL(url).searchParams.get("host") ?? "";
  expect(sockets.startsWith(deep)).toBe(false);
  expect(statSync(sockets).mode & 0o777).toBe(0o700);
  await stop();
  rmSync(sockets, { recursive: true });
});

test("a cluster of another major version is refused in one line", async () => {
  writeFileSync(join(cluster, "PG_VERSION"), "14\n");
  const refused = startEmbedded(dataDir);
  await expect(refused).rejects.toThrow(ConfigError);
  await expect(refused).rejects.toThrow(/made by PostgreSQL 14/);
});

test("a directory that cannot be written is refused in one line", async () => {
  await expect(startEmbedded("/dev/null/data")).rejects.toThrow(/^DATA_DIR: \/dev\/null\/data cannot be written/);
});
