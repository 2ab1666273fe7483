// The embedded PostgreSQL as on Windows, on the system of the tests: it listens on a port with a password, and a Node
// process supervises it.
import { type ChildProcess, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { eventually } from "../../../../test/eventually.ts";
import { freePort } from "./address.ts";
import { findBinaries } from "./binaries.ts";
import { isAlive } from "./locks.ts";
import { runningEmbedded, startEmbedded } from "./postgres.ts";
import { chooseRunner, reason, run } from "./process.ts";

const directory = mkdtempSync(join(tmpdir(), "svc-portable-"));
chmodSync(directory, 0o711);
const started = new Set<ChildProcess>();
afterAll(() => {
  for (const child of started) child.kill("SIGKILL");
  rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
});

const dataDir = join(directory, "with a space & more");
const cluster = join(dataDir, "postgres");
const PORTABLE = { portable: true, durable: false };

async function value(url: string, sql: string): Promise<unknown> {
  const client = new pg.Client(url);
  client.on("error", () => {});
  try {
    await client.connect();
    return Object.values((await client.query(sql)).rows[0] ?? {})[0];
  } finally {
    await client.end();
  }
}
const changed = (url: string, change: (url: URL) => void): string => {
  const copy = new URL(url);
  change(copy);
  return copy.href;
};
const postmaster = (of = cluster) => Number.parseInt(readFileSync(join(of, "postmaster.pid"), "utf8"), 10);

/** Whoever supervises this process: its parent. */
const parentOf = (pid: number) => Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);

const take = (port: number) =>
  new Promise<Server>((done) => {
    const server = createServer().listen(port, "127.0.0.1", () => done(server));
  });

test("a fresh cluster listens on a port of 127.0.0.1 alone, and its password lies where only its owner reads it", async () => {
  const { url, stop } = await startEmbedded(dataDir, { portable: true });
  expect(new URL(url).hostname).toBe("127.0.0.1");
  expect(await value(url, "SHOW listen_addresses")).toBe("127.0.0.1");
  expect(await value(url, "SHOW unix_socket_directories")).toBe("");
  expect(await value(url, "SHOW fsync")).toBe("on");
  expect(await value(url, "SHOW password_encryption")).toBe("scram-sha-256");
  expect(existsSync(join(dataDir, "socket"))).toBe(false);
  expect(readFileSync(join(cluster, "svc-password"), "utf8")).toBe(`${new URL(url).password}\n`);
  expect(new URL(url).password).toMatch(/^[\w-]{43}$/);
  expect(statSync(cluster).mode & 0o777).toBe(0o700);
  expect(statSync(join(cluster, "svc-password")).mode & 0o777).toBe(0o600);
  expect(readdirSync(dataDir)).toEqual(["postgres"]);
  expect(readFileSync(`/proc/${parentOf(postmaster())}/cmdline`, "utf8")).toContain("embedded/supervisor.mjs");
  await value(url, "CREATE TABLE kept AS SELECT 1 AS n");
  await stop();
  expect(existsSync(join(cluster, "postmaster.pid"))).toBe(false);
  expect(runningEmbedded(dataDir)).toBe(null);
});

test("nobody gets in without the password, with a wrong one, as somebody else, or to replicate; trust is nowhere", async () => {
  const { url, stop } = await startEmbedded(dataDir, PORTABLE);
  await value(url, "CREATE ROLE guest LOGIN SUPERUSER PASSWORD 'guessed'");
  const without = changed(url, (to) => {
    to.password = "";
  });
  const wrong = changed(url, (to) => {
    to.password = "guessed";
  });
  const guest = changed(wrong, (to) => {
    to.username = "guest";
  });
  const replica = changed(url, (to) => to.searchParams.set("replication", "database"));
  await expect(value(without, "SELECT 1")).rejects.toThrow(/password must be a|password authentication failed/);
  await expect(value(wrong, "SELECT 1")).rejects.toThrow(/password authentication failed/);
  await expect(value(guest, "SELECT 1")).rejects.toThrow(/no pg_hba\.conf entry.* user "guest"/);
  await expect(value(replica.replace("=database", "=true"), "IDENTIFY_SYSTEM")).rejects.toThrow(
    /no pg_hba\.conf entry/,
  );
  expect(await value(url, "SELECT string_agg(auth_method, ',') FROM pg_hba_file_rules")).toBe("scram-sha-256");
  await value(url, "DROP ROLE guest");
  await stop();
});

test("who looks for the running one finds it, and a second start is refused without a word of the password", async () => {
  const first = await startEmbedded(dataDir, PORTABLE);
  expect(runningEmbedded(dataDir)).toBe(first.url);
  const refusal = await startEmbedded(dataDir, { ...PORTABLE, patienceMs: 100 }).catch((error) => error.message);
  expect(refusal).toMatch(`DATA_DIR: ${dataDir} is in use by PostgreSQL process ${postmaster()}`);
  expect(refusal).not.toContain(new URL(first.url).password);
  expect(await value(first.url, "SELECT n FROM kept")).toBe(1);
  await first.stop();
});

test("a cluster stays what it was made: with a password also where it is started without being asked for it", async () => {
  const { url, stop } = await startEmbedded(dataDir, { durable: false });
  expect(new URL(url).hostname).toBe("127.0.0.1");
  expect(await value(url, "SELECT n FROM kept")).toBe(1);
  await stop();
  const other = join(directory, "socket");
  await (await startEmbedded(other, { durable: false })).stop();
  const same = await startEmbedded(other, PORTABLE);
  expect(new URL(same.url).searchParams.get("host")).toBe(join(other, "socket"));
  expect(runningEmbedded(other)).toBe(same.url);
  await same.stop();
});

test("two data directories run at once, each with its own port and password", async () => {
  const other = join(directory, "other");
  const [one, two] = await Promise.all([startEmbedded(dataDir, PORTABLE), startEmbedded(other, PORTABLE)]);
  expect(new URL(one.url).port).not.toBe(new URL(two.url).port);
  expect(await value(one.url, "SELECT n FROM kept")).toBe(1);
  const crossed = changed(two.url, (to) => {
    to.password = new URL(one.url).password;
  });
  await expect(value(crossed, "SELECT 1")).rejects.toThrow(/password authentication failed/);
  expect([runningEmbedded(dataDir), runningEmbedded(other)]).toEqual([one.url, two.url]);
  await Promise.all([one.stop(), two.stop()]);
});

test("a port that was taken between its choice and its use is given up for another one", async () => {
  const other = await take(0);
  const { port: taken } = other.address() as { port: number };
  const choices = [taken, await freePort()];
  const free = choices[1];
  const choosePort = async () => choices.shift() as number;
  const { url, stop } = await startEmbedded(dataDir, { ...PORTABLE, choosePort });
  expect(new URL(url).port).toBe(String(free));
  await stop();
  const never = startEmbedded(dataDir, { ...PORTABLE, choosePort: async () => taken, patienceMs: 300 });
  await expect(never).rejects.toThrow(/PostgreSQL does not start in .*could not create any TCP\/IP sockets/);
  other.close();
});

test("one that is killed is started again under the same address, also where somebody has its port for a moment", async () => {
  const said: string[] = [];
  let thief: Promise<Server> | null = null;
  const { url, stop } = await startEmbedded(dataDir, {
    ...PORTABLE,
    say(line) {
      said.push(line);
      if (/ended unexpectedly/.test(line) && said.length > 2) thief = take(Number(new URL(url).port));
    },
  });
  const again = (times: number) =>
    eventually(() => expect(said.filter((line) => line === "PostgreSQL runs again")).toHaveLength(times));
  process.kill(postmaster(), "SIGKILL");
  await again(1);
  expect(await value(url, "SELECT n FROM kept")).toBe(1);
  process.kill(postmaster(), "SIGKILL");
  const server = await eventually(async () => {
    expect(thief).not.toBe(null);
    return thief as unknown as Promise<Server>;
  });
  // Wait: how long the port is taken; the start waits for its end.
  setTimeout(() => server.close(), 500);
  await again(2);
  expect(await value(url, "SELECT n FROM kept")).toBe(1);
  expect(runningEmbedded(dataDir)).toBe(url);
  await stop();
});

/** The service itself, in a process of its own. */
async function serve(): Promise<ChildProcess> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const SECRET_KEYS = `k1:${Buffer.alloc(32, 1).toString("base64url")}`;
  const child = spawn(process.execPath, [resolve("server/src/main.ts")], {
    env: { PATH, NODE_COMPILE_CACHE, SECRET_KEYS, PORT: "0", LOG_LEVEL: "silent", DATA_DIR: dataDir },
    stdio: ["ignore", "pipe", "pipe"],
  });
  started.add(child);
  let said = "";
  await new Promise<void>((done, fail) => {
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk) => {
        said += chunk;
        if (/Data .*\n/.test(said)) done();
      });
    child.once("exit", (code) => fail(new Error(`ended with ${code}: ${said}`)));
  });
  return child;
}
const ends = (...pids: number[]) => eventually(() => expect(pids.filter(isAlive)).toEqual([]));

test("kill -9 of the service ends PostgreSQL by a fast shutdown, and the next start finds what was committed", async () => {
  const first = await serve();
  const [server, supervisor] = [postmaster(), parentOf(postmaster())];
  await value(runningEmbedded(dataDir) as string, "INSERT INTO kept VALUES (2)");
  first.kill("SIGKILL");
  await ends(server, supervisor);
  // Only who stops in order takes the lock away.
  expect(existsSync(join(cluster, "postmaster.pid"))).toBe(false);

  const second = await serve();
  expect(await value(runningEmbedded(dataDir) as string, "SELECT sum(n)::int FROM kept")).toBe(3);
  const next = postmaster();
  second.kill("SIGTERM");
  await ends(next);
});

test("kill -9 of the service and PostgreSQL at once loses nothing that was committed either", async () => {
  const first = await serve();
  const server = postmaster();
  await value(runningEmbedded(dataDir) as string, "INSERT INTO kept VALUES (3)");
  first.kill("SIGKILL");
  process.kill(server, "SIGKILL");
  const second = await serve();
  expect(await value(runningEmbedded(dataDir) as string, "SELECT sum(n)::int FROM kept")).toBe(6);
  second.kill("SIGTERM");
  await ends(postmaster());
});

test("one that is told to stop before it listens to that is told again", async () => {
  const binaries = findBinaries(dataDir);
  const runner = chooseRunner(binaries, dataDir, cluster, true);
  const listening = ["-c", "listen_addresses=127.0.0.1", "-c", `port=${await freePort()}`];
  const late = ["sh", "-c", 'sleep 1; exec "$@"', "sh"];
  const running = run(runner, [
    ...late,
    binaries.postgres,
    "-D",
    cluster,
    ...listening,
    "-c",
    "unix_socket_directories=",
  ]);
  running.stop();
  await running.exited;
  expect(runningEmbedded(dataDir)).toBe(null);
});

test("one that does not end after requests for a fast shutdown gets one for an immediate shutdown", async () => {
  const [requests, control] = [join(directory, "requests"), join(directory, "recording-control")];
  writeFileSync(control, `#!/bin/sh\necho "$2" >>"${requests}"\n`, { mode: 0o755 });
  writeFileSync(requests, "");
  chmodSync(requests, 0o666);
  const runner = chooseRunner({ ...findBinaries(directory), control }, directory, cluster, true);
  const script =
    // Wait: the program looks every 50 ms whether it has to end.
    `setInterval(() => require("fs").readFileSync("${requests}", "utf8").includes("immediate") && ` +
    "process.exit(), 50)";
  const running = run(runner, [process.execPath, "-e", script]);
  running.stop();
  await running.exited;
  expect(readFileSync(requests, "utf8")).toMatch(/^(--mode=fast\n){2,}--mode=immediate\n/);
});

test("a program that cannot be run says so", async () => {
  const runner = chooseRunner(findBinaries(dataDir), dataDir, cluster, true);
  const missing = run(runner, [join(directory, "no such program")]);
  await missing.exited;
  expect([missing.succeeded(), reason(missing.log())]).toEqual([false, expect.stringContaining("ENOENT")]);
});

test("for an administrator of Windows, whom PostgreSQL refuses, pg_ctl starts it, and it ends and comes back all the same", async () => {
  const refusing = join(directory, "refusing-postgres");
  const refusal = "Execution of PostgreSQL by a user with administrative permissions is not\\npermitted.\\n";
  writeFileSync(refusing, `#!/bin/sh\n[ "$1" = --version ] && exit\nprintf '${refusal}' >&2\nexit 1\n`, {
    mode: 0o755,
  });
  const said: string[] = [];
  const { url, stop, lost } = await startEmbedded(dataDir, {
    ...PORTABLE,
    binaries: { ...findBinaries(dataDir), postgres: refusing },
    say: (line) => said.push(line),
  });
  expect(await value(url, "SELECT sum(n)::int FROM kept")).toBe(6);
  expect(await value(url, "SHOW fsync")).toBe("off");
  process.kill(postmaster(), "SIGKILL");
  await eventually(() => expect(said).toContain("PostgreSQL runs again"));
  expect(await value(url, "SELECT sum(n)::int FROM kept")).toBe(6);
  await stop();
  expect(await lost).toBe(null);
  expect(existsSync(join(cluster, "postmaster.pid"))).toBe(false);
});
