// npm run bench -- --only documents [--what reading|writing|children|options|editing|opening|sync]: the cost of
// Documents. Content reads compared with the bare limit, Markdown writes with the longest stall of the service's event
// loop, children and the mention picker with many Documents. Collaborative editing and Git synchronisation have files
// and databases of their own (editing.ts, sync.ts).
import type pg from "pg";
import type { Data } from "./data.ts";
import { fillDocuments, markdownOf } from "./documents-data.ts";
import { type Measured, median, printColumns, printTable } from "./table.ts";
import type { Drive } from "./tasks.ts";
import { fillTasks } from "./tasks-data.ts";

const USUAL = 20_000;
const LONGEST = 262_144;
const [FEW, MANY, TASKS] = [10, 10_000, 100_000];
const SECONDS = 0.7;
const WARM_SECONDS = 3;
/** Duration of measurements whose p99 is compared with a bound. */
const LONG_SECONDS = 8;

export interface Bench {
  client: pg.Client;
  databaseUrl: string;
  data: Data;
  service: Drive;
  bare: Drive;
  /** Longest stall of the service's event loop since the last call, in ms, overstated by at most 10 ms. */
  longestStall(): Promise<number>;
  rounds: number;
}
const parts = { reading, writing, children, options };

export async function measureDocuments(bench: Bench, what: string): Promise<void> {
  for (const [name, part] of Object.entries(parts)) if (name.includes(what)) await part(bench);
}

/** Writes through the service, so that all stored forms are its own. */
async function written({ service, data, client }: Bench, characters: number, count: number): Promise<string[]> {
  const { ids } = await fillDocuments(client, data, count);
  const writing = { ids, markdown: markdownOf(characters) };
  // Each connection reads its revision and writes once.
  await service("write Markdown", { ...data, writing }, count, 120, 2 * count);
  return ids;
}

async function reading(bench: Bench) {
  const { service, bare, data, rounds } = bench;
  const ids = await written(bench, USUAL, 16);
  const lines = [];
  for (const form of ["content", "markdown"]) {
    const on = { ...data, paths: ids.map((id) => `/documents/${id}/${form}`) };
    for (const drive of [service, bare, service, bare]) await drive("read paths", on, 16, WARM_SECONDS);
    for (const connections of [1, 16]) {
      const found = { service: [] as Measured[], bare: [] as Measured[] };
      for (let round = 0; round < rounds; round++)
        for (const side of round % 2 === 0 ? (["bare", "service"] as const) : (["service", "bare"] as const))
          found[side].push(await (side === "bare" ? bare : service)("read paths", on, connections, SECONDS));
      lines.push({ scenario: `read ${form} of 20 kB`, connections, ...found });
    }
  }
  printTable(lines);
}

async function writing(bench: Bench) {
  const { service, data, client, longestStall } = bench;
  const rows: string[][] = [];
  for (const [characters, connections] of [
    [USUAL, 1],
    [USUAL, 16],
    [LONGEST, 1],
    [LONGEST, 4],
  ] as const) {
    const { ids } = await fillDocuments(client, data, connections);
    const on = { ...data, writing: { ids, markdown: markdownOf(characters) } };
    await service("write Markdown", on, connections, WARM_SECONDS);
    await longestStall();
    const found = await service("write Markdown", on, connections, LONG_SECONDS);
    rows.push([
      `PUT Markdown of ${characters.toLocaleString("en")} characters`,
      String(connections),
      found.perSecond.toFixed(1),
      found.p50.toFixed(1),
      found.p99.toFixed(1),
      `${found.serverMs.toFixed(1)}+${found.databaseMs.toFixed(1)}`,
      (await longestStall()).toFixed(0),
    ]);
    // Reads of the written content under concurrent requests.
    await service("read paths", { ...data, paths: ids.map((id) => `/documents/${id}/content`) }, connections, 1);
    rows.push([
      `GET content of ${characters.toLocaleString("en")} characters`,
      ...[String(connections), "", "", "", "", (await longestStall()).toFixed(0)],
    ]);
  }
  printColumns(["", "conn", "req/s", "p50 ms", "p99 ms", "CPU ms (server+db)", "longest stall ms"], rows);
}

async function children({ service, data, client, rounds }: Bench) {
  const [few, many] = [await fillDocuments(client, data, FEW), await fillDocuments(client, data, MANY)];
  await client.query("vacuum analyze documents");
  const of = ({ parentId }: typeof few) => ({ ...data, paths: [`/documents/${parentId}/children?limit=${FEW}`] });
  const found = { few: [] as Measured[], many: [] as Measured[] };
  for (const on of [few, many]) await service("read paths", of(on), 16, WARM_SECONDS);
  for (let round = 0; round < rounds; round++) {
    found.few.push(await service("read paths", of(few), 1, SECONDS));
    found.many.push(await service("read paths", of(many), 1, SECONDS));
  }
  const middle = (side: Measured[], pick: (one: Measured) => number) => median(side.map(pick));
  const p50 = (side: Measured[]) => middle(side, (one) => one.p50);
  const times = median(found.many.map((one, round) => one.p50 / (found.few[round] as Measured).p50));
  console.log(
    `A page of ${FEW} children takes ${p50(found.few).toFixed(2)} ms where there are ${FEW}, ` +
      `and ${p50(found.many).toFixed(2)} ms where there are ${MANY.toLocaleString("en")}: ` +
      `${times.toFixed(2)} times (1.5 at most).`,
  );
}

async function options({ service, databaseUrl, client }: Bench) {
  const [filled] = await fillTasks(databaseUrl, [TASKS]);
  if (!filled) throw new Error("nothing was filled");
  await fillDocuments(client, filled.data, MANY);
  await client.query("vacuum analyze");
  const { words, task } = filled;
  const typed: Record<string, string> = {
    nothing: "",
    "one letter": "h",
    "beginning of a word": "harb",
    "a word of Documents": "harbour",
    "two words": "harbour lantern",
    "a rare word of Tasks": words.rare,
    "a word of many Tasks": words.dense,
    "a code": task.code,
    "beginning of a code": task.code.slice(0, -1),
  };
  const rows: string[][] = [];
  for (const [at, caller] of ["owner", "member"].entries())
    for (const [name, q] of Object.entries(typed)) {
      const query = q === "" ? "" : `?q=${encodeURIComponent(q)}`;
      const people = filled.data.people.slice(at, at + 1);
      const on = {
        ...filled.data,
        people,
        paths: [`/workspaces/${filled.data.workspaceId}/reference-options${query}`],
      };
      await service("read paths", on, 1, 0.5);
      const found = await service("read paths", on, 1, LONG_SECONDS / 2);
      rows.push([`${name}, ${caller}`, found.p50.toFixed(1), found.p99.toFixed(1), found.trips.toFixed(1)]);
    }
  console.log("The mention picker, 100,000 Tasks and 10,000 Documents, one connection (p99 below 20 ms):");
  printColumns(["", "p50 ms", "p99 ms", "trips"], rows);
}
