// npm run chaos: kill -9 of the server under concurrent writes with keys, a failing network, a full disk, each time
// comparing the ledger with the database; then kills with planted bugs, which must be detected. Prints one table; the
// exit code is 0 only if the service has no violation and every bug is detected. Everything runs on this machine: its
// own embedded PostgreSQL in a temporary directory, with fsync on, and loopback connections.
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { startEmbedded } from "../../server/src/platform/database/embedded/postgres.ts";
import { loadSecretKeys } from "../../server/src/platform/settings/secret-keys.ts";
import { faults, outages } from "../../server/test/faulty-network.ts";
import { coEditing } from "./co-editing.ts";
import { mix, mixFaults } from "./mix.ts";
import { following } from "./realtime.ts";
import { plantedRuns, printTable, untilCaught } from "./report.ts";
import { underRuns } from "./runs.ts";
import { onSmallDisk } from "./small-disk.ts";
import { type Bug, planted, type StormOutcome, storm } from "./storm.ts";

const ofMix = (name: string) => /^mix( |$)/.test(name);
const HELP = `npm run chaos [-- --kills 32 --cut 240 --lanes 16 --seconds 150 --seed N --only kills|network|outage|disk|co-editing|realtime|runs|mix|<bug>]
npm run chaos -- --mix [--minutes 5 --seed N]

Troubles the server under concurrent keyed writes and their retries, then holds what the clients were told
against what the database has:
  kills      SIGKILL at random moments
  network    what lies between it and the database cuts, swallows, delays and trickles, each once; meanwhile
             letters are sent and a lifecycle migration runs
  outage     a proxy in front of the database closes, hangs, refuses or flaps for 30 s each; attempts to connect are counted
  disk       its embedded PostgreSQL on a file system without room; for root, who may mount one
  co-editing people type in texts together at two servers; these, their connections and the database are killed in turn
  realtime   50 sockets at two servers follow 200 writes a second; these are killed in turn, and everybody resumes; then 500
             generated histories, in which state and hints make the state
  runs       people ask the assistant for changes at two servers; these are killed in turn while answers are made, and each
             interrupted answer goes on within 2 s of ready
  mix        Tasks, editors, one text at its limit, followers, turns, webhooks, uploads, letters and a lifecycle migration at two
             servers at once, while these, their connections and the database are killed, and the network fails for 30 s and
             longer in each of five ways
and with planted bugs, which must be caught:
${plantedRuns.map(({ name }) => `  ${name}`).join("\n")}
  --kills    at least so many kills (32); a planted bug gets a quarter of them
  --cut      at least so many requests cut off by a kill (240), likewise
  --lanes    concurrent writers (16)
  --seconds  the faults end then, whatever was reached (150; a bug 40); too little reached is a failure
  --seed     makes the same choices again; the interleaving of processes stays its own
  --only     one of all these
  --mix      only the mix and its planted bugs: ${planted.mix.join(", ")}
  --minutes  the mix goes through all its faults once, and again until so many minutes have passed (5)
Bounded in count and time, about three quarters of an hour in all, twelve minutes of it for the mix. Loopback and a temporary directory only,
and no development packages; without them the generated histories are left out.`;

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "32" },
    cut: { type: "string", default: "240" },
    lanes: { type: "string", default: "16" },
    seconds: { type: "string", default: "150" },
    seed: { type: "string", default: String(randomInt(1, 2 ** 31)) },
    only: { type: "string" },
    mix: { type: "boolean", default: false },
    minutes: { type: "string", default: "5" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const most = { kills: 1000, cut: 10_000, lanes: 64, seconds: 1800, minutes: 600, seed: 2 ** 32 };
const [kills, cut, lanes, seconds, minutes, seed] = (
  ["kills", "cut", "lanes", "seconds", "minutes", "seed"] as const
).map((name) => {
  const number = Number(values[name]);
  if (Number.isInteger(number) && number >= 1 && number <= most[name]) return number;
  console.error(`--${name} takes a whole number from 1 to ${most[name]}`);
  return process.exit(2);
}) as [number, number, number, number, number, number];
const names = [
  ...["kills", "network", "outage", "disk", "co-editing", "realtime", "runs", "mix"],
  ...plantedRuns.map(({ name }) => name),
].filter((name) => (values.only === undefined ? ofMix(name) || !values.mix : name === values.only));
if (names.length === 0) {
  console.error(`--only ${values.only} is not known; see --help`);
  process.exit(2);
}

/** Five kinds of faults, three times each. */
const CO_EDITING_FAULTS = 15;
/** One fault of each kind. */
const NETWORK_FAULTS = faults.length;
/** Four outages of 30 s, and the time to recover. */
const OUTAGE_LIMIT_MS = 300_000;
/** Kills of one server, the other and both, ten times each. */
const REALTIME_KILLS = 30;
const HISTORIES = 500;
/** Kills of one server, of the other and of both. */
const BUG_KILLS = 3;
/** Four rounds of the same three kills. */
const RUN_KILLS = 12;
const DISK_FAULTS = 3;
/** Enough faults for a bug of the mix to show. */
const MIX_BUG_FAULTS = ["both servers", "one server", "both servers"] as const;
const DISK_MEGABYTES = 512;

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

const common = (name: string) => ({
  seed,
  lanes,
  limitMs: seconds * 1000,
  patienceMs: 60_000,
  progress(done: number, lost: number) {
    if (process.stdout.isTTY) process.stdout.write(`\r${name}: ${done} faults, ${lost} requests cut off `);
  },
});
async function inDatabase(name: string) {
  const url = await freshDatabase(embedded.url, name);
  return { ...common(name), database: <T>(work: (url: string) => Promise<T>) => work(url) };
}

/** The server runs the database itself; this process starts it only before and after the run. */
const onDisk = (path: string) =>
  storm({
    ...common("disk"),
    trouble: "disk",
    faults: DISK_FAULTS,
    cut: 0,
    dataDir: path,
    async database(work) {
      loadSecretKeys(path);
      const own = await startEmbedded(path);
      return work(own.url).finally(own.stop);
    },
  });

/** Runs the work with a cluster of its own, which can be killed too. */
async function inCluster<T>(work: (own: { databaseUrl: string; killDatabase: () => Promise<void> }) => Promise<T>) {
  const own = mkdtempSync(join(tmpdir(), "svc-chaos-cluster-"));
  chmodSync(own, 0o711);
  const database = await startEmbedded(own);
  const killDatabase = async () => {
    process.kill(Number(readFileSync(join(own, "postgres", "postmaster.pid"), "utf8").split("\n")[0]), "SIGKILL");
  };
  try {
    return await work({ databaseUrl: database.url, killDatabase });
  } finally {
    await database.stop();
    rmSync(own, { recursive: true, force: true });
  }
}
const typing = (bug?: Bug) =>
  inCluster(({ databaseUrl, killDatabase }) => {
    const options = { ...common("co-editing"), databaseUrl, texts: 4, editors: 6, room: 1000 };
    return coEditing(bug ? { ...options, faults: 8, bug } : { ...options, faults: CO_EDITING_FAULTS, killDatabase });
  });
const mixed = (bug?: Bug) =>
  inCluster((own) => {
    const options = { ...common("mix"), ...own, limitMs: 0 };
    return mix(
      bug ? { ...options, kinds: MIX_BUG_FAULTS, bug } : { ...options, kinds: mixFaults, limitMs: minutes * 60_000 },
    );
  });

/** Runs the long form of the test of that name, which needs the development packages. */
async function historiesHold(): Promise<boolean> {
  if (!existsSync("node_modules/vitest")) {
    console.log("realtime: the generated histories are left out, because the development packages are not installed");
    return true;
  }
  const env = { ...process.env, HISTORIES: String(HISTORIES), SEED: String(seed % 1_000_000) };
  const child = spawn(process.execPath, ["scripts/test.mjs", "server/test/realtime-histories.slow.test.ts"], {
    env,
    stdio: "inherit",
  });
  return (await new Promise((ended) => child.once("exit", ended))) === 0;
}

/** Runs a harness with a planted bug; `times` scales its time limit. */
async function withBug(harness: keyof typeof planted, bug: Bug, times: number): Promise<StormOutcome> {
  const name = `${harness} ${bug} ${times}`;
  if (harness === "mix") return mixed(bug);
  if (harness === "co-editing") return typing(bug);
  if (harness === "realtime") return listening(name, BUG_KILLS, bug);
  if (harness === "runs") return asking(name, bug);
  const limits = { limitMs: Math.min(seconds, 40) * 1000 * times, patienceMs: 5_000 * times };
  const few = { faults: Math.ceil(kills / 4), cut: Math.ceil(cut / 4) };
  return storm({ ...(await inDatabase(name)), ...limits, ...few, trouble: "kills", bug });
}
const listening = async (name: string, faults: number, bug?: Bug) =>
  following({
    ...common(name),
    databaseUrl: await freshDatabase(embedded.url, name),
    faults,
    sockets: 50,
    perSecond: 200,
    limitMs: Math.max(seconds, 300) * 1000,
    ...(bug ? { bug } : {}),
  });
const asking = async (name: string, bug?: Bug) =>
  underRuns({
    ...common(name),
    databaseUrl: await freshDatabase(embedded.url, name),
    people: 8,
    faults: Math.min(kills, RUN_KILLS),
    ...(bug ? { bug } : {}),
  });

async function trouble(name: string): Promise<StormOutcome | null> {
  const run = plantedRuns.find((one) => one.name === name);
  if (run) return untilCaught((times) => withBug(run.harness, run.bug, times));
  if (name === "mix") return mixed();
  if (name === "co-editing") return typing();
  if (name === "runs") return asking(name);
  if (name === "disk") return onSmallDisk(DISK_MEGABYTES, onDisk);
  if (name === "realtime") {
    const outcome = await listening(name, REALTIME_KILLS);
    if (!(await historiesHold())) outcome.broken.push("a history did not hold: see above");
    return outcome;
  }
  const options = await inDatabase(name);
  if (name === "network") return storm({ ...options, trouble: name, faults: NETWORK_FAULTS, cut: 0 });
  if (name === "outage")
    return storm({ ...options, limitMs: OUTAGE_LIMIT_MS, trouble: name, faults: outages.length, cut: 0 });
  return storm({ ...options, trouble: "kills", faults: kills, cut });
}

const outcomes = new Map<string, StormOutcome>();
try {
  console.log(`seed ${seed}`);
  for (const name of names) {
    const outcome = await trouble(name);
    if (outcome === null) {
      console.log(`${name}: left out, because this user may not mount a file system`);
      continue;
    }
    outcomes.set(name, outcome);
    console.log(
      `${process.stdout.isTTY ? "\r" : ""}${name}: ${outcome.faults} faults in ${outcome.seconds.toFixed(0)} s`,
    );
  }
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
} finally {
  await embedded.stop();
  rmSync(directory, { recursive: true, force: true });
}
if (outcomes.size > 0 && !printTable(outcomes)) process.exitCode = 1;
