// Fairness between tenants: the p99 of GET /me, alone and next to 32 sockets of one person in another Workspace, which
// request the state of a 120 kB text without pause, or each repeatedly open such a text of their own. All are measured
// in turns within one run, because the machine's speed changes; the result is the ratio of the percentiles over all
// turns.
import { setPriority } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { csrfTokenOf } from "../server/src/platform/wire/ids.ts";
import { type Data, fill } from "./data.ts";
import { fillDocuments } from "./documents-data.ts";
import { withOwnDatabase } from "./own-database.ts";
import { cpuOf, forkScript, nextMessage, startService } from "./processes.ts";
import type { Flood } from "./state-sockets.ts";
import { median, printColumns } from "./table.ts";

const SOCKETS = 32;
/** Requests per second of one socket. A faster socket is closed during a round, at 600 queued frames. */
const A_SECOND = 90;
const SECONDS = 5;
const EACH_MS = 5;

type Someone = Data["people"][number];
const cookieOf = ({ session }: Someone) => `__Host-svc_session=${session}; __Host-svc_csrf=${csrfTokenOf(session)}`;

interface Measured {
  times: number[];
  cpu: number[];
}
const percentile = (times: readonly number[], percent: number) =>
  times.toSorted((one, other) => one - other)[Math.floor(((times.length - 1) * percent) / 100)] as number;

async function timesOfMe(port: number, person: Someone, seconds: number): Promise<number[]> {
  const times: number[] = [];
  for (const end = performance.now() + seconds * 1000; performance.now() < end; await sleep(EACH_MS)) {
    const began = performance.now();
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/me`, { headers: { cookie: cookieOf(person) } });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`GET /me answered ${answer.status}`);
    times.push(performance.now() - began);
  }
  return times;
}

interface Flooded {
  closed: number;
  opened?: number;
}
async function flooded(flood: Flood, work: () => Promise<void>): Promise<Flooded> {
  const sockets = forkScript("state-sockets.ts");
  // The flood shares the machine with the service only here, so it yields the processor.
  setPriority(sockets.pid as number, 19);
  sockets.send(flood);
  await nextMessage(sockets);
  const [done] = await Promise.all([nextMessage<Flooded>(sockets), work()]);
  if (done.closed > 0) throw new Error(`${done.closed} sockets were closed: nothing was measured`);
  return done;
}

async function writeText(port: number, { session }: Someone, documentId: string) {
  const headers = { cookie: cookieOf({ session } as Someone), "x-csrf-token": csrfTokenOf(session) };
  const paragraph = "A paragraph with **bold** words and a [link](https://svc.example/page) in it.";
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/documents/${documentId}/markdown`, {
    method: "PUT",
    headers: { ...headers, "content-type": "application/json", "if-match": "*" },
    body: JSON.stringify({ markdown: `${paragraph}\n\n`.repeat(1500).trim() }),
  });
  if (!answer.ok) throw new Error(`PUT answered ${answer.status}`);
}

export const measureSocketFairness = (rounds: number): Promise<void> =>
  withOwnDatabase(async ({ directory, url, client }) => {
    const [theirs, ours] = [await fill(url, [1], "THE"), await fill(url, [1], "OUR")];
    const documentIds = (await fillDocuments(client, theirs, SOCKETS)).ids;
    const { port, pid } = await startService(url, { ROLES: "api", DATA_DIR: join(directory, "service") });
    const [attacker, reader] = [theirs.people[0] as Someone, ours.people[0] as Someone];
    for (const documentId of documentIds) await writeText(port, attacker, documentId);
    await timesOfMe(port, reader, 2);
    const flood = { port, session: attacker.session, documentIds, sockets: SOCKETS, seconds: SECONDS + 1 };
    const [alone, requesting, reconnecting] = [1, 2, 3].map((): Measured => ({ times: [], cpu: [] })) as [
      Measured,
      Measured,
      Measured,
    ];
    let opened = 0;
    const measure = async ({ times, cpu }: Measured) => {
      const before = cpuOf(pid);
      times.push(...(await timesOfMe(port, reader, SECONDS)));
      cpu.push((100 * (cpuOf(pid) - before)) / SECONDS);
    };
    for (let round = 0; round < rounds; round++) {
      await measure(alone);
      await flooded({ ...flood, aSecond: A_SECOND }, () => measure(requesting));
      const done = await flooded({ ...flood, aSecond: null }, () => measure(reconnecting));
      opened += done.opened ?? 0;
    }
    const row = (name: string, beside: Measured, percent: number) => {
      const [one, other] = [percentile(alone.times, percent), percentile(beside.times, percent)];
      return [`${name}, p${percent}`, one.toFixed(1), other.toFixed(1), (other / one).toFixed(2)];
    };
    const rows = [50, 99].flatMap((percent) => [
      row("requesting the state", requesting, percent),
      row("reconnecting", reconnecting, percent),
    ]);
    printColumns(["GET /me beside 32 sockets", "alone ms", "beside ms", "ratio"], rows);
    const all = [alone, requesting, reconnecting];
    const [one, two, three] = all.map(({ cpu }) => median(cpu).toFixed(0));
    console.log(
      `  ${Math.min(...all.map(({ times }) => times.length))} requests each; texts were opened ${opened} times.`,
    );
    console.log(
      `  CPU of the service: ${one} % alone, ${two} % beside requests, ${three} % beside reconnecting sockets.`,
    );
  });
