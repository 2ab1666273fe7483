// npm run chaos: kill -9 of the server under concurrent keyed writes, then the ledger held against the database; then the same
// with planted bugs, which must be found. Prints one table; the exit code is 0 only when the service shows nothing and every bug shows.
// Everything stays on this machine: its own embedded PostgreSQL in a temporary directory, with fsync on, and loopback connections.
import { randomInt } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { startEmbedded } from "../../server/src/database/embedded.ts";
import { printTable } from "./report.ts";
import { bugs, type Outcome, storm } from "./storm.ts";

const HELP = `npm run chaos [-- --kills 32 --cut 240 --lanes 16 --seconds 150 --seed N --only service|<bug>]

Kills the server with SIGKILL at random moments under concurrent keyed writes and their retries, then
holds what the clients were told against what the database has.
  --kills    at least so many kills (32); a planted bug gets a quarter of them
  --cut      at least so many requests cut off by a kill (240), likewise
  --lanes    concurrent writers (16)
  --seconds  the faults end then, whatever was reached (150; a bug 40); too little reached is a failure
  --seed     makes the same choices again; the interleaving of processes stays its own
  --only     the service, or one of ${bugs.join(", ")}
Bounded in count and time, two to three minutes in all. Loopback and a temporary directory only.`;

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "32" },
    cut: { type: "string", default: "240" },
    lanes: { type: "string", default: "16" },
    seconds: { type: "string", default: "150" },
    seed: { type: "string", default: String(randomInt(1, 2 ** 31)) },
    only: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const most = { kills: 1000, cut: 10_000, lanes: 64, seconds: 1800, seed: 2 ** 32 };
const [kills, cut, lanes, seconds, seed] = (["kills", "cut", "lanes", "seconds", "seed"] as const).map((name) => {
  const number = Number(values[name]);
  if (Number.isInteger(number) && number >= 1 && number <= most[name]) return number;
  console.error(`--${name} takes a whole number from 1 to ${most[name]}`);
  return process.exit(2);
}) as [number, number, number, number, number];
const names = (["service", ...bugs] as const).filter((name) => (values.only ?? name) === name);
if (names.length === 0) {
  console.error(`--only ${values.only} is not known; see --help`);
  process.exit(2);
}

async function freshDatabase(url: string, name: string): Promise<string> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`create database "${name}"`);
  await client.end();
  const own = new URL(url);
  own.pathname = `/${name}`;
  return own.href;
}

const directory = mkdtempSync(join(tmpdir(), "svc-chaos-database-"));
chmodSync(directory, 0o711);
const embedded = await startEmbedded(directory);
const outcomes = new Map<string, Outcome>();
try {
  console.log(`seed ${seed}`);
  for (const name of names) {
    const service = name === "service";
    const outcome = await storm({
      databaseUrl: await freshDatabase(embedded.url, name),
      seed,
      kills: service ? kills : Math.ceil(kills / 4),
      cut: service ? cut : Math.ceil(cut / 4),
      lanes,
      limitMs: (service ? seconds : Math.min(seconds, 40)) * 1000,
      patienceMs: service ? 60_000 : 5_000,
      ...(service ? {} : { bug: name }),
      progress: (done, lost) => {
        if (process.stdout.isTTY) process.stdout.write(`\r${name}: ${done} kills, ${lost} requests cut off `);
      },
    });
    outcomes.set(name, outcome);
    console.log(
      `${process.stdout.isTTY ? "\r" : ""}${name}: ${outcome.kills} kills in ${outcome.seconds.toFixed(0)} s`,
    );
  }
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
} finally {
  await embedded.stop();
  rmSync(directory, { recursive: true, force: true });
}
if (!printTable(outcomes)) process.exitCode = 1;
