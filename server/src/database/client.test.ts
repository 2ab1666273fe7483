// Every way to name a database, against a real PostgreSQL with a password and TLS: it connects, or says in one error why not.
import { execFileSync } from "node:child_process";
import { appendFileSync, chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { certificateFor } from "../../test/certificate.ts";
import { testDatabase } from "../../test/database.ts";
import { eventually } from "../../test/eventually.ts";
import { FaultyNetwork } from "../../test/faulty-network.ts";
import { readDatabaseUrl } from "../settings/database-address.ts";
import { connectClient } from "./client.ts";
import { openDatabase } from "./db.ts";
import { startEmbedded } from "./embedded.ts";
import { freePort } from "./embedded-address.ts";
import { findBinaries } from "./embedded-binaries.ts";
import { chooseRunner, type Running, run } from "./embedded-process.ts";
import { ownerSession } from "./session.ts";

const SESSION = ownerSession("svc-test");
const directory = mkdtempSync(join(tmpdir(), "svc-client-"));
chmodSync(directory, 0o711);
const ca = join(directory, "ca.pem");
const otherCa = join(directory, "other.pem");
let database: Awaited<ReturnType<typeof startEmbedded>>;
let local: Awaited<ReturnType<typeof testDatabase>>;
let standby: { port: number; server: Running };
const servers: Server[] = [];
let [port, password] = [0, ""];

beforeAll(async () => {
  local = await testDatabase();
  const making = await startEmbedded(join(directory, "primary"), { portable: true, durable: false });
  await making.stop();
  execFileSync("cp", ["-a", join(directory, "primary"), join(directory, "standby")]);
  database = await startEmbedded(join(directory, "primary"), { portable: true, durable: false });
  port = Number(new URL(database.url).port);
  password = new URL(database.url).password;
  const { cert, key } = certificateFor("localhost");
  const cluster = join(directory, "primary", "postgres");
  writeFileSync(ca, cert);
  writeFileSync(otherCa, certificateFor("localhost").cert);
  for (const [name, text] of Object.entries({ "server.crt": cert, "server.key": key })) {
    writeFileSync(join(cluster, name), text, { mode: 0o600 });
    chownSync(join(cluster, name), statSync(cluster).uid, statSync(cluster).gid);
  }
  appendFileSync(join(cluster, "pg_hba.conf"), "host all all 127.0.0.1/32 scram-sha-256\n");
  const client = await connectClient(database.url, SESSION);
  await client.query("alter system set ssl = on");
  await client.query("select pg_reload_conf()");
  await client.query(`create role "o'd@d: %" login password 'p@ss/w%rd?,'`);
  await client.query('create database "my db/1"');
  await client.end();
  standby = await startStandby();
}, 120_000);
afterAll(async () => {
  for (const server of servers) server.close();
  await Promise.all([database?.stop(), local?.drop()]);
  standby?.server.stop();
  await standby?.server.exited;
  rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
});

/** A cluster in recovery, which nobody sends anything to. */
async function startStandby() {
  const dataDir = join(directory, "standby");
  const [own, cluster] = [new URL(database.url), join(dataDir, "postgres")];
  const signal = join(cluster, "standby.signal");
  writeFileSync(signal, "");
  chownSync(signal, statSync(cluster).uid, statSync(cluster).gid);
  const binaries = findBinaries(dataDir);
  const free = await freePort();
  const network = { listen_addresses: "127.0.0.1", port: String(free), unix_socket_directories: "" };
  // A standby needs as many as its primary had.
  const flags = { ...network, max_connections: "300" };
  const given = Object.entries(flags).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const server = run(chooseRunner(binaries, dataDir, cluster, true), [binaries.postgres, "-D", cluster, ...given]);
  own.port = String(free);
  const isReady = async () => {
    const client = new pg.Client(own.href);
    client.on("error", () => {});
    await client.connect();
    await client.end();
    return true;
  };
  await eventually(isReady);
  return { port: free, server };
}

/** Reads the address as a start does, with these PG* variables. */
async function ask(url: string, sql: string, env: NodeJS.ProcessEnv = {}): Promise<unknown> {
  const client = await connectClient(readDatabaseUrl(url, env), SESSION);
  try {
    return Object.values((await client.query(sql)).rows[0] ?? {})[0];
  } finally {
    await client.end();
  }
}
const at = (hosts: string, query = "") => `postgresql://svc:${password}@${hosts}/svc?${query}`;
const ENCRYPTED = "select ssl from pg_stat_ssl where pid = pg_backend_pid()";

describe("an address", () => {
  test("may have percent-encoded parts", async () => {
    const url = `postgresql://o'd%40d%3A%20%25:p%40ss%2Fw%25rd%3F%2C@127.0.0.1:${port}/my%20db%2F1`;
    expect(await ask(url, "select current_database() || current_user")).toBe("my db/1o'd@d: %");
  });
  test("may be an IPv6 address", async () => {
    const server = createServer((client) => {
      const behind = connect(port, "127.0.0.1");
      client.pipe(behind).pipe(client);
      for (const socket of [client, behind]) socket.on("error", () => {});
    });
    servers.push(server);
    await new Promise<void>((listening) => server.listen(0, "::1", listening));
    expect(await ask(at(`[::1]:${(server.address() as { port: number }).port}`), "select 1")).toBe(1);
  });
  test("may be the directory of a socket, encoded as a host or as a parameter", async () => {
    const socket = new URL(local.url).searchParams.get("host") as string;
    const name = new URL(local.url).pathname;
    expect(await ask(`postgresql://svc@${encodeURIComponent(socket)}${name}`, "select 1")).toBe(1);
    expect(await ask(`postgresql://svc@${name}?host=${socket}&sslmode=require`, "select 1")).toBe(1);
  });
  test("may leave everything to PG* variables", async () => {
    const env = {
      ...{ PGHOST: "127.0.0.1", PGPORT: String(port), PGUSER: "svc", PGPASSWORD: password, PGDATABASE: "svc" },
      ...{ PGSSLMODE: "verify-ca", PGSSLROOTCERT: ca, PGOPTIONS: "-c work_mem=7MB" },
    };
    expect(await ask("postgresql://", "show work_mem", env)).toBe("7MB");
    expect(await ask("postgresql://", ENCRYPTED, env)).toBe(true);
  });
  test("that names the database decides, whatever variables the driver would read", async () => {
    for (const [name, value] of Object.entries({ PGPORT: "1", PGSSLMODE: "require", PGOPTIONS: "-c work_mem=7MB" }))
      process.env[name] = value;
    try {
      const client = await connectClient(local.url, SESSION);
      expect((await client.query("show work_mem")).rows[0].work_mem).not.toBe("7MB");
      await client.end();
    } finally {
      for (const name of ["PGPORT", "PGSSLMODE", "PGOPTIONS"]) delete process.env[name];
    }
  });
});

describe("sslmode", () => {
  test.for([
    ["", false],
    ["sslmode=disable", false],
    ["sslmode=allow", false],
    ["sslmode=prefer", true],
    ["sslmode=require", true],
    ["sslmode=verify-ca&sslrootcert=CA", true],
    ["sslmode=verify-full&sslrootcert=CA", true],
    ["sslmode=require&channel_binding=require", true],
  ] as const)("?%s connects", async ([query, encrypted]) => {
    expect(await ask(at(`localhost:${port}`, query.replace("CA", ca)), ENCRYPTED)).toBe(encrypted);
  });
  test.for([
    ["sslmode=verify-full", /self.signed certificate/],
    ["sslmode=verify-ca&sslrootcert=OTHER", /self.signed certificate|certificate signature|unable to verify/],
    ["sslmode=require&sslrootcert=OTHER", /self.signed certificate|certificate signature|unable to verify/],
    ["channel_binding=require", /does not bind the channel/],
  ] as const)("?%s does not", async ([query, fault]) => {
    await expect(ask(at(`localhost:${port}`, query.replace("OTHER", otherCa)), "select 1")).rejects.toThrow(fault);
  });
  test("verify-full compares the name, and verify-ca does not", async () => {
    const query = (mode: string) => at(`127.0.0.1:${port}`, `sslmode=${mode}&sslrootcert=${ca}`);
    await expect(ask(query("verify-full"), "select 1")).rejects.toThrow(/altnames/);
    expect(await ask(query("verify-ca"), ENCRYPTED)).toBe(true);
  });
  test("prefer goes on without TLS where the server has none, and require does not", async () => {
    const plain = await FaultyNetwork.to(local.url);
    const url = (mode: string) => `${plain.url}?sslmode=${mode}`;
    try {
      expect(await ask(url("prefer"), "select 1")).toBe(1);
      await expect(ask(url("require"), "select 1")).rejects.toThrow(/does not support SSL/);
    } finally {
      await plain.close();
    }
  });
});

describe("a network that swallows everything", () => {
  test("lets a connection end, and an attempt too, whatever it waits for", async () => {
    const network = await FaultyNetwork.to(local.url);
    try {
      const client = await connectClient(network.url, SESSION);
      network.begin("swallow");
      await client.end();
      await network.heal();
      // The handshake passes, and no statement after it does.
      network.accepted = () => setTimeout(() => network.begin("swallow answers"), 0);
      await expect(connectClient(network.url, SESSION, { connectionTimeoutMillis: 500 })).rejects.toThrow(/timeout/);
    } finally {
      await network.close();
    }
  });
});

describe("a process that is busy for longer than the limit of an attempt", () => {
  test("connects all the same: the server answered in time", async () => {
    for (const steps of [0, 1, 2]) {
      const connecting = connectClient(local.url, SESSION, { connectionTimeoutMillis: 200 });
      for (let step = 0; step < steps; step++) await new Promise(setImmediate);
      for (const until = performance.now() + 400; performance.now() < until; );
      await (await connecting).end();
    }
  });
});

describe("several hosts", () => {
  test("are tried in order until one answers, and each fault is named if none does", async () => {
    const dead = await freePort();
    expect(await ask(at(`127.0.0.1:${dead},127.0.0.1:${port}`), "select 1")).toBe(1);
    await expect(ask(at(`127.0.0.1:${dead},127.0.0.1:1`), "select 1")).rejects.toThrow(
      new RegExp(`127.0.0.1:${dead}: .*ECONNREFUSED.*; 127.0.0.1:1: .*ECONNREFUSED`),
    );
  });
  test.for(["any", "read-write", "primary"])("skip a standby, with target_session_attrs=%s", async (target) => {
    const query = `target_session_attrs=${target}`;
    expect(await ask(at(`127.0.0.1:${standby.port},127.0.0.1:${port}`, query), "show port")).toBe(String(port));
    await expect(ask(at(`127.0.0.1:${standby.port}`, query), "select 1")).rejects.toThrow(/is a standby/);
  });
  test("of which one is read-only by default are told apart by read-write alone", async () => {
    const admin = await connectClient(database.url, SESSION);
    await admin.query("alter database svc set default_transaction_read_only = on");
    try {
      await expect(ask(at(`127.0.0.1:${port}`, "target_session_attrs=read-write"), "select 1")).rejects.toThrow(
        /is read-only/,
      );
      expect(await ask(at(`127.0.0.1:${port}`), "select 1")).toBe(1);
    } finally {
      await admin.query("set default_transaction_read_only = off");
      await admin.query("alter database svc reset default_transaction_read_only");
      await admin.end();
    }
  });
  test("of which the first hangs are tried from the one that connected last, so that its recovery is noticed first", async () => {
    const [first, second] = [await FaultyNetwork.to(local.url), await FaultyNetwork.to(local.url)];
    const url = first.url.replace(/:\d+\//, `:${first.port},127.0.0.1:${second.port}/`);
    const pools = openDatabase(url, 2);
    const works = () =>
      pools.writer
        .use((tx) => tx.rows("select 1"))
        .then(
          () => true,
          () => false,
        );
    let tried: string[] = [];
    first.accepted = () => tried.push("first");
    second.accepted = () => tried.push("second");
    try {
      first.beginOutage("accept and hang");
      await expect.poll(works, { timeout: 20_000 }).toBe(true);
      tried = [];
      second.beginOutage("accept and close");
      await expect
        .poll(() => works().then(() => tried.filter((name) => name === "first").length), { timeout: 20_000 })
        .toBe(2);
      expect(tried.slice(-4)).toEqual(["second", "first", "second", "first"]);
      await second.heal();
      tried = [];
      await expect.poll(works, { timeout: 20_000 }).toBe(true);
      expect(tried[0]).toBe("second");
    } finally {
      await pools.end();
      await Promise.all([first.close(), second.close()]);
    }
  });
  test("let pools go on at the next one when the first is gone", async () => {
    const [first, second] = [await FaultyNetwork.to(local.url), await FaultyNetwork.to(local.url)];
    const url = `${first.url.replace(/:\d+\//, `:${first.port},127.0.0.1:${second.port}/`)}?target_session_attrs=read-write`;
    const pools = openDatabase(url, 2);
    const works = () =>
      pools.writer
        .use((tx) => tx.rows("select 1"))
        .then(
          () => true,
          () => false,
        );
    try {
      expect(await works()).toBe(true);
      first.beginOutage("refuse");
      await expect.poll(works, { timeout: 10_000 }).toBe(true);
    } finally {
      await pools.end();
      await Promise.all([first.heal(), second.heal()]);
      await Promise.all([first.close(), second.close()]);
    }
  });
});
