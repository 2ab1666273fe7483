// npm run bench:rls: cost of row-level security. The same service on the same database, with the policies switched on
// and off in turns; CPU time of server and database per request.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { startEmbedded } from "../server/src/platform/database/embedded/postgres.ts";
import { migrate } from "../server/src/platform/database/start/migrations.ts";
import { fill } from "./data.ts";
import type { LoadResult, Scenario } from "./load.ts";
import { cpuOf, cpuOfTree, endAll, forkScript, nextMessage, startService } from "./processes.ts";

const ROUNDS = 9;
const SECONDS = 2;
const { values } = parseArgs({ options: { only: { type: "string", default: "a" } } });
const all: Scenario[] = ["read a Task", "list 50 of a Project", "create a Task", "update a Task"];
const wanted = all.filter((scenario) => scenario.includes(values.only));

const directory = mkdtempSync(join(tmpdir(), "svc-bench-"));
const database = await startEmbedded(directory);
try {
  await migrate(database.url);
  const data = await fill(database.url, [20_000], "BIG");
  const client = new pg.Client(database.url);
  await client.connect();
  await client.query("vacuum analyze");
  const postmaster = Number(
    String((await client.query("select pg_read_file('postmaster.pid') as text")).rows[0].text).split("\n")[0],
  );
  const tables = (await client.query("select polrelid::regclass::text as name from pg_policy where polname = 'tenant'"))
    .rows;
  const service = await startService(database.url, {});
  const load = forkScript("load.ts");
  const measure = async (scenario: Scenario) => {
    const before = cpuOf(service.pid) + cpuOfTree(postmaster);
    load.send({ scenario, port: service.port, data, connections: 16, seconds: SECONDS });
    const { requests } = await nextMessage<LoadResult>(load);
    return ((cpuOf(service.pid) + cpuOfTree(postmaster) - before) * 1000) / requests;
  };
  const found = new Map(wanted.map((scenario) => [scenario, { enable: [] as number[], disable: [] as number[] }]));
  for (const scenario of wanted) await measure(scenario);
  for (let round = 0; round < ROUNDS; round++) {
    for (const mode of round % 2 ? (["enable", "disable"] as const) : (["disable", "enable"] as const)) {
      for (const { name } of tables) await client.query(`alter table ${name} ${mode} row level security`);
      for (const scenario of wanted) found.get(scenario)?.[mode].push(await measure(scenario));
    }
  }
  for (const [scenario, { enable, disable }] of found) {
    const [on, off] = [enable, disable].map((list) => list.sort((a, b) => a - b)[list.length >> 1] as number) as [
      number,
      number,
    ];
    console.log(
      `${scenario.padEnd(22)} on ${on.toFixed(3)} ms  off ${off.toFixed(3)} ms  cost ` +
        `${((on / off - 1) * 100).toFixed(1)} %`,
    );
  }
  await client.end();
} finally {
  await endAll();
  await database.stop();
  rmSync(directory, { recursive: true, force: true });
}
