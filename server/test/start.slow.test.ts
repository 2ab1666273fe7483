// Real processes: what an operator sees when the service starts, stops, is killed or is set up wrongly.
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Readable } from "node:stream";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildServer } from "../../scripts/build-server.mjs";
import { EXIT } from "../src/platform/settings/config-error.ts";
import { newSecret } from "../src/platform/wire/ids.ts";
import { asserted } from "./asserts.ts";
import { testDatabase } from "./database.ts";
import { eventually } from "./eventually.ts";
import { FaultyNetwork } from "./faulty-network.ts";

const { PATH, NODE_COMPILE_CACHE } = process.env;
const directory = mkdtempSync(join(tmpdir(), "svc-start-"));
chmodSync(directory, 0o711);
const dataDir = join(directory, "data");
const started = new Set<ChildProcess>();

afterAll(async () => {
  for (const child of started) child.kill("SIGKILL");
  await gone(...[...started].map((child) => child.pid));
  rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
});

interface Run {
  child: ChildProcess;
  exit: Promise<number | null>;
  stdout: () => string;
  stderr: () => string;
  ready: Promise<string>;
}

function run(env: NodeJS.ProcessEnv = {}, program = buildServer()): Run {
  const child = spawn(process.execPath, [resolve(program)], {
    env: { PATH, NODE_COMPILE_CACHE, PORT: "0", LOG_LEVEL: "silent", CLOSE_SECONDS: "120", DATA_DIR: dataDir, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  started.add(child);
  let stdout = "";
  let stderr = "";
  child.stderr?.on("data", (chunk) => {
    stderr += chunk;
  });
  const exit = new Promise<number | null>((done) => {
    child.once("close", (code) => {
      started.delete(child);
      done(code);
    });
  });
  const ready = new Promise<string>((done, fail) => {
    child.stdout?.on("data", (chunk) => {
      stdout += chunk;
      const url = /API +(\S+)\/api\/v1[\s\S]*Data .*\n/.exec(stdout)?.[1];
      if (url) done(url);
    });
    exit.then((code) => fail(new Error(`ended with ${code} before it was ready: ${stderr}`)));
  });
  ready.catch(() => {});
  return { child, exit, stdout: () => stdout, stderr: () => stderr, ready };
}

async function stopped(server: Run): Promise<void> {
  const code = await server.exit;
  expect(code, server.stderr()).toBe(EXIT.stopped);
}

/** Asked again: it answers 503 where something takes longer than a second just then, as on a busy machine. */
const readyz = (server: Run): Promise<number> =>
  eventually(async () => {
    const { status } = await fetch(`${await server.ready}/readyz`);
    if (status !== 200) throw new Error(`/readyz answers ${status}`);
    return status;
  }, 250);

async function query(sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(`postgresql://svc@localhost/svc?host=${encodeURIComponent(join(dataDir, "socket"))}`);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

const postmaster = () => Number.parseInt(readFileSync(join(dataDir, "postgres", "postmaster.pid"), "utf8"), 10);

async function gone(...pids: (number | undefined)[]): Promise<void> {
  const alive = (pid = 0) => existsSync(`/proc/${pid}/exe`) || (process.platform !== "linux" && isSignalled(pid));
  // Wait: a pause between two looks.
  while (pids.some((pid) => pid && alive(pid))) await new Promise((done) => setTimeout(done, 20));
}

function isSignalled(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const SESSION = { headers: { cookie: `__Host-svc_session=${newSecret("ses")}` } };

async function refused(env: NodeJS.ProcessEnv, code: number = EXIT.configuration): Promise<string> {
  const { exit, stderr } = run(env);
  expect(await exit).toBe(code);
  expect(stderr()).toMatch(/^[^\n]+\n$/);
  return stderr();
}

describe("one data directory through its life", () => {
  test("npm start makes everything from nothing, prints the address of the mail with its key, and SIGTERM ends both programs", async () => {
    const server = run({}, "scripts/start.mjs");
    expect(await readyz(server)).toBe(200);
    const [, mail = ""] = /Mail +(\S+\/dev\/mail\?key=\S+) /.exec(server.stdout()) ?? [];
    const opened = (address: string) => fetch(address, { redirect: "manual" });
    const [withKey, without] = [await opened(mail), await opened(mail.replace(/\?.*/, ""))];
    expect([withKey.status, without.status >= 400]).toEqual([303, true]);
    await query("CREATE TABLE kept AS SELECT 1 AS n");
    const database = postmaster();
    server.child.kill("SIGTERM");
    await stopped(server);
    await gone(database);
    expect(server.stderr()).toBe("");
  });

  test("a second start keeps the data, and SIGINT ends both programs", async () => {
    const server = run();
    expect(await readyz(server)).toBe(200);
    expect(await query("SELECT n FROM kept")).toEqual([{ n: 1 }]);
    const database = postmaster();
    server.child.kill("SIGINT");
    await stopped(server);
    await gone(database);
  });

  test("kill -9 of the server takes PostgreSQL with it, and a start at once recovers", async () => {
    const server = run();
    expect(await readyz(server)).toBe(200);
    await query("INSERT INTO kept VALUES (2)");
    const database = postmaster();
    server.child.kill("SIGKILL");
    const next = run();
    expect(await readyz(next)).toBe(200);
    await gone(database);
    expect(await query("SELECT n FROM kept ORDER BY n")).toEqual([{ n: 1 }, { n: 2 }]);
    next.child.kill("SIGTERM");
    expect(await next.exit).toBe(0);
  });

  test("kill -9 of PostgreSQL starts it again in place: 503 meanwhile, the process healthy, and nothing lost", async () => {
    const server = run({ RATE_LIMITS: "off" });
    const url = await server.ready;
    expect(await readyz(server)).toBe(200);
    await query("INSERT INTO kept VALUES (3)");
    const before = postmaster();
    process.kill(before, "SIGKILL");
    // The session is not known: 401 where the database can be asked.
    const refusal = await eventually(async () => {
      const answer = await fetch(`${url}/api/v1/me`, SESSION);
      expect(answer.status).toBe(503);
      return answer;
    }, 5);
    expect(refusal.headers.get("retry-after")).toBe("1");
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    await eventually(async () => {
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      expect(await readyz(server)).toBe(200);
      expect(postmaster()).not.toBe(before);
    });
    expect(await query("SELECT count(*)::int AS n FROM kept")).toEqual([{ n: 3 }]);
    expect(server.stderr()).toMatch(
      /PostgreSQL ended unexpectedly[^\n]* and is started again\nPostgreSQL runs again\n$/,
    );
    server.child.kill("SIGTERM");
    await stopped(server);
  });

  test("a PostgreSQL that does not stay up ends the server, with an exit code of its own", async () => {
    const server = run();
    await server.ready;
    const control = join(dataDir, "postgres", "global", "pg_control");
    renameSync(control, `${control}.away`);
    process.kill(postmaster(), "SIGKILL");
    expect(await server.exit).toBe(EXIT.databaseLost);
    expect(server.stderr()).toMatch(/PostgreSQL does not stay up [^\n]*pg_control[^\n]* start again\n$/);
    renameSync(`${control}.away`, control);
  });

  test("a database that does not close within CLOSE_SECONDS ends the server with an exit code of its own", async () => {
    const server = run({ CLOSE_SECONDS: "1" });
    await server.ready;
    const database = postmaster();
    process.kill(database, "SIGSTOP");
    try {
      server.child.kill("SIGTERM");
      expect(await server.exit).toBe(EXIT.notClosed);
      expect(server.stderr()).toBe(
        "svc did not close within 1 s and ends as it is; nothing that was answered is lost\n",
      );
    } finally {
      process.kill(database, "SIGCONT");
    }
    await gone(database);
  });

  test("kill -9 of npm start ends the server and PostgreSQL", async () => {
    const server = run({}, "scripts/start.mjs");
    await server.ready;
    const database = postmaster();
    server.child.kill("SIGKILL");
    await server.exit;
    await asserted(gone(database));
  });

  test("a closed channel, which is how Windows asks, stops the server: while it is loaded, while it starts and when it is ready", async () => {
    const env = { PATH, NODE_COMPILE_CACHE, PORT: "0", LOG_LEVEL: "silent", DATA_DIR: dataDir };
    for (const moment of [/^/, /Starting/, /Data .*\n/]) {
      const server = fork(buildServer(), { env, stdio: ["ignore", "pipe", "inherit", "ipc"] });
      started.add(server);
      const exit = new Promise((done) => server.once("exit", done));
      let said = "";
      while (!moment.test(said)) said += (await once(server.stdout as Readable, "data"))[0];
      server.disconnect();
      expect(await exit).toBe(EXIT.stopped);
      started.delete(server);
      const isStopped = () => !existsSync(join(dataDir, "postgres", "postmaster.pid"));
      await eventually(() => expect(isStopped()).toBe(true));
    }
  });

  test("a taken port is one line, and PostgreSQL is stopped again", async () => {
    const other = createServer();
    await new Promise<void>((done) => other.listen(0, "127.0.0.1", done));
    const { port } = other.address() as { port: number };
    expect(await refused({ PORT: String(port) })).toMatch(`PORT: ${port} on 127.0.0.1 is taken`);
    expect(existsSync(join(dataDir, "postgres", "postmaster.pid"))).toBe(false);
    other.close();
  });
});

describe("what an operator can mend", () => {
  test("a directory that cannot be written is one line", async () => {
    expect(await refused({ DATA_DIR: "/dev/null/data" })).toMatch(/^DATA_DIR: \/dev\/null\/data cannot be written/);
  });

  test("a wrong variable is one line", async () => {
    expect(await refused({ ROLES: "cook" })).toMatch(/^ROLES: "cook"/);
  });

  test("a database that does not answer is one line", async () => {
    const env = { DATABASE_URL: "postgresql://svc:secret@127.0.0.1:1/svc", DATABASE_WAIT_SECONDS: "1" };
    const line = await refused(env, EXIT.databaseLost);
    expect(line).toMatch(/^DATABASE_URL: cannot connect/);
    expect(line).not.toContain("secret");
  });

  test("a database that refuses the password, or has no such name, is one line at once", async () => {
    const { url, drop } = await testDatabase();
    const missing = await refused({ DATABASE_URL: url.replace(/test_\w+/, "missing") });
    expect(missing).toMatch(/^DATABASE_URL: cannot connect: database "missing" does not exist/);
    await drop();
  });

  test("a certificate file that is missing is one line", async () => {
    const line = await refused({ DATABASE_URL: "postgresql://h/db?sslmode=verify-full&sslrootcert=/missing.pem" });
    expect(line).toMatch(/^DATABASE_URL: the certificate file \/missing\.pem cannot be read/);
  });
});

describe("DATABASE_URL", () => {
  let database: Awaited<ReturnType<typeof testDatabase>>;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database.drop());

  test("is used instead, and nothing is embedded", async () => {
    const own = join(directory, "outside");
    const server = run({ DATABASE_URL: database.url, DATA_DIR: own });
    expect(await readyz(server)).toBe(200);
    expect(existsSync(join(own, "postgres"))).toBe(false);
    server.child.kill("SIGTERM");
    await stopped(server);
  });

  test("may come later: the start waits for it and says so every five seconds", async () => {
    const network = await FaultyNetwork.to(database.url);
    network.beginOutage("refuse");
    const server = run({ DATABASE_URL: network.url, DATA_DIR: join(directory, "outside") });
    await eventually(() => expect(server.stderr()).not.toBe(""));
    await network.heal();
    await server.ready;
    expect(server.stderr()).toMatch(/^(?:Waiting for PostgreSQL for \d+ s: connect ECONNREFUSED [\d.:]+\n)+$/);
    server.child.kill("SIGTERM");
    await stopped(server);
    await network.close();
  });

  test.for([2, 3, 4, 6])(
    "may be lost after %i connections of a start, which waits for it and goes on",
    async (count) => {
      const network = await FaultyNetwork.to(database.url);
      network.accepted = (total) => {
        if (total === count) network.beginOutage("accept and close");
        // The next attempt finds it again.
        if (total === count + 1) void network.heal();
      };
      const server = run({ DATABASE_URL: network.url, DATA_DIR: join(directory, "outside") });
      expect(await readyz(server)).toBe(200);
      server.child.kill("SIGTERM");
      await stopped(server);
      await network.close();
    },
  );

  test("may hang during a start: an attempt ends before a line is due, and lines do not depend on LOG_LEVEL", async () => {
    const network = await FaultyNetwork.to(database.url);
    let attempts = 0;
    // After the attempt that waits for PostgreSQL, and the five of its check.
    network.accepted = (total) => {
      if (total === 7) network.beginOutage("accept and hang");
      if (total >= 7) attempts++;
    };
    const server = run({ DATABASE_URL: network.url, DATA_DIR: join(directory, "outside"), LOG_LEVEL: "silent" });
    await eventually(() => expect(server.stderr()).toMatch(/^Preparing the database for \d+ s: [^\n]+\n/));
    expect(attempts).toBeGreaterThan(1);
    await network.heal();
    expect(await readyz(server)).toBe(200);
    expect(server.stderr()).toMatch(/^(?:\w+ing [\w ]+ for \d+ s: [^\n]+\n)+$/);
    server.child.kill("SIGTERM");
    await stopped(server);
    await network.close();
  });

  // At once: each waits for most of its time.
  test.concurrent.for(["swallow", "swallow answers", "cut", "trickle"] as const)(
    "may be behind a network that begins to %s: SIGTERM still ends the process",
    async (fault, { expect }) => {
      const network = await FaultyNetwork.to(database.url);
      const server = run({ DATABASE_URL: network.url, DATA_DIR: join(directory, "outside") });
      const url = await server.ready;
      expect(await readyz(server)).toBe(200);
      network.begin(fault);
      const asked = fetch(`${url}/api/v1/me`, SESSION).catch(() => null);
      server.child.kill("SIGTERM");
      expect([EXIT.stopped, EXIT.notClosed]).toContain(await server.exit);
      await asked;
      await network.close();
    },
  );

  test("may break every connection of a worker while it ends a job: the process lives on, and so does its work", async () => {
    const env = { PATH, NODE_COMPILE_CACHE, DATABASE_URL: database.url };
    const worker = fork(new URL("./slow-worker.ts", import.meta.url), {
      env,
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    started.add(worker);
    const done: unknown[] = [];
    worker.on("message", (name) => done.push(name));
    const operator = new pg.Client(database.url);
    await operator.connect();
    const add = (name: string, ms: number) =>
      operator.query("select graphile_worker.add_job('slow', $1::json)", [JSON.stringify({ name, ms })]);
    await eventually(() => expect(done).toContain("ready"));
    await add("during", 500);
    for (let turn = 0; turn < 100; turn++) {
      await operator.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'svc-worker' and datname = current_database()`,
      );
      // Wait: between two cuts it connects again; how many cuts it gets there changes nothing.
      await new Promise((next) => setTimeout(next, 20));
    }
    await add("after", 0);
    await eventually(() => expect(done).toContain("after"));
    expect(worker.exitCode).toBe(null);
    // What became of the first is not known: it is not held for ever, and given back as that of a dead worker.
    await operator.query("update graphile_worker._private_jobs set locked_at = locked_at - interval '31 seconds'");
    const left = "select count(*)::int as count from graphile_worker.jobs where task_identifier = 'slow'";
    await eventually(async () => expect((await operator.query(left)).rows[0].count).toBe(0));
    await operator.end();
    worker.kill("SIGTERM");
    await gone(worker.pid);
  });
});

test.runIf(process.getuid?.() === 0)("as root it works below a directory that only root may enter", async () => {
  const hidden = mkdtempSync(join(directory, "hidden-"));
  const server = run({ DATA_DIR: join(hidden, "data") });
  expect(await readyz(server)).toBe(200);
  server.child.kill("SIGTERM");
  await stopped(server);
});
