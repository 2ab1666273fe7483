// npm run bench -- --only ideal: compares the service with tables made for nothing else (ideal-server.ts), in a
// database of their own on the same PostgreSQL, including the bytes that each write adds to the write-ahead log and the
// index entries. 10,000 Tasks in one Project, 16 connections.
import type { ChildProcess } from "node:child_process";
import pg from "pg";
import { indexSearch } from "../server/src/knowledge/search/jobs.ts";
import { openDatabase } from "../server/src/platform/database/db.ts";
import { sha256 } from "../server/src/platform/wire/ids.ts";
import type { Data } from "./data.ts";
import { TABLES } from "./ideal-server.ts";
import type { Scenario } from "./load.ts";
import { forkScript, nextMessage } from "./processes.ts";
import { cpu, type Measured, median, printColumns } from "./table.ts";

export interface Ideal {
  child: ChildProcess;
  port: number;
}
/** Among 100 Tasks, 20 contain the first word, one the second; three Tasks in total contain the third. */
const words = { common: "gearbox", medium: "flywheel", rare: "escapement" };
const WORDED = `
update tasks set title = title || case when number % 5 = 0 then ' ${words.common}' else '' end
  || case when number % 100 = 0 then ' ${words.medium}' else '' end || case
    when number in (17, 471, 900) then ' ${words.rare}' else '' end
where number % 5 = 0 or number in (17, 471)`;

/** Fills it with the data of the service. */
export async function startIdeal(databaseUrl: string, client: pg.Client, data: Data): Promise<Ideal> {
  await client.query(WORDED);
  // The Tasks were created without events.
  await client.query("select index_search_of(array(select (workspace_id, id)::search_source from tasks), '{}')");
  await settleSearch(databaseUrl);
  await client.query("create extension if not exists pg_walinspect");
  await client.query("create database ideal");
  const url = new URL(databaseUrl);
  url.pathname = "/ideal";
  const ideal = new pg.Client(url.href);
  await ideal.connect();
  await ideal.query("create sequence numbers");
  await ideal.query(TABLES);
  const { rows } = await client.query(
    `select id, project_id, number, title, description_markdown, status_id, created_by_actor_id from tasks
      where workspace_id = $1`,
    [data.workspaceId],
  );
  const column = (name: string) => rows.map((row) => row[name]);
  await ideal.query(
    `insert into tasks (id, project_id, number, title, description, status_id, created_by)
     select * from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::text[], $5::text[], $6::uuid[], $7::uuid[])`,
    [
      ...["id", "project_id", "number", "title", "description_markdown", "status_id", "created_by_actor_id"].map(
        column,
      ),
    ],
  );
  await ideal.query("select setval('numbers', 1000000)");
  await ideal.query("insert into sessions select * from unnest($1::bytea[], $2::uuid[])", [
    data.people.map(({ session }) => sha256(session)),
    data.people.map(({ actorId }) => actorId),
  ]);
  await ideal.query("vacuum analyze");
  await ideal.end();
  const child = forkScript("ideal-server.ts", { DATABASE_URL: url.href, STATUS_ID: data.statusId });
  return { child, port: await nextMessage<number>(child) };
}

/** Indexes changed Tasks as the worker does: a search scans unindexed ones each time. */
async function settleSearch(databaseUrl: string) {
  const database = openDatabase(databaseUrl, 2);
  await indexSearch(database);
  await database.end();
}

interface Line {
  name: string;
  scenario: Scenario;
  on: Data;
  writes: boolean;
}
const WARM_ROUNDS = 3;
const WARM_SECONDS = 2;
type Measure = (side: "service" | "ideal", scenario: Scenario, on: Data, seconds: number) => Promise<Measured>;

/** Write-ahead log since `from`: bytes without full-page images, and B-tree entries. */
async function logged(client: pg.Client, from: string): Promise<{ bytes: number; entries: number }> {
  const { rows } = await client.query(
    `select coalesce(sum(record_size), 0)::float8 as bytes,
     coalesce(sum(count) filter (where "resource_manager/record_type" ~ '^Btree/INSERT'), 0)::float8 as entries
     from pg_get_wal_stats($1, pg_current_wal_insert_lsn(), true)`,
    [from],
  );
  return rows[0];
}
const position = async (client: pg.Client) =>
  (await client.query("select pg_current_wal_insert_lsn() as lsn")).rows[0].lsn as string;

export async function measureIdeal(
  databaseUrl: string,
  client: pg.Client,
  data: Data,
  measure: Measure,
  seconds: number,
  rounds: number,
) {
  const one = { ...data, projectIds: data.projectIds.slice(0, 1) };
  const search = (word: string): Data => ({
    ...data,
    paths: [`/workspaces/${data.workspaceId}/search?q=${word}&limit=50`],
  });
  const lines: Line[] = [
    { name: "read a Task", scenario: "read a Task", on: data, writes: false },
    { name: "list of 50", scenario: "list 50 of a Project", on: data, writes: false },
    ...Object.entries(words).map(
      ([name, word]): Line => ({
        name: `search, ${name} word`,
        scenario: "read paths",
        on: search(word),
        writes: false,
      }),
    ),
    { name: "create, 1 Project", scenario: "create a Task", on: one, writes: true },
    { name: "create, 16 Projects", scenario: "create a Task", on: data, writes: true },
    { name: "update a Task", scenario: "update a Task", on: data, writes: true },
    { name: "comment", scenario: "add a comment", on: data, writes: true },
  ];
  // Long enough to compile the code of both: the service has more of it.
  for (let round = 0; round < WARM_ROUNDS; round++)
    for (const side of ["service", "ideal"] as const)
      for (const { scenario, on } of lines) await measure(side, scenario, on, WARM_SECONDS);
  await settleSearch(databaseUrl);
  await client.query("vacuum analyze");
  await client.query("checkpoint");
  const table: string[][] = [];
  for (const { name, scenario, on, writes } of lines) {
    const found = { service: [] as Measured[], ideal: [] as Measured[] };
    const log = { service: { bytes: 0, entries: 0, n: 0 }, ideal: { bytes: 0, entries: 0, n: 0 } };
    for (let round = 0; round <= rounds; round++)
      for (const side of round % 2 === 0 ? (["ideal", "service"] as const) : (["service", "ideal"] as const)) {
        const from = await position(client);
        const measured = await measure(side, scenario, on, seconds);
        // The first round has cold caches.
        if (round === 0) continue;
        found[side].push(measured);
        if (!writes) continue;
        const { bytes, entries } = await logged(client, from);
        log[side].bytes += bytes;
        log[side].entries += entries;
        log[side].n += measured.requests;
      }
    const of = (side: Measured[], pick: (one: Measured) => number) => median(side.map(pick));
    const ratio = median(found.service.map((mine, round) => cpu(mine) / cpu(found.ideal[round] as Measured)));
    const each = ({ bytes, entries, n }: (typeof log)["service"]) =>
      writes ? [(bytes / n).toFixed(0), (entries / n).toFixed(1)] : ["", ""];
    table.push([
      name,
      of(found.service, (mine) => mine.perSecond).toFixed(0),
      of(found.ideal, (mine) => mine.perSecond).toFixed(0),
      `${of(found.service, cpu).toFixed(2)} ` +
        `(${of(found.service, (mine) => mine.serverMs).toFixed(2)}+${of(found.service, (mine) => mine.databaseMs).toFixed(2)})`,
      `${of(found.ideal, cpu).toFixed(2)} ` +
        `(${of(found.ideal, (mine) => mine.serverMs).toFixed(2)}+${of(found.ideal, (mine) => mine.databaseMs).toFixed(2)})`,
      ratio.toFixed(2),
      ...each(log.service),
      ...each(log.ideal),
    ]);
  }
  printColumns(
    ["", "req/s", "ideal", "CPU ms (server+db)", "ideal", "times", "WAL bytes", "entries", "ideal WAL", "entries"],
    table,
  );
}
