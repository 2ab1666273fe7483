// A PostgreSQL cluster of its own with a password, for tests of addresses and hosts: reachable over TCP, on request
// with TLS, and with a standby that nobody sends anything to.
import { execFileSync } from "node:child_process";
import { appendFileSync, chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { connectClient } from "../src/platform/database/connections/client.ts";
import { ownerSession } from "../src/platform/database/connections/session.ts";
import { freePort } from "../src/platform/database/embedded/address.ts";
import { findBinaries } from "../src/platform/database/embedded/binaries.ts";
import { startEmbedded } from "../src/platform/database/embedded/postgres.ts";
import { chooseRunner, run } from "../src/platform/database/embedded/process.ts";
import { readDatabaseUrl } from "../src/platform/settings/database-address.ts";
import { certificateFor } from "./certificate.ts";
import { eventually } from "./eventually.ts";

export type PasswordCluster = Awaited<ReturnType<typeof startPasswordCluster>>;

const SESSION = ownerSession("svc-test");
/** A standby needs at least as many connections as its primary. */
const MOST_CONNECTIONS = "300";

/**
 * Runs a statement over an address that is read as a start does, with these PG* variables. Resolves to the first column
 * of the first row.
 */
export async function ask(url: string, sql: string, env: NodeJS.ProcessEnv = {}): Promise<unknown> {
  const client = await connectClient(readDatabaseUrl(url, env), SESSION);
  try {
    return Object.values((await client.query(sql)).rows[0] ?? {})[0];
  } finally {
    await client.end();
  }
}

export async function startPasswordCluster() {
  const directory = mkdtempSync(join(tmpdir(), "svc-password-"));
  chmodSync(directory, 0o711);
  const [home, copy] = [join(directory, "primary"), join(directory, "standby")];
  const [ca, otherCa] = [join(directory, "ca.pem"), join(directory, "other.pem")];
  const start = () => startEmbedded(home, { portable: true, durable: false });
  let database = await start();
  const files = join(home, "postgres");
  const own = (path: string) => chownSync(path, statSync(files).uid, statSync(files).gid);
  const reachable = {
    url: database.url,
    port: Number(new URL(database.url).port),
    password: new URL(database.url).password,
  };

  return {
    ...reachable,
    ca,
    otherCa,
    /** Turns TLS on, with a certificate of `localhost` that `ca` contains and `otherCa` does not. */
    async serveTls() {
      const { cert, key } = certificateFor("localhost");
      writeFileSync(ca, cert);
      writeFileSync(otherCa, certificateFor("localhost").cert);
      for (const [name, text] of Object.entries({ "server.crt": cert, "server.key": key })) {
        writeFileSync(join(files, name), text, { mode: 0o600 });
        own(join(files, name));
      }
      appendFileSync(join(files, "pg_hba.conf"), "host all all 127.0.0.1/32 scram-sha-256\n");
      const client = await connectClient(reachable.url, SESSION);
      await client.query("alter system set ssl = on");
      await client.query("select pg_reload_conf()");
      await client.end();
      // The reload is a signal: connections use TLS a moment later.
      await eventually(() => ask(`${reachable.url}?sslmode=require`, "select 1"));
    },
    /** Starts a copy of the cluster that stays in recovery. The address of the primary changes: read `port` again. */
    async startStandby() {
      await database.stop();
      execFileSync("cp", ["-a", home, copy]);
      database = await start();
      Object.assign(this, { url: database.url, port: Number(new URL(database.url).port) });
      const cluster = join(copy, "postgres");
      writeFileSync(join(cluster, "standby.signal"), "");
      own(join(cluster, "standby.signal"));
      const binaries = findBinaries(copy);
      const port = await freePort();
      const network = { listen_addresses: "127.0.0.1", port: String(port), unix_socket_directories: "" };
      const given = Object.entries({ ...network, max_connections: MOST_CONNECTIONS });
      const flags = given.flatMap(([name, value]) => ["-c", `${name}=${value}`]);
      const server = run(chooseRunner(binaries, copy, cluster, true), [binaries.postgres, "-D", cluster, ...flags]);
      const address = new URL(database.url);
      address.port = String(port);
      await eventually(async () => {
        const client = new pg.Client(address.href);
        client.on("error", () => {});
        await client.connect();
        await client.end();
      });
      const stop = async () => {
        server.stop();
        await server.exited;
      };
      return { port, stop };
    },
    async stop() {
      await database.stop();
      rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
}
