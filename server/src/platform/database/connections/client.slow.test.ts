// Every way to name a database, against a real PostgreSQL with a password and TLS: it connects, or says in one error
// why not.
import { connect, createServer, type Server } from "node:net";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testDatabase } from "../../../../test/database.ts";
import { FaultyNetwork } from "../../../../test/faulty-network.ts";
import { ask, type PasswordCluster, startPasswordCluster } from "../../../../test/password-cluster.ts";
import { freePort } from "../embedded/address.ts";
import { connectClient } from "./client.ts";
import { ownerSession } from "./session.ts";

const SESSION = ownerSession("svc-test");
let cluster: PasswordCluster;
let local: Awaited<ReturnType<typeof testDatabase>>;
const servers: Server[] = [];
let [port, password] = [0, ""];

beforeAll(async () => {
  [local, cluster] = await Promise.all([testDatabase(), startPasswordCluster()]);
  ({ port, password } = cluster);
  await cluster.serveTls();
  const client = await connectClient(cluster.url, SESSION);
  await client.query(`create role "o'd@d: %" login password 'p@ss/w%rd?,'`);
  await client.query('create database "my db/1"');
  await client.end();
});
afterAll(async () => {
  for (const server of servers) server.close();
  await Promise.all([cluster?.stop(), local?.drop()]);
});

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
      PGHOST: "127.0.0.1",
      PGPORT: String(port),
      PGUSER: "svc",
      PGPASSWORD: password,
      PGDATABASE: "svc",
      PGSSLMODE: "verify-ca",
      PGSSLROOTCERT: cluster.ca,
      PGOPTIONS: "-c work_mem=7MB",
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
    expect(await ask(at(`localhost:${port}`, query.replace("CA", cluster.ca)), ENCRYPTED)).toBe(encrypted);
  });
  test.for([
    ["sslmode=verify-full", /self.signed certificate/],
    ["sslmode=verify-ca&sslrootcert=OTHER", /self.signed certificate|certificate signature|unable to verify/],
    ["sslmode=require&sslrootcert=OTHER", /self.signed certificate|certificate signature|unable to verify/],
    ["channel_binding=require", /does not bind the channel/],
  ] as const)("?%s does not", async ([query, fault]) => {
    await expect(ask(at(`localhost:${port}`, query.replace("OTHER", cluster.otherCa)), "select 1")).rejects.toThrow(
      fault,
    );
  });
  test("verify-full compares the name, and verify-ca does not", async () => {
    const query = (mode: string) => at(`127.0.0.1:${port}`, `sslmode=${mode}&sslrootcert=${cluster.ca}`);
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

describe("a process that is busy for longer than the limit of an attempt", () => {
  test("connects all the same: the server answered in time", async () => {
    const attempts: Promise<pg.Client>[] = [];
    // Each of them is one step further than the next.
    for (let step = 0; step < 3; step++) {
      attempts.push(connectClient(local.url, SESSION, { connectionTimeoutMillis: 2000 }));
      if (step < 2) await new Promise(setImmediate);
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500);
    for (const connecting of attempts) {
      const client = await connecting;
      expect((await client.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
      await client.end();
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
  test("of which one is read-only by default are told apart by read-write alone", async () => {
    const admin = await connectClient(cluster.url, SESSION);
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
});
