// Cost of realtime: latency from a write's answer to the frame about it, with few sockets and many; memory and CPU of
// an idle socket; slowdown of writers by listeners; cost of a baseline; and the effect on others when a thousand
// clients reconnect at once. On a database of its own.
import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startEmbedded } from "../server/src/platform/database/embedded/postgres.ts";
import { migrate } from "../server/src/platform/database/start/migrations.ts";
import { csrfTokenOf, newId } from "../server/src/platform/wire/ids.ts";
import { type Data, fill, morePeople } from "./data.ts";
import type { FollowersOrder, Heard, Opened, Opening } from "./followers.ts";
import { cpuOf, forkScript, nextMessage, residentMegabytes, startService } from "./processes.ts";
import { printColumns } from "./table.ts";

const CROWDS = [10, 1000, 5000];
const A_SECOND = 100;
const SECONDS = 8;
const IDLE_SECONDS = 10;
/** Number of people: one person has at most 32 sockets. */
const PEOPLE = 200;
const PROJECTS = 100;
const WRITERS = 16;
const TURNS = 5;
/** The rate that is admitted without a long wait. */
const OPENED_A_SECOND = 90;

const now = () => performance.timeOrigin + performance.now();
const at = (sorted: number[], part: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
const ms = (value: number) => value.toFixed(1);

interface Stage {
  data: Data;
  sessions: string[];
  service: { pid: number; port: number };
  followers: ChildProcess;
}
const headersOf = (session: string) => ({
  cookie: `__Host-svc_session=${session}; __Host-svc_csrf=${csrfTokenOf(session)}`,
  "x-csrf-token": csrfTokenOf(session),
  "content-type": "application/json",
});

async function ask<T>({ followers }: Stage, order: FollowersOrder): Promise<T> {
  followers.send(order);
  return nextMessage<T>(followers);
}
const openAll = (stage: Stage, sockets: number, overMs: number) => {
  const { sessions, service } = stage;
  const opening: Opening = { port: service.port, sessions, sockets, overMs };
  return ask<Opened>(stage, { open: opening });
};

/** Time of the answer to each write, by `id revision`. Without a pace, writes run as fast as possible. */
async function write({ data, sessions, service }: Stage, seconds: number, aSecond: number | null) {
  const answered = new Map<string, number>();
  const until = performance.now() + seconds * 1000;
  const lane = async (own: number) => {
    const everyMs = aSecond === null ? 0 : (WRITERS * 1000) / aSecond;
    for (
      let next = performance.now() + (everyMs * own) / WRITERS, turn = own;
      performance.now() < until;
      next += everyMs, turn += WRITERS
    ) {
      if (everyMs > 0) await sleep(Math.max(0, next - performance.now()));
      const id = data.taskIds[turn % data.taskIds.length];
      const response = await fetch(`http://127.0.0.1:${service.port}/api/v1/tasks/${id}`, {
        method: "PATCH",
        headers: { ...headersOf(sessions[own % sessions.length] as string), "if-match": "*" },
        body: JSON.stringify({ title: `Written ${newId()}` }),
      });
      const body = (await response.json()) as { revision?: string };
      if (body.revision) answered.set(`${id} ${body.revision}`, now());
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, own) => lane(own)));
  return answered;
}

/** Memory of the service in kB after a garbage collection. */
async function heldBy({ service }: Stage): Promise<number> {
  process.kill(service.pid, "SIGUSR2");
  await sleep(1500);
  return residentMegabytes(service.pid) * 1024;
}

async function measureCrowd(stage: Stage, sockets: number): Promise<string[]> {
  const { service } = stage;
  const before = await heldBy(stage);
  const { opened, seconds } = await openAll(stage, sockets, (1000 * sockets) / OPENED_A_SECOND);
  await sleep(3000);
  const held = ((await heldBy(stage)) - before) / opened;
  const idleSince = cpuOf(service.pid);
  await sleep(IDLE_SECONDS * 1000);
  const idle = (100 * (cpuOf(service.pid) - idleSince)) / IDLE_SECONDS;
  await ask(stage, "heard");
  const busySince = cpuOf(service.pid);
  const answered = await write(stage, SECONDS, A_SECOND);
  const busy = (100 * (cpuOf(service.pid) - busySince)) / SECONDS;
  await sleep(1500);
  const heard = await ask<Heard>(stage, "heard");
  const late = heard.flatMap(([change, when]) => {
    const from = answered.get(change);
    return from === undefined ? [] : [Math.max(0, when - from)];
  });
  late.sort((one, other) => one - other);
  await ask(stage, "leave");
  await sleep(2000);
  return [
    ...[String(opened), seconds.toFixed(1), (answered.size / SECONDS).toFixed(0), String(late.length)],
    ...[ms(at(late, 0.5)), ms(at(late, 0.99)), held.toFixed(1), idle.toFixed(1), busy.toFixed(0)],
  ];
}

async function measureCrowds(stage: Stage) {
  const rows: string[][] = [];
  for (const sockets of CROWDS) rows.push(await measureCrowd(stage, sockets));
  printColumns(
    [
      ...["sockets", "opened in s", "writes/s", "frames noted", "p50 ms", "p99 ms"],
      ...["kB a socket", "CPU % idle", "CPU % busy"],
    ],
    rows,
  );
}

async function measureWriters(stage: Stage) {
  const found: Record<"with" | "without", number[]> = { with: [], without: [] };
  await write(stage, 3, null);
  for (let turn = 0; turn < TURNS; turn++) {
    found.without.push((await write(stage, 3, null)).size / 3);
    await openAll(stage, 1000, (1000 * 1000) / OPENED_A_SECOND);
    found.with.push((await write(stage, 3, null)).size / 3);
    await ask(stage, "leave");
    await sleep(1000);
  }
  const [on, off] = [found.with, found.without].map((all) =>
    at(
      all.toSorted((a, b) => a - b),
      0.5,
    ),
  ) as [number, number];
  console.log(
    `Writes a second with 1,000 listeners ${on.toFixed(0)}, without ${off.toFixed(0)}: ` +
      `${(on / off).toFixed(2)} (median of ${TURNS} turns; the writers' own process is the same).`,
  );
}

/** Sequential reads: sorted milliseconds. */
async function reads({ sessions, service }: Stage, path: string, until: (count: number) => boolean): Promise<number[]> {
  const found: number[] = [];
  while (!until(found.length)) {
    const since = performance.now();
    const response = await fetch(`http://127.0.0.1:${service.port}/api/v1${path}`, {
      headers: headersOf(sessions[0] as string),
    });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${path} answered ${response.status}`);
    found.push(performance.now() - since);
  }
  return found.sort((one, other) => one - other);
}

async function measureBaselines(stage: Stage) {
  const { workspaceId } = stage.data;
  for (const path of [
    "/realtime/baseline?scope=projects&limit=100",
    `/workspaces/${workspaceId}/home-work-baseline?view=assigned`,
    `/me/home-work-baseline?workspace_id=${workspaceId}`,
  ]) {
    const took = await reads(stage, path, (count) => count >= 200);
    console.log(`GET ${path.replace(workspaceId, "W")}: p50 ${ms(at(took, 0.5))} ms, p99 ${ms(at(took, 0.99))} ms.`);
  }
}

async function measureStorm(stage: Stage) {
  const path = `/tasks/${stage.data.taskIds[0]}`;
  const [calm, still] = [await reads(stage, path, (count) => count >= 500), { going: true }];
  const during = reads(stage, path, () => !still.going);
  const { opened, refused, seconds } = await openAll(stage, 1000, 1000);
  still.going = false;
  const stormy = await during;
  await ask(stage, "leave");
  console.log(
    `1,000 sockets in one second: ${opened} admitted in ${seconds.toFixed(1)} s, ` +
      `refused ${JSON.stringify(refused)}; GET a Task p99 ${ms(at(calm, 0.99))} ms before and ` +
      `${ms(at(stormy, 0.99))} ms meanwhile.`,
  );
}

/** `what`: crowds, writers, baselines or storm; without it all of them. */
export async function measureRealtime(what: string): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "svc-bench-realtime-"));
  const database = await startEmbedded(directory);
  try {
    await migrate(database.url);
    const data = await fill(database.url, [1000, ...Array<number>(PROJECTS - 1).fill(1)], "RT");
    const people = [...data.people, ...(await morePeople(database.url, data.workspaceId, PEOPLE - data.people.length))];
    const collecting = `--expose-gc --import=${new URL("./collect.ts", import.meta.url).href}`;
    const env = { ROLES: "api,realtime", DATA_DIR: join(directory, "service"), NODE_OPTIONS: collecting };
    const service = await startService(database.url, env);
    const sessions = people.map(({ session }) => session);
    const stage: Stage = { data, sessions, service, followers: forkScript("followers.ts") };
    // Long enough for the code to be compiled.
    await write(stage, 5, null);
    const parts = {
      crowds: measureCrowds,
      writers: measureWriters,
      baselines: measureBaselines,
      storm: measureStorm,
    };
    for (const [name, part] of Object.entries(parts)) if (name.includes(what)) await part(stage);
  } finally {
    await database.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}
