// The co-editing storm: people type in some texts over two server processes while servers, their connections and the database itself are killed. After each fault,
// before anybody comes back, what is stored has every acknowledged word; when all are back, every editor, what is stored and whoever comes new agree.
// Bounded in count and time. It kills only the servers that it starts, connections to its own database, and the database where it is told how.
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { migrate } from "../../server/src/database/migrate.ts";
import { csrfTokenOf } from "../../server/src/wire/ids.ts";
import { until } from "../../server/test/editing.ts";
import { type Data, fill } from "../data.ts";
import { fillDocuments } from "../documents-data.ts";
import { type Verdict, violations } from "./check.ts";
import { Server } from "./killable.ts";
import { randomOf } from "./random.ts";
import type { Bug, Outcome } from "./storm.ts";
import { Typist } from "./typist.ts";

export interface CoEditing {
  databaseUrl: string;
  /** Kills the database, which starts again by itself. */
  killDatabase?: () => Promise<void>;
  seed: number;
  faults: number;
  /** Every other one is a Document, and every other one the description of a Task. */
  texts: number;
  /** In each of them; every other one at the second server. */
  editors: number;
  limitMs: number;
  /** A planted bug instead of the service as it is. */
  bug?: Bug;
  progress?: (faults: number, cut: number) => void;
}
type Fault = "one server" | "the other server" | "connections" | "both servers" | "database";

/** People type so long before something is killed. */
const [LEAST_MS, MOST_MS] = [300, 1200];
/** Until everybody is back and agrees. */
const PATIENCE_MS = 60_000;
const CUT = `select pg_terminate_backend(pid) from pg_stat_activity
where datname = current_database() and pid <> pg_backend_pid() and application_name like 'svc-%'`;

interface Room {
  path: string;
  typists: Typist[];
}

export async function coEditing(options: CoEditing): Promise<Outcome> {
  const began = performance.now();
  const { databaseUrl, bug, seed } = options;
  const directory = mkdtempSync(join(tmpdir(), "svc-chaos-"));
  chmodSync(directory, 0o711);
  const { PATH = "", NODE_COMPILE_CACHE } = process.env;
  const env = {
    ...{ PATH, DATABASE_URL: databaseUrl, DATA_DIR: join(directory, "data"), PORT: "0", ROLES: "api" },
    ...{ RATE_LIMITS: "off", LOG_LEVEL: "fatal", ...(NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {}) },
  };
  const program = bug === undefined ? ["server/src/main.ts"] : ["bench/chaos/planted.ts", bug];
  const servers = [new Server(program, env), new Server(program, env)] as const;
  const found = Object.fromEntries(violations.map((name) => [name, []])) as unknown as Verdict["found"];
  const [broken, back]: [string[], number[]] = [[], []];
  let [faults, rooms]: [number, Room[]] = [0, []];
  const typists = () => rooms.flatMap((room) => room.typists);
  const random = randomOf(seed, "co-editing");
  const kinds: Fault[] = ["one server", "connections", "the other server", "both servers"];
  if (options.killDatabase) kinds.splice(2, 0, "database");
  try {
    await migrate(databaseUrl);
    const data = await fill(databaseUrl, [options.texts], "CO");
    const reader = data.people[0] as Data["people"][number];
    // One after the other: the first makes the keys.
    for (const server of servers) await server.start();
    rooms = await furnish(data, servers, options);
    await until("everybody is in their text", () => typists().every(({ settled }) => settled), PATIENCE_MS);
    for (; faults < options.faults && performance.now() - began < options.limitMs; faults++) {
      const kind = kinds[faults % kinds.length] as Fault;
      for (const typist of typists()) typist.begin();
      await sleep(LEAST_MS + random() * (MOST_MS - LEAST_MS));
      for (const typist of typists()) typist.hold(true);
      await strike(kind, servers, options);
      await Promise.all(typists().map((typist) => typist.pause()));
      const since = performance.now();
      await Promise.all(servers.map((server) => server.port ?? server.start()));
      await until("the servers are ready", () => isReady(servers), PATIENCE_MS);
      back.push(performance.now() - since);
      for (const room of rooms) {
        // Before it is read: what is acknowledged meanwhile need not be in the answer.
        const sure = acknowledged(room);
        const lost = wordsMissing(sure, await read(servers[0], room, reader));
        found["acknowledged writes lost"].push(...lost.map((word) => `${word} after a kill of ${kind}`));
      }
      for (const typist of typists()) typist.hold(false);
      for (const room of rooms)
        found["rows that do not match"].push(
          ...(await differences(room, servers, reader)).map((what) => `${what} after a kill of ${kind}`),
        );
      options.progress?.(faults + 1, 0);
    }
  } catch (error) {
    broken.push((error as Error).message);
  } finally {
    await Promise.all(typists().map((typist) => typist.end()));
    await Promise.all(servers.map((server) => server.kill()));
    rmSync(directory, { recursive: true, force: true });
  }
  const sum = (of: (typist: Typist) => number) => typists().reduce((total, typist) => total + of(typist), 0);
  const counts = {
    "words typed": sum(({ typed }) => typed),
    "  acknowledged": sum(({ sure }) => sure.length),
    "  editors that came back": sum(({ comebacks }) => comebacks),
  };
  const proves = counts["  acknowledged"] > 0 && counts["  editors that came back"] > 0;
  return {
    ...{ counts, found, broken, back, faults, directory, cut: 0, killsDuringStart: 0, seen: {} },
    ended: servers.flatMap((server) => server.ended),
    enough: faults >= options.faults && proves,
    seconds: (performance.now() - began) / 1000,
  };
}

async function strike(kind: Fault, [first, second]: readonly [Server, Server], options: CoEditing): Promise<void> {
  if (kind === "one server") return first.kill();
  if (kind === "the other server") return second.kill();
  if (kind === "both servers") return void (await Promise.all([first.kill(), second.kill()]));
  if (kind === "database") return options.killDatabase?.();
  const client = new pg.Client(options.databaseUrl);
  await client.connect();
  await client.query(CUT).finally(() => client.end());
}

const headersOf = ({ session }: Data["people"][number]) => {
  const token = csrfTokenOf(session);
  return { cookie: `__Host-svc_session=${session}; __Host-svc_csrf=${token}`, "x-csrf-token": token };
};
/** Each text with a paragraph for everybody who writes in it, and everybody at their server, or at the other one where that is away. */
async function furnish(data: Data, servers: readonly [Server, Server], options: CoEditing): Promise<Room[]> {
  const client = new pg.Client(options.databaseUrl);
  await client.connect();
  const { ids } = await fillDocuments(client, data, options.texts).finally(() => client.end());
  const paragraphs = Array.from({ length: options.editors }, (_, at) => `Paragraph ${at}`).join("\n\n");
  const rooms: Room[] = [];
  for (let text = 0; text < options.texts; text++) {
    const inDocument = text % 2 === 0;
    const path = inDocument ? `/documents/${ids[text]}` : `/tasks/${data.taskIds[text]}`;
    const response = await fetch(`http://127.0.0.1:${servers[0].port}/api/v1${path}${inDocument ? "/markdown" : ""}`, {
      method: inDocument ? "PUT" : "PATCH",
      headers: {
        ...headersOf(data.people[0] as Data["people"][number]),
        ...{ "content-type": "application/json", "if-match": '"1"' },
      },
      body: JSON.stringify(inDocument ? { markdown: paragraphs } : { description_markdown: paragraphs }),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status} ${await response.text()}`);
    const typists = Array.from({ length: options.editors }, (_, at) => {
      const own = at % 2;
      return new Typist({
        ...{ path, block: at, name: `t${text}e${at}`, random: randomOf(options.seed, `${text} ${at}`) },
        headers: headersOf(data.people[at % data.people.length] as Data["people"][number]),
        port: () => servers[own as 0 | 1].port ?? servers[(1 - own) as 0 | 1].port,
      });
    });
    rooms.push({ path, typists });
  }
  return rooms;
}

async function isReady(servers: readonly Server[]): Promise<boolean> {
  const asked = servers.map(({ port }) =>
    fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(5000) }),
  );
  return (await Promise.allSettled(asked)).every((one) => one.status === "fulfilled" && one.value.status === 200);
}

/** As somebody reads it who does not edit: paragraphs. Asked again where the server says to come again. */
async function read({ port }: Server, { path }: Room, person: Data["people"][number]): Promise<string[]> {
  const field = path.startsWith("/documents") ? "markdown" : "description_markdown";
  const url = `http://127.0.0.1:${port}/api/v1${path}${field === "markdown" ? "/markdown" : ""}`;
  for (let attempts = 1; ; attempts++) {
    const response = await fetch(url, { headers: headersOf(person), signal: AbortSignal.timeout(12_000) });
    const body = (await response.json()) as Record<string, string>;
    if (response.ok) return (body[field] as string).trim().split(/\n+/);
    if (response.status !== 503 || attempts === 10) throw new Error(`${path} answered ${response.status}`);
    await sleep(500);
  }
}

/** The words of each paragraph that are acknowledged by now. */
const acknowledged = ({ typists }: Room) => typists.map(({ sure, desk: { block } }) => ({ block, sure: [...sure] }));

/** Acknowledged words that are not there once. */
function wordsMissing(of: ReturnType<typeof acknowledged>, paragraphs: string[]): string[] {
  return of.flatMap(({ block, sure }) => {
    const words = Map.groupBy((paragraphs[block] ?? "").split(" "), (word) => word);
    return sure.filter((word) => words.get(word)?.length !== 1);
  });
}

/** Once everybody is back: what does not agree. */
async function differences(room: Room, servers: readonly [Server, Server], person: Data["people"][number]) {
  const { path, typists } = room;
  const [first] = typists as [Typist];
  const agree = () => typists.every(({ settled, text }) => settled && text === first.text);
  const late = await until("all agree", agree, PATIENCE_MS).catch(() => `the editors of ${path} do not agree`);
  if (late) return [late];
  const text = first.text.split("\n");
  const found: string[] = [];
  for (const server of servers) {
    const stored = await read(server, room, person);
    if (stored.join("\n") !== text.join("\n")) found.push(`${path} as it is stored differs from what its editors have`);
  }
  const guest = new Typist({ ...first.desk, name: "guest" });
  await until("somebody new is let in", () => guest.settled, PATIENCE_MS).catch(() => {});
  if (guest.text !== first.text) found.push(`${path} as somebody new is given it differs from what its editors have`);
  await guest.end();
  found.push(...wordsMissing(acknowledged(room), text).map((word) => `${word} is not there once`));
  return found;
}
