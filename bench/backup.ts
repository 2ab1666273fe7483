// npm run bench -- --only backup: a backup of a running service with 1,000,000 Tasks (`--sizes 20000` for another
// number) under continuous reads and writes: the remaining throughput, the duration and the size. Then the backup is
// restored, and every write must be in it completely or not at all: all that were answered before it began, and none in
// part.
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { runningEmbedded, startEmbedded } from "../server/src/platform/database/embedded/postgres.ts";
import { migrate } from "../server/src/platform/database/start/migrations.ts";
import { openStorage } from "../server/src/platform/outside/storage.ts";
import { readConfig } from "../server/src/platform/settings/config.ts";
import type { Data } from "./data.ts";
import type { Job, LoadResult, Scenario } from "./load.ts";
import { cpuOf, endAll, forkScript, nextMessage, startService } from "./processes.ts";
import { median } from "./table.ts";
import { fillTasks } from "./tasks-data.ts";

const CONNECTIONS = 16;
const SECONDS = 3;
/** Turns of each scenario before and after the backup. */
const CALM = 5;
/** Pictures of 1 MiB each. */
const PICTURES = 64;
const SCENARIOS = ["read a Task", "create a Task"] as const;
type Rates = Record<(typeof SCENARIOS)[number], number[]>;
const rounded = (number: number) => Math.round(number).toLocaleString("en");
const megabytes = (bytes: number) => `${rounded(bytes / 1024 / 1024)} MiB`;

/** Resolves to the duration and the share of one core used. */
async function command(name: "backup" | "restore", args: string[], env: Record<string, string>) {
  const script = fileURLToPath(new URL(`../scripts/${name}.ts`, import.meta.url));
  const began = performance.now();
  const child: ChildProcess = spawn(process.execPath, [script, ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "inherit"],
  });
  let cpu = 0;
  const watch = setInterval(() => {
    cpu = Math.max(cpu, cpuOf(child.pid as number));
  }, 500);
  const code = await new Promise((done) => child.once("exit", done));
  clearInterval(watch);
  if (code !== 0) throw new Error(`${name} ended with ${code}`);
  const seconds = (performance.now() - began) / 1000;
  return { seconds, cores: cpu / seconds };
}

async function asked<T extends pg.QueryResultRow>(url: string, sql: string, values: unknown[] = []): Promise<T> {
  const client = new pg.Client(url);
  await client.connect();
  return (await client.query<T>(sql, values).finally(() => client.end())).rows[0] as T;
}

const COUNTED = "select count(*)::int as tasks from tasks";
// A Task created under load has its event, its audit row and its stored response, all from the transaction that created
// it.
const WHOLE = `
with made as (select t.workspace_id, t.id from tasks t where t.title like 'Bench task %')
select (select count(*)::int from tasks) as tasks, (select count(*)::int from made) as made,
  (select count(*)::int from made m
  where not exists (select from domain_events e where e.workspace_id = m.workspace_id and e.task_id = m.id)) as unheard,
  (select count(*)::int from audit_log where operation = 'createTask') as audited`;

export async function measureBackup(tasks: number): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "svc-bench-backup-"));
  chmodSync(directory, 0o711);
  const dataDir = join(directory, "data");
  const file = join(directory, "svc.backup");
  const database = await startEmbedded(join(directory, "database"));
  try {
    await migrate(database.url);
    console.log(`Loading ${rounded(tasks)} Tasks with all that they have …`);
    const [filled] = await fillTasks(database.url, [tasks]);
    const { data } = filled as { data: Data };
    const env = { DATA_DIR: dataDir };
    const { port } = await startService(database.url, { ...env, ROLES: "api" });
    await withPictures(database.url, dataDir);
    const load = forkScript("load.ts");
    const drive = async (scenario: Scenario) => {
      load.send({ scenario, port, data, connections: CONNECTIONS, seconds: SECONDS } satisfies Job);
      const { requests, seconds, faults, fault } = await nextMessage<LoadResult>(load);
      if (faults > 0) throw new Error(`${faults} answers to "${scenario}" were faults, the first of them ${fault}`);
      return requests / seconds;
    };
    const turn = async (into: Rates) => {
      for (const scenario of SCENARIOS) into[scenario].push(await drive(scenario));
    };
    const rates = (): Rates => ({ "read a Task": [], "create a Task": [] });
    const [calm, during] = [rates(), rates()];
    // The first turn lets the code be compiled.
    await turn(rates());
    for (let round = 0; round < CALM; round++) await turn(calm);
    const before = (await asked<{ tasks: number }>(database.url, COUNTED)).tasks;
    let ended = false;
    const backing = command("backup", [file], { ...env, DATABASE_URL: database.url }).finally(() => {
      ended = true;
    });
    while (!ended) await turn(during);
    const backup = await backing;
    // The last turn outlasted the backup.
    if (during["read a Task"].length > 1) for (const scenario of SCENARIOS) during[scenario].pop();
    const after = (await asked<{ tasks: number }>(database.url, COUNTED)).tasks;
    for (let round = 0; round < CALM; round++) await turn(calm);
    const { bytes } = await asked<{ bytes: string }>(
      database.url,
      "select pg_database_size(current_database()) as bytes",
    );
    await endAll();
    console.log(
      `A backup of ${rounded(before)} Tasks (database ${megabytes(Number(bytes))}, ${PICTURES} objects of 1 MiB) ` +
        `took ${backup.seconds.toFixed(0)} s and ${backup.cores.toFixed(2)} of a core; ` +
        `the file has ${megabytes(statSync(file).size)}.`,
    );
    for (const scenario of SCENARIOS) {
      const [without, meanwhile] = [median(calm[scenario]), median(during[scenario])];
      console.log(
        `"${scenario}" at ${CONNECTIONS} connections: ${rounded(without)} a second without it ` +
          `(${calm[scenario].map(rounded).join(", ")}), ${rounded(meanwhile)} while it ran ` +
          `(${during[scenario].length} turns, the slowest ${rounded(Math.min(...during[scenario]))}): ` +
          `${((100 * meanwhile) / without).toFixed(0)} % kept, at least 90 % are wanted.`,
      );
    }
    await restored(file, { directory, dataDir, before, after });
  } finally {
    await endAll();
    await database.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

interface Expected {
  directory: string;
  dataDir: string;
  before: number;
  after: number;
}
async function restored(file: string, { directory, dataDir, before, after }: Expected): Promise<void> {
  const keys = readFileSync(join(dataDir, "keys"), "utf8").trim();
  const verified = await command("restore", [file, "--verify"], { DATA_DIR: dataDir });
  const place = join(directory, "restored");
  const restore = await command("restore", [file], { DATA_DIR: place, SECRET_KEYS: keys });
  console.log(
    `Verifying it aside took ${verified.seconds.toFixed(0)} s, restoring it into an empty DATA_DIR ` +
      `${restore.seconds.toFixed(0)} s.`,
  );
  const database = await startEmbedded(place);
  try {
    const url = runningEmbedded(place) as string;
    const found = await asked<{ tasks: number; made: number; unheard: number; audited: number }>(url, WHOLE);
    const isWhole =
      found.tasks >= before && found.tasks <= after && found.unheard === 0 && found.audited === found.made;
    const line =
      `${rounded(found.tasks)} Tasks are there (${rounded(before)} were answered before it began, ` +
      `${rounded(after)} when it ended); of ${rounded(found.made)} that were created under load ${found.unheard} ` +
      `have no event, and ${rounded(found.audited)} an audit row`;
    if (!isWhole) throw new Error(`something is lost or half: ${line}`);
    console.log(`Nothing lost, nothing half: ${line}.`);
  } finally {
    await database.stop();
  }
}

async function withPictures(url: string, dataDir: string): Promise<void> {
  const storage = openStorage(readConfig({ DATA_DIR: dataDir }), () => "");
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query<{ id: string }>(`select id from users limit ${PICTURES}`);
  for (const { id } of rows) {
    await storage.put(`people/${id}/one`, Buffer.alloc(1024 * 1024, id), "image/webp");
    await client.query("update users set picture_key = $2 where id = $1", [id, `people/${id}/one`]);
  }
  await client.end();
}
