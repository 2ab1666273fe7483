// Texts that several people edit together, each in their own paragraph, and the comparison of their copies with the
// stored text.
import { setTimeout as sleep } from "node:timers/promises";
import { MOST_MARKDOWN } from "@svc/contract/types.ts";
import pg from "pg";
import { until } from "../../server/test/editing.ts";
import type { Data } from "../data.ts";
import { fillDocuments } from "../documents-data.ts";
import { explainDivergence } from "./divergence.ts";
import type { Server } from "./killable.ts";
import { randomOf } from "./random.ts";
import { headersOf, type Site } from "./site.ts";
import { FORMATTED, type Room, Typist } from "./typist.ts";

/** Deadline for the editors of a text to reconnect and converge. */
export const CONVERGE_MS = 60_000;
const READ_ON_MS = 5000;

export interface Furniture {
  databaseUrl: string;
  seed: number;
  /** Number of texts; every second one is a Document, the others are descriptions of Tasks. */
  texts: number;
  /** Editors per text; every second one at the second server. */
  editors: number;
  /**
   * Characters left in the first two texts, a Document and a Task, so that they reach their limit; default unlimited.
   */
  room?: number;
  /** Mean pause between two words; see Desk. */
  pauseMs?: number;
}
/** Writes a paragraph for each editor into each text, and opens the texts. */
export async function furnish(data: Data, site: Site, options: Furniture): Promise<Room[]> {
  const client = new pg.Client(options.databaseUrl);
  await client.connect();
  const { ids } = await fillDocuments(client, data, options.texts).finally(() => client.end());
  const short = Array.from({ length: options.editors }, (_, at) => `${FORMATTED} ${at}`).join("\n\n");
  const long = "x".repeat(MOST_MARKDOWN - short.length - (options.room ?? 0)) + short;
  const rooms: Room[] = [];
  for (let text = 0; text < options.texts; text++) {
    const inDocument = text % 2 === 0;
    const paragraphs = text < 2 && options.room !== undefined ? long : short;
    const path = inDocument ? `/documents/${ids[text]}` : `/tasks/${data.taskIds[text]}`;
    await site.persist(data, async (_call, port) => {
      const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}${inDocument ? "/markdown" : ""}`, {
        method: inDocument ? "PUT" : "PATCH",
        headers: {
          ...headersOf(data.people[0] as Data["people"][number]),
          "content-type": "application/json",
          "if-match": '"1"',
        },
        body: JSON.stringify(inDocument ? { markdown: paragraphs } : { description_markdown: paragraphs }),
      });
      if (!response.ok) throw new Error(`${path} answered ${response.status} ${await response.text()}`);
    });
    const typists = Array.from(
      { length: options.editors },
      (_, at) =>
        new Typist({
          path,
          block: at,
          name: `t${text}e${at}`,
          random: randomOf(options.seed, `${text} ${at}`),
          headers: headersOf(data.people[at % data.people.length] as Data["people"][number]),
          port: () => site.portFor(at),
          formats: paragraphs === short,
          ...(options.pauseMs === undefined ? {} : { pauseMs: options.pauseMs }),
        }),
    );
    rooms.push({ path, typists });
  }
  const all = rooms.flatMap(({ typists }) => typists);
  await until("everybody is in their text", () => all.every(({ settled }) => settled), CONVERGE_MS);
  return rooms;
}

/** Backdates the last revision: a read creates no new one within 30 s of it, and a storm does not wait that long. */
async function ageRevisions(databaseUrl: string): Promise<void> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await client.query("update collaboration_texts set sealed_at = null").finally(() => client.end());
}

/** Acknowledged words that are not stored exactly once, read by a new editor before the others reconnect. */
export async function wordsLost(room: Room): Promise<string[]> {
  // Recorded before the read: the answer need not contain words acknowledged later.
  const sure = acknowledged(room);
  const guest = new Typist({ ...(room.typists[0] as Typist).desk, name: "guest" });
  await until("somebody new is let in", () => guest.settled, CONVERGE_MS);
  const missing = () => wordsMissing(sure, guest.text.split("\n"));
  // A server whose connections were killed reads the other server's updates within a second; a lost word never arrives.
  await until("every word is there", () => missing().length === 0, READ_ON_MS).catch(() => {});
  const lost = missing();
  await guest.end();
  return lost;
}

/**
 * Paragraphs without formatting, as a reader without an editor gets them. Retried while the server does not answer or
 * asks to retry.
 */
async function read({ port }: Server, { path }: Room, person: Data["people"][number]): Promise<string[]> {
  const field = path.startsWith("/documents") ? "markdown" : "description_markdown";
  const url = `http://127.0.0.1:${port}/api/v1${path}${field === "markdown" ? "/markdown" : ""}`;
  let told = "nothing";
  for (let attempts = 1; attempts <= 10; attempts++) {
    const response = await fetch(url, { headers: headersOf(person), signal: AbortSignal.timeout(12_000) }).catch(
      (error: Error) => error,
    );
    told = response instanceof Error ? response.message : String(response.status);
    if (response instanceof Response && response.ok)
      return (((await response.json()) as Record<string, string>)[field] as string)
        .replaceAll("**", "")
        .trim()
        .split(/\n+/);
    if (response instanceof Response && response.status !== 503) break;
    await sleep(500);
  }
  throw new Error(`${path} answered ${told}`);
}

/** Words of each paragraph that are acknowledged so far. */
const acknowledged = ({ typists }: Room) => typists.map(({ sure, desk: { block } }) => ({ block, sure: [...sure] }));

/** Acknowledged words that do not occur exactly once. */
function wordsMissing(of: ReturnType<typeof acknowledged>, paragraphs: string[]): string[] {
  return of.flatMap(({ block, sure }) => {
    const words = Map.groupBy((paragraphs[block] ?? "").split(" "), (word) => word);
    return sure.filter((word) => words.get(word)?.length !== 1);
  });
}

/**
 * Compares all editors, the text that each server returns, and a new editor's text, after everybody has reconnected.
 */
export async function differences(
  room: Room,
  site: Site,
  person: Data["people"][number],
  databaseUrl: string,
): Promise<string[]> {
  const { path, typists } = room;
  const [first] = typists as [Typist];
  const agree = () => {
    const { content } = first;
    return typists.every((typist) => typist.settled && typist.content === content);
  };
  const isLate = await until("all agree", agree, CONVERGE_MS).then(
    () => false,
    () => true,
  );
  if (isLate) return [await explainDivergence(room, databaseUrl)];
  // Reads last: until the editors converge, another write to the same Task may create a revision.
  await ageRevisions(databaseUrl);
  const text = first.text.split("\n");
  const found: string[] = [];
  for (const server of site.servers) {
    const stored = await read(server, room, person);
    if (stored.join("\n") !== text.join("\n")) found.push(`${path} as it is stored differs from what its editors have`);
  }
  const guest = new Typist({ ...first.desk, name: "guest" });
  await until("somebody new is let in", () => guest.settled, CONVERGE_MS).catch(() => {});
  if (guest.content !== first.content)
    found.push(`${path} as somebody new is given it differs from what its editors have`);
  await guest.end();
  found.push(...wordsMissing(acknowledged(room), text).map((word) => `${word} is not there once`));
  return found;
}

export function countWords(rooms: readonly Room[]) {
  const typists = rooms.flatMap((room) => room.typists);
  const sum = (of: (typist: Typist) => number) => typists.reduce((total, typist) => total + of(typist), 0);
  return {
    "words typed": sum(({ typed }) => typed),
    "  acknowledged": sum(({ sure }) => sure.length),
    "  editors that came back": sum(({ comebacks }) => comebacks),
  };
}
