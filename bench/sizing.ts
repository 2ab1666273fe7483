// npm run bench -- --only sizing: resources for 10, 100 and 1,000 people who work concurrently. Each subscribes to the
// Workspace with a socket, opens something every ten seconds (a list, a Task and the activity) and changes a Task every
// minute. Memory and CPU of the service and of PostgreSQL, for docs/operate.md.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { startEmbedded } from "../server/src/platform/database/embedded/postgres.ts";
import { migrate } from "../server/src/platform/database/start/migrations.ts";
import { csrfTokenOf, newId } from "../server/src/platform/wire/ids.ts";
import { type Data, fill, morePeople } from "./data.ts";
import type { FollowersOrder, Opened } from "./followers.ts";
import {
  cpuOf,
  cpuOfTree,
  endAll,
  forkScript,
  nextMessage,
  postmasterOf,
  residentMegabytes,
  startService,
} from "./processes.ts";
import { printColumns } from "./table.ts";

const CROWDS = [10, 100, 1000];
const SECONDS = 60;
const OPEN_EVERY_MS = 10_000;
const CHANGE_EVERY_MS = 60_000;

/** Memory of a process and its children; shared memory counts once. */
function memoryOfTree(pid: number): number {
  const kilobytes = (one: number) => {
    try {
      return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${one}/smaps_rollup`, "utf8"))?.[1] ?? 0);
    } catch {
      return 0;
    }
  };
  const parentOf = (one: string) => {
    try {
      return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${one}/status`, "utf8"))?.[1]);
    } catch {
      return 0;
    }
  };
  const children = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && parentOf(name) === pid);
  return [pid, ...children.map(Number)].reduce((sum, one) => sum + kilobytes(one), 0) / 1024;
}

interface Person {
  session: string;
}
/** Requests answered 503, for lack of time or capacity. */
const refused = { count: 0 };
/** One working person; records the time of each answer. */
async function work(port: number, data: Data, { session }: Person, until: number, took: number[], offset: number) {
  const headers = {
    cookie: `__Host-svc_session=${session}`,
    "x-csrf-token": csrfTokenOf(session),
    "content-type": "application/json",
  };
  const ask = async (path: string, init: RequestInit = {}) => {
    const began = performance.now();
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
      ...init,
      headers: { ...headers, ...init.headers },
    });
    await answer.arrayBuffer();
    if (answer.status >= 500) refused.count++;
    else if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
    took.push(performance.now() - began);
  };
  const task = () => data.taskIds[Math.floor(Math.random() * data.taskIds.length)];
  const every = async (ms: number, step: () => Promise<unknown>) => {
    await sleep(offset * ms);
    for (; performance.now() < until; await sleep(ms)) await step();
  };
  await Promise.all([
    every(OPEN_EVERY_MS, () =>
      Promise.all([
        ask(`/projects/${data.projectIds[0]}/tasks?limit=50`),
        ask(`/tasks/${task()}`),
        ask(`/workspaces/${data.workspaceId}/activity`),
      ]),
    ),
    every(CHANGE_EVERY_MS, () =>
      ask(`/tasks/${task()}`, {
        method: "PATCH",
        headers: { "if-match": "*" },
        body: JSON.stringify({ title: `Sized ${newId()}` }),
      }),
    ),
  ]);
}

export async function measureSizing(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "svc-bench-sizing-"));
  const database = await startEmbedded(join(directory, "data"));
  try {
    await migrate(database.url);
    const data = await fill(database.url, [10_000, 100, 100], "SZ");
    const most = CROWDS.at(-1) as number;
    const people = [...data.people, ...(await morePeople(database.url, data.workspaceId, most - data.people.length))];
    const client = new pg.Client(database.url);
    // The database ends this connection when something fails; the error would hide the cause.
    client.on("error", () => {});
    await client.connect();
    await client.query("vacuum analyze");
    const postmaster = await postmasterOf(client);
    for (const count of CROWDS) {
      // Each crowd uses a freshly started service.
      const service = await startService(database.url, { DATA_DIR: join(directory, "service") });
      const followers = forkScript("followers.ts");
      const sessions = people.slice(0, count).map(({ session }) => session);
      followers.send({
        open: { port: service.port, sessions, sockets: count, overMs: 10 * count },
      } satisfies FollowersOrder);
      const { opened } = await nextMessage<Opened>(followers);
      const since = { service: cpuOf(service.pid), database: cpuOfTree(postmaster), at: performance.now() };
      const took: number[] = [];
      refused.count = 0;
      const until = performance.now() + SECONDS * 1000;
      await Promise.all(
        people.slice(0, count).map((person, at) => work(service.port, data, person, until, took, at / count)),
      );
      const seconds = (performance.now() - since.at) / 1000;
      const percent = (used: number) => ((100 * used) / seconds).toFixed(0);
      took.sort((one, other) => one - other);
      const row = [
        ...[String(opened), (took.length / seconds).toFixed(0), (took[Math.floor(took.length * 0.99)] ?? 0).toFixed(0)],
        ...[residentMegabytes(service.pid).toFixed(0), percent(cpuOf(service.pid) - since.service)],
        ...[memoryOfTree(postmaster).toFixed(0), percent(cpuOfTree(postmaster) - since.database)],
        String(refused.count),
        String(
          (await client.query("select count(*)::int as n from pg_stat_activity where datname = current_database()"))
            .rows[0].n - 1,
        ),
      ];
      printColumns(
        ["people", "requests/s", "p99 ms", "service MB", "CPU %", "PostgreSQL MB", "its CPU %", "503", "connections"],
        [row],
      );
      await endAll();
    }
    await client.end();
  } finally {
    await endAll();
    await database.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}
