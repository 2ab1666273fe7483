// Starts the service: configuration, database, server, in that order, and stops them in the opposite one.
// Every fault an operator can mend is one line on stderr and exit code 1; a stack trace means a bug of ours.
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type Config, outboxFor, readConfig } from "./kernel/config.ts";
import { ConfigError } from "./kernel/config-error.ts";
import { startEmbedded } from "./kernel/embedded.ts";
import { operatorSecretFile } from "./reference/mailbox.ts";
import { serve } from "./server.ts";

const stops: (() => Promise<void>)[] = [];
let stoppingSince = 0;

// npm and the terminal may both deliver one Ctrl-C, so only a signal half a second later is a second one.
async function stop(): Promise<void> {
  if (stoppingSince > 0) {
    if (Date.now() - stoppingSince > 500) process.exit(1);
    return;
  }
  stoppingSince = Date.now();
  for (const stopOne of stops.reverse()) await stopOne();
  process.exit(0);
}

function fail(lines: readonly string[]): never {
  for (const line of lines) console.error(line);
  process.exit(1);
}

async function openDatabase(config: Config): Promise<string> {
  if (config.databaseUrl !== null) {
    await requirePostgres15(config.databaseUrl);
    return config.databaseUrl;
  }
  console.log("Starting the database ...");
  const embedded = await startEmbedded(config.dataDir);
  stops.push(embedded.stop);
  embedded.exited.then(() => {
    if (stoppingSince === 0)
      fail([`PostgreSQL ended unexpectedly; its data is in ${config.dataDir}, start again to recover it`]);
  });
  return embedded.url;
}

async function requirePostgres15(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on("error", () => {});
  const version = await client
    .connect()
    .then(() => client.query("SHOW server_version"))
    .catch((error) => {
      throw new ConfigError([
        `DATABASE_URL: cannot connect: ${error.message || error.code}; check the address and that PostgreSQL runs`,
      ]);
    });
  await client.end();
  const { server_version: text } = version.rows[0];
  if (Number.parseInt(text, 10) < 15)
    throw new ConfigError([`DATABASE_URL: the server is PostgreSQL ${text}; use PostgreSQL 15 or newer`]);
}

function mailGoes(config: Config, url: string): string {
  const readBy = outboxFor(config);
  if (readBy === "here") return `${url}/dev/mail (set SMTP_URL to send it)`;
  if (readBy === "operator")
    return `${url}/dev/mail, with the secret in ${operatorSecretFile(config.dataDir)} (set SMTP_URL to send it)`;
  return "is kept and sent to nobody: set SMTP_URL to send it, or OUTBOX=on to read it";
}

const listenFaults: Record<string, (config: Config) => string> = {
  EADDRINUSE: ({ port, host }) =>
    `PORT: ${port} on ${host} is taken; stop the program that uses it, or set another PORT`,
  EACCES: ({ port }) => `PORT: ${port} may not be opened by this user; set a PORT above 1023`,
  EADDRNOTAVAIL: ({ host }) =>
    `HOST: ${host} is not an address of this machine; set 127.0.0.1, 0.0.0.0 or one of its addresses`,
  ENOTFOUND: ({ host }) => `HOST: ${host} does not resolve; set an IP address`,
};

function explain(error: unknown, config: Config | null): readonly string[] {
  if (error instanceof ConfigError) return error.lines;
  const { code = "", syscall } = error as NodeJS.ErrnoException;
  const listenFault = syscall === "listen" || syscall === "getaddrinfo" ? listenFaults[code] : undefined;
  return config && listenFault
    ? [listenFault(config)]
    : [error instanceof Error ? (error.stack ?? error.message) : String(error)];
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
// The starting script holds the other end of this channel: when it is killed, the service stops.
process.on("disconnect", stop);

let config: Config | null = null;
try {
  config = readConfig(process.env);
  const server = await serve(config, await openDatabase(config));
  stops.push(server.close);
  const database = config.databaseUrl === null ? "embedded PostgreSQL" : "PostgreSQL of DATABASE_URL";
  const mail = config.smtpUrl === null ? `\n  Mail       ${mailGoes(config, server.url)}` : "";
  console.log(`svc is ready
  Browser    ${server.url}
  API        ${server.url}/api/v1
  Reference  ${server.url}/docs${mail}
  Data       ${config.dataDir} (${database})`);
} catch (error) {
  const lines = explain(error, config);
  stoppingSince = Date.now();
  await Promise.race([Promise.all(stops.map((stopOne) => stopOne())), sleep(10_000)]);
  fail(lines);
}
