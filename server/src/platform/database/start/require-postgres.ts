// Checks that DATABASE_URL can be reached and that its server is new enough, before any other query. A fault is one
// line, without the password that the address may contain.
import { ConfigError } from "../../settings/config-error.ts";
import { CONNECT_MS, connectClient } from "../connections/client.ts";
import { ownerSession } from "../connections/session.ts";
import { mayPass, type Patience, patiently, reasonOf } from "./start-wait.ts";

/** A command does not wait for the database. */
const AT_ONCE: Patience = { seconds: 0, say() {} };

export async function requirePostgres15(url: string, patience = AT_ONCE): Promise<void> {
  const options = { query_timeout: 10_000, ...(patience.seconds > 0 ? { connectionTimeoutMillis: CONNECT_MS } : {}) };
  const version = await patiently("Waiting for PostgreSQL", url, () => versionOf(url, options), patience);
  if (Number.parseInt(version, 10) < 15)
    throw new ConfigError([`DATABASE_URL: the server is PostgreSQL ${version}; use PostgreSQL 15 or newer`]);
}

async function versionOf(url: string, options: Parameters<typeof connectClient>[2]): Promise<string> {
  try {
    const client = await connectClient(url, ownerSession("svc-start"), options);
    return (await client.query("show server_version").finally(() => void client.end())).rows[0].server_version;
  } catch (error) {
    if (error instanceof ConfigError || mayPass(error)) throw error;
    throw new ConfigError([`DATABASE_URL: cannot connect: ${reasonOf(error)}; ${remedyFor(error)}`]);
  }
}

function remedyFor(error: unknown): string {
  const { code = "", message } = error as Error & { code?: string };
  if (code === "28P01") return "check the user and the password";
  if (code === "28000" && /no encryption/.test(message))
    return "set sslmode=require, or allow this user in pg_hba.conf";
  if (/SSL|TLS|certificate|altnames/i.test(`${message} ${code}`))
    return "check sslmode, sslrootcert and the certificate";
  return "check the address and that PostgreSQL runs";
}
