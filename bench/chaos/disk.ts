// The fault process of full disks: the server runs with its embedded PostgreSQL on a small file system that is filled
// to the last byte. First rows cannot be written, then the write-ahead log, at which PostgreSQL exits. Then space is
// freed, and the server must recover by itself.
import { closeSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { runningEmbedded } from "../../server/src/platform/database/embedded/postgres.ts";
import { RECOVERY_MS } from "./attempt.ts";
import { randomOf } from "./random.ts";
import { enough, healed, report, reportsRefusedWrites, startStanding, task, watchHealth } from "./server.ts";

const CALM_MS = RECOVERY_MS + 2000;
/**
 * Duration of the phase without space for rows, and of those in which PostgreSQL cannot run. The first of these lasts
 * until its restart back-off has become long.
 */
const ROWS_MS = 2000;
const LOG_MS = [20_000, 1000, 5000];
/** Deadline for the service to report that it cannot write. */
const REPORT_MS = 6000;
const TOP_UP_MS = 50;
const CHUNK = Buffer.alloc(65_536);

const dataDir = task.env.DATA_DIR as string;
const ballast = join(dataDir, "ballast");
const random = randomOf(task.seed, "disk");

/** Refills the disk repeatedly, because PostgreSQL frees space meanwhile. */
function keepFull(): () => void {
  const file = openSync(ballast, "a");
  const timer = setInterval(topUp, TOP_UP_MS);
  function topUp() {
    for (let length = CHUNK.length; length >= 1; )
      try {
        writeSync(file, CHUNK, 0, length);
      } catch {
        length = Math.floor(length / 2);
      }
  }
  topUp();
  return () => {
    clearInterval(timer);
    closeSync(file);
    rmSync(ballast);
  };
}

/**
 * Connects before the disk is full: on a full disk PostgreSQL may refuse a connection, because it cannot write its
 * catalog cache.
 */
async function connect(): Promise<pg.Client> {
  const client = new pg.Client(runningEmbedded(dataDir) ?? "");
  client.on("error", () => {});
  await client.connect();
  return client;
}

/** Fills the write-ahead log, a megabyte at a time, until the disk has no space for more. */
async function useUpLog(client: pg.Client): Promise<void> {
  try {
    for (let megabyte = 0; megabyte < 2000; megabyte++)
      await client.query("select pg_logical_emit_message(false, 'chaos', repeat('x', 1000000))");
  } catch {
    // PostgreSQL has exited.
  } finally {
    await client.end().catch(() => {});
  }
}

const postmaster = () => readFileSync(join(dataDir, "postgres", "postmaster.pid"), "utf8").split("\n")[0];

const port = await startStanding();
let ends = 0;
void watchHealth(port);
await sleep(CALM_MS);
for (let turn = 0; turn < task.faults && !enough(); turn++) {
  report({ event: "fault", name: "full disk" });
  const before = postmaster();
  const client = await connect();
  const makeRoom = keepFull();
  await sleep(random() * ROWS_MS);
  await useUpLog(client);
  const logMs = LOG_MS[turn % LOG_MS.length] as number;
  const left = sleep(logMs);
  if (logMs > REPORT_MS) await reportsRefusedWrites(port, "full disk", REPORT_MS);
  await left;
  makeRoom();
  const calm = sleep(CALM_MS);
  await healed(port, "full disk");
  if (postmaster() !== before) ends++;
  await calm;
}
report({ event: "seen", counts: { "PostgreSQL started again": ends } });
if (ends === 0) report({ event: "broken", rule: "the full disk never ended PostgreSQL: this run proves too little" });
report({ event: "up", port, standing: true });
