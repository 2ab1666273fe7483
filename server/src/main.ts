// Starts the service: configuration, database, server, in that order, and stops them in reverse order. Every fault that
// an operator can fix is one line on stderr; a stack trace means a bug of ours. The exit code distinguishes them.
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { WORKER_CONNECTIONS } from "./platform/background/jobs.ts";
import { pooledConnections } from "./platform/database/db.ts";
import { startEmbedded } from "./platform/database/embedded/postgres.ts";
import { requirePostgres15 } from "./platform/database/start/require-postgres.ts";
import { checkServer } from "./platform/database/start/server-check.ts";
import { mayPass, patiently, reasonOf } from "./platform/database/start/start-wait.ts";
import { CLOSE_SECONDS, type Config, readConfig } from "./platform/settings/config.ts";
import { ConfigError, EXIT, UnreachableError } from "./platform/settings/config-error.ts";
import { outboxFor } from "./platform/settings/outbox.ts";
import { serve } from "./server.ts";
import { operatorSecretFile, outboxKey } from "./surfaces/reference/mailbox.ts";

const stops: (() => Promise<void>)[] = [];
let stoppingSince = 0;

// npm and the terminal may both deliver one Ctrl-C, so only a signal at least half a second later counts as a second
// one.
async function stop(): Promise<void> {
  if (stoppingSince > 0) {
    if (Date.now() - stoppingSince > 500) process.exit(EXIT.notClosed);
    return;
  }
  stoppingSince = Date.now();
  for (const stopOne of stops.reverse()) {
    const seconds = closeSeconds();
    if ((await Promise.race([stopOne(), sleep(1000 * seconds, "late")])) === "late")
      fail(
        [`svc did not close within ${seconds} s and ends as it is; nothing that was answered is lost`],
        EXIT.notClosed,
      );
  }
  process.exit(EXIT.stopped);
}

function fail(lines: readonly string[], code: number): never {
  for (const line of lines) console.error(line);
  process.exit(code);
}

/** Connections besides the pools: the channel, two probes, and two for migrations. */
const BESIDE_POOLS = 5;
const connectionsOf = ({ roles }: Config) =>
  pooledConnections() + BESIDE_POOLS + (roles.includes("worker") ? WORKER_CONNECTIONS : 0);

async function openDatabase(config: Config): Promise<string> {
  if (config.databaseUrl !== null) {
    const { databaseUrl, databaseWait } = config;
    const patience = { seconds: databaseWait, say: console.error };
    await requirePostgres15(databaseUrl, patience);
    const check = () => checkServer(databaseUrl, connectionsOf(config));
    for (const note of await patiently("Checking PostgreSQL", databaseUrl, check, patience)) console.log(note);
    return databaseUrl;
  }
  if (process.env.PGHOST)
    console.error("PGHOST is set and DATABASE_URL is not: set DATABASE_URL=postgresql:// to use that database");
  console.log("Starting the database ...");
  const embedded = await startEmbedded(config.dataDir, { say: console.error });
  stops.push(embedded.stop);
  embedded.lost.then((cause) => {
    if (cause !== null)
      fail(
        [`PostgreSQL does not stay up (${cause}); its data is in ${config.dataDir}, mend the cause and start again`],
        EXIT.databaseLost,
      );
  });
  return embedded.url;
}

function mailGoes(config: Config, url: string): string {
  const readBy = outboxFor(config);
  if (readBy === "here") return `${url}/dev/mail?key=${outboxKey(config)} (set SMTP_URL to send it)`;
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

function explain(error: unknown, config: Config | null): { lines: readonly string[]; code: number } {
  if (error instanceof ConfigError)
    return { lines: error.lines, code: error instanceof UnreachableError ? EXIT.databaseLost : EXIT.configuration };
  const { code = "", syscall } = error as NodeJS.ErrnoException;
  const listenFault = syscall === "listen" || syscall === "getaddrinfo" ? listenFaults[code] : undefined;
  if (config && listenFault) return { lines: [listenFault(config)], code: EXIT.configuration };
  if (mayPass(error))
    return {
      lines: [`The database was lost during the start: ${reasonOf(error)}; start again`],
      code: EXIT.databaseLost,
    };
  if (error instanceof pg.DatabaseError)
    return { lines: [`The database refused the start: ${error.message} (${error.code})`], code: EXIT.fault };
  return { lines: [error instanceof Error ? (error.stack ?? error.message) : String(error)], code: EXIT.fault };
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
// The start script holds the other end of this channel: when it is killed, the service stops.
process.on("disconnect", stop);
process.on("uncaughtException", (error) => {
  const { lines, code } = explain(error, null);
  fail(lines, code);
});

/** Limit for the service to close, and then for its database. A signal may arrive before the configuration is read. */
const closeSeconds = () => config?.closeSeconds ?? CLOSE_SECONDS;
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
  const { lines, code } = explain(error, config);
  stoppingSince = Date.now();
  await Promise.race([Promise.all(stops.map((stopOne) => stopOne())), sleep(1000 * closeSeconds())]);
  fail(lines, code);
}
