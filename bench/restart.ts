// Kill to ready: downtime of the whole service after kill -9, and of its embedded PostgreSQL after kill -9 of that
// alone, under a light load of writes on 10,000 Tasks. The clock runs from the kill to the first 200 of /readyz; every
// acknowledged write must exist at the end.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { buildServer } from "../scripts/build-server.mjs";
import { serviceFlags } from "../scripts/node-program.mjs";
import { startEmbedded } from "../server/src/platform/database/embedded/postgres.ts";
import { migrate } from "../server/src/platform/database/start/migrations.ts";
import { loadSecretKeys } from "../server/src/platform/settings/secret-keys.ts";
import { csrfTokenOf, newId } from "../server/src/platform/wire/ids.ts";
import { type Data, fill } from "./data.ts";
import { median, printColumns } from "./table.ts";

const TASKS = 10_000;
const ROUNDS = 15;
/** At most one kill per run of the service: the sixth within a minute would end it. */
const IN_PLACE = 10;
const WRITERS = 4;
const BETWEEN_WRITES_MS = 50;
const BETWEEN_KILLS_MS = 1000;
const POLL_MS = 10;
const PATIENCE_MS = 60_000;
const root = fileURLToPath(new URL("../", import.meta.url));

export async function measureRestart(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "svc-restart-"));
  chmodSync(directory, 0o711);
  const dataDir = join(directory, "data");
  const port = await freePort();
  loadSecretKeys(dataDir);
  const data = await withDatabase(dataDir, async (url) => {
    await migrate(url);
    return fill(url, [TASKS], "RST");
  });
  const { DATABASE_URL: _, ...inherited } = process.env;
  const program = buildServer();
  const own = { PORT: String(port), DATA_DIR: dataDir, NODE_COMPILE_CACHE: join(directory, "compiled") };
  // Starts it in a process group of its own, which is killed as a whole.
  const start = () =>
    spawn(process.execPath, [...serviceFlags, program], {
      cwd: root,
      env: { ...inherited, ...own, RATE_LIMITS: "off", LOG_LEVEL: "error" },
      detached: true,
      stdio: ["ignore", "ignore", "pipe"],
    });
  const kill = (server: ChildProcess) => process.kill(-(server.pid as number), "SIGKILL");
  let server = start();
  try {
    // Stops it cleanly once, so that it saves its compiled code as after any clean stop.
    await until(() => isReady(port));
    server.kill("SIGTERM");
    await once(server, "exit");
    server = start();
    await until(() => isReady(port));
    const before = loadavg()[0] as number;
    const load = writeOn(port, data);
    const [whole, alone]: [number[], number[]] = [[], []];
    let unhealthy = 0;
    for (let round = 0; round < ROUNDS; round++) {
      await sleep(BETWEEN_KILLS_MS);
      kill(server);
      server = start();
      whole.push(await until(() => isReady(port)));
      if (round >= IN_PLACE) continue;
      await sleep(BETWEEN_KILLS_MS);
      const killed = postmaster(dataDir);
      process.kill(killed, "SIGKILL");
      const health = watchHealth(port);
      const isBack = async () =>
        postmaster(dataDir) !== killed && (await isReady(port)) && (await write(port, data, 0)) !== null;
      alone.push(await until(isBack));
      unhealthy += await health();
    }
    const acknowledged = await load();
    kill(server);
    const kept = await withDatabase(dataDir, (url) => count(url, acknowledged));
    const row = (name: string, times: number[], wanted: string) => [
      name,
      String(times.length),
      median(times).toFixed(0),
      Math.max(...times).toFixed(0),
      wanted,
    ];
    printColumns(
      ["from the kill to /readyz 200", "rounds", "p50 ms", "longest ms", "wanted"],
      [row("the whole service", whole, "p50 < 1500"), row("PostgreSQL alone, in place", alone, "longest < 3000")],
    );
    console.log(
      `Load average ${before.toFixed(1)} before and ${(loadavg()[0] as number).toFixed(1)} after. ` +
        `/healthz was not 200 ${unhealthy} times while PostgreSQL was away. ` +
        `${acknowledged.length - kept} of ${acknowledged.length} acknowledged writes were lost.`,
    );
    if (kept < acknowledged.length) process.exitCode = 1;
  } finally {
    if (server.exitCode === null && server.signalCode === null) kill(server);
    // The PostgreSQL of the killed server ends by itself.
    await withDatabase(dataDir, async () => {}).catch(() => {});
    rmSync(directory, { recursive: true, force: true });
  }
}

async function withDatabase<T>(dataDir: string, work: (url: string) => Promise<T>): Promise<T> {
  const { url, stop } = await startEmbedded(dataDir);
  return work(url).finally(stop);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** Milliseconds until the condition held. */
async function until(holds: () => Promise<boolean>): Promise<number> {
  const began = performance.now();
  while (!(await holds())) {
    if (performance.now() - began > PATIENCE_MS) throw new Error("the service does not come back");
    await sleep(POLL_MS);
  }
  return performance.now() - began;
}

const ask = (port: number, path: string, init: RequestInit = {}) =>
  fetch(`http://127.0.0.1:${port}${path}`, { ...init, signal: AbortSignal.timeout(5000) }).then(
    async (answer) => ({ status: answer.status, body: await answer.text() }),
    () => ({ status: 0, body: "" }),
  );
const isReady = async (port: number) => (await ask(port, "/readyz")).status === 200;

const postmaster = (dataDir: string) => {
  try {
    return Number.parseInt(readFileSync(join(dataDir, "postgres", "postmaster.pid"), "utf8"), 10);
  } catch {
    return 0;
  }
};

/** Id of the new Task, if the write was acknowledged. */
async function write(port: number, { people, projectIds }: Data, person: number): Promise<string | null> {
  const session = people[person]?.session ?? "";
  const { status, body } = await ask(port, `/api/v1/projects/${projectIds[0]}/tasks`, {
    method: "POST",
    headers: {
      cookie: `__Host-svc_session=${session}`,
      "x-csrf-token": csrfTokenOf(session),
      "content-type": "application/json",
      "idempotency-key": newId(),
    },
    body: JSON.stringify({ title: "Written between kills" }),
  });
  return status === 201 ? JSON.parse(body).id : null;
}

/** Writes until stopped; then resolves to the acknowledged ids. */
function writeOn(port: number, data: Data): () => Promise<string[]> {
  const acknowledged: string[] = [];
  let going = true;
  const writers = Array.from({ length: WRITERS }, async (_, person) => {
    for (; going; await sleep(BETWEEN_WRITES_MS)) {
      const id = await write(port, data, person);
      if (id !== null) acknowledged.push(id);
    }
  });
  return async () => {
    going = false;
    await Promise.all(writers);
    return acknowledged;
  };
}

/** Requests /healthz until stopped; then resolves to the number of answers other than 200. */
function watchHealth(port: number): () => Promise<number> {
  let [going, unhealthy] = [true, 0];
  const watching = (async () => {
    for (; going; await sleep(POLL_MS)) if ((await ask(port, "/healthz")).status !== 200) unhealthy++;
  })();
  return async () => {
    going = false;
    await watching;
    return unhealthy;
  };
}

async function count(url: string, ids: string[]): Promise<number> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query("select from tasks where id = any($1)", [ids])).rowCount ?? 0;
  } finally {
    await client.end();
  }
}
