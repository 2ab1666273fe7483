// npm run bench: compares the service with its bare limit, measured in the same run on the same database, as ratios.
// Starts everything that it needs on loopback and removes it afterwards. Bounded: five scenarios, three loads, a few
// seconds each.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { startEmbedded } from "../server/src/platform/database/embedded/postgres.ts";
import { migrate } from "../server/src/platform/database/start/migrations.ts";
import { measureBackground } from "./background.ts";
import { measureBackup } from "./backup.ts";
import { measureChanges } from "./changes.ts";
import { measureCommandLine } from "./command-line.ts";
import { type Data, fill } from "./data.ts";
import { measureDiscuss } from "./discuss.ts";
import { measureDocuments } from "./documents.ts";
import { measureEditing, measureOpening } from "./editing.ts";
import { measureFairness } from "./fairness.ts";
import { foreignDatabase } from "./foreign-database.ts";
import { measureIdeal, startIdeal } from "./ideal.ts";
import { measureIdentity } from "./identity.ts";
import { measureJournal } from "./journal.ts";
import { measureKnowledge } from "./knowledge.ts";
import { measureLifecycle } from "./lifecycle.ts";
import { type Job, type LoadResult, type Scenario, scenarios } from "./load.ts";
import { measureMcp } from "./mcp.ts";
import { measureNative } from "./native.ts";
import { measureParsing } from "./parse-attack.ts";
import {
  cpuOf,
  cpuOfTree,
  endAll,
  endOf,
  forkScript,
  nextMessage,
  postmasterOf,
  residentMegabytes,
  startService,
} from "./processes.ts";
import { measureProjects } from "./projects.ts";
import { measureReads } from "./reads.ts";
import { measureRealtime } from "./realtime.ts";
import { measureRestart } from "./restart.ts";
import { measureSizing } from "./sizing.ts";
import { measureSocketFairness } from "./socket-fairness.ts";
import { measureSync } from "./sync.ts";
import { type Measured, printGrowth, printTable } from "./table.ts";
import { type Drive, measureImport, measureTasks } from "./tasks.ts";
import { measureWebhooks } from "./webhooks.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "0.7" },
    tasks: { type: "string", default: "100000" },
    connections: { type: "string", default: "1,16,64" },
    only: { type: "string" },
    rounds: { type: "string", default: "12" },
    // Sizes of the Workspaces in which "tasks" measures; "backup" uses the last one.
    sizes: { type: "string", default: "1000,100000,1000000" },
    // Selects parts of "tasks", "documents" and "discuss".
    what: { type: "string", default: "" },
  },
});
const seconds = Number(values.seconds);
/** Duration of warm-up and of measurements that are not compared side by side. */
const LONG_SECONDS = 4;
const METRICS_PORT = 20_000 + (process.pid % 20_000);
/** Longest stall of the service's event loop. */
let stalledMs = 0;

interface Side {
  name: "service" | "bare" | "ideal";
  pid: number;
  port: number;
}

// These have databases of their own; "restart" kills its own.
if (!values.only || values.only === "restart") await measureRestart();
if (!values.only || values.only === "realtime") await measureRealtime(values.only ? values.what : "");
if (!values.only || values.only === "backup") await measureBackup(Number(values.sizes.split(",").at(-1)));
if (!values.only || values.only === "reads") await measureReads();
if (!values.only || values.only === "sizing") await measureSizing();
if (!values.only || values.only === "knowledge") await measureKnowledge();
if (!values.only || values.only === "discuss") await measureDiscuss(values.what);
if (!values.only || values.only === "webhooks") await measureWebhooks(Number(values.what) || undefined);
if (!values.only || values.only === "web") await endOf(forkScript("web.ts", { BENCH_WHAT: values.what }, "inherit"));
if (!values.only || values.only === "sockets") await measureSocketFairness(Math.min(5, Number(values.rounds)));
const documents = !values.only || values.only === "documents";
if (documents && "editing".includes(values.what)) await measureEditing();
if (documents && "opening".includes(values.what)) await measureOpening();
if (documents && "sync".includes(values.what)) await measureSync();
const apart = values.what !== "" && ["editing", "opening", "sync"].some((name) => name.includes(values.what));
if (
  ["restart", "reads", "realtime", "backup", "sizing", "knowledge", "discuss", "webhooks", "web", "sockets"].includes(
    values.only ?? "",
  ) ||
  (values.only === "documents" && apart)
) {
  await endAll();
  process.exit();
}

const directory = mkdtempSync(join(tmpdir(), "svc-bench-"));
const database = (await foreignDatabase()) ?? (await startEmbedded(directory));
try {
  await migrate(database.url);
  // "tasks" creates its own data, because it measures growing Workspaces.
  const total = values.only === "tasks" || values.only === "documents" ? 1000 : Number(values.tasks);
  const sizes =
    values.only === "ideal"
      ? [10_000, ...Array<number>(15).fill(10)]
      : [total * 0.91, ...Array<number>(9).fill(total * 0.01)];
  const loaded = sizes.reduce((sum, size) => sum + size);
  console.log(`Loading ${loaded.toLocaleString("en")} Tasks in one Workspace …`);
  const data = await fill(database.url, sizes, "BIG");
  const small = await fill(database.url, [1000], "SML");
  const client = new pg.Client(database.url);
  // The database ends this connection when something fails; the error would hide the cause.
  client.on("error", () => {});
  await client.connect();
  await client.query("vacuum analyze");
  await client.query("checkpoint");
  const postgresPid = await postmasterOf(client);

  const service: Side = {
    name: "service",
    // The worker is measured apart, after the requests: the bare limit has none.
    ...(await startService(database.url, { METRICS_PORT: String(METRICS_PORT), ROLES: "api" })),
  };
  const ideal = values.only === "ideal" ? await startIdeal(database.url, client, data) : null;
  const bareProcess = forkScript("bare.ts", { DATABASE_URL: database.url, BENCH_DATA: JSON.stringify(data) });
  const bare: Side = { name: "bare", pid: bareProcess.pid as number, port: await nextMessage<number>(bareProcess) };
  console.log(`The service idles at ${residentMegabytes(service.pid).toFixed(0)} MB.`);
  const load = forkScript("load.ts");

  async function measure(
    side: Side,
    scenario: Scenario,
    connections: number,
    on: Data,
    during = seconds,
    most?: number,
  ): Promise<Measured> {
    const job: Job = { scenario, port: side.port, data: on, connections, seconds: during, most };
    const before = { server: cpuOf(side.pid), database: cpuOfTree(postgresPid), trips: await trips(side) };
    load.send(job);
    const { fault, ...result } = await nextMessage<LoadResult>(load);
    if (result.faults > result.requests / 100)
      throw new Error(
        `${side.name}: ${result.faults} of ${result.requests} answers to "${scenario}" were faults, ` +
          `the first of them ${fault}`,
      );
    const ms = (from: number, to: number) => ((to - from) * 1000) / result.requests;
    return {
      ...result,
      perSecond: result.requests / result.seconds,
      serverMs: ms(before.server, cpuOf(side.pid)),
      databaseMs: ms(before.database, cpuOfTree(postgresPid)),
      trips: side.name === "service" ? ((await trips(side)) - before.trips) / result.requests : 0,
    };
  }

  if (ideal) {
    const side: Side = { name: "ideal", pid: ideal.child.pid as number, port: ideal.port };
    const driven = (name: "service" | "ideal", scenario: Scenario, on: Data, during: number) =>
      measure(name === "ideal" ? side : service, scenario, 16, on, during);
    await measureIdeal(database.url, client, data, driven, 2 * seconds, Number(values.rounds));
  }
  const rows = [];
  const wanted = scenarios.filter((scenario) => !values.only || scenario.includes(values.only));
  // Long enough to compile the code of both: the service has more of it.
  for (let round = 0; round < 3; round++)
    for (const side of [service, bare])
      for (const scenario of wanted) await measure(side, scenario, 16, data, LONG_SECONDS);
  // Otherwise the work that writes leave for autovacuum and the checkpointer would be charged to later scenarios.
  await client.query("vacuum analyze");
  await client.query("checkpoint");
  for (const scenario of wanted) {
    for (const connections of values.connections.split(",").map(Number)) {
      const found: Record<"service" | "bare", Measured[]> = { service: [], bare: [] };
      // In short turns, because the machine's speed changes: compared measurements ran side by side.
      for (let round = 0; round < Number(values.rounds); round++) {
        for (const side of round % 2 === 0 ? [bare, service] : [service, bare])
          found[side.name as "service" | "bare"].push(await measure(side, scenario, connections, data));
      }
      rows.push({ scenario, connections, service: found.service, bare: found.bare });
    }
  }
  if (rows.length > 0) printTable(rows);
  const worker = await startService(database.url, { ROLES: "worker" });
  if (rows.length > 0) await measureBackground(client, () => cpuOf(worker.pid) + cpuOfTree(postgresPid));
  if (!values.only) {
    const growth = { large: [] as Measured[], small: [] as Measured[] };
    for (let round = 0; round < Number(values.rounds); round++) {
      growth.small.push(await measure(service, "list 50 of a Project", 16, small));
      growth.large.push(await measure(service, "list 50 of a Project", 16, data));
    }
    printGrowth(growth.small, growth.large, total);
    await measureIdentity(database.url, service.port, data, load, () => trips(service));
  }
  if (!values.only || values.only === "fairness")
    await measureFairness(
      { port: service.port, idlePort: bare.port, cpu: () => cpuOf(service.pid) + cpuOfTree(postgresPid) },
      ...([data, small, load] as const),
      Math.min(5, Number(values.rounds)),
    );
  if (!values.only || values.only === "parsing")
    await measureParsing(service.port, client, data, small, Math.min(3, Number(values.rounds)));
  if (!values.only || values.only === "changes")
    await measureChanges(
      {
        port: service.port,
        cpu: () => cpuOf(service.pid) + cpuOfTree(postgresPid),
        trips: () => trips(service),
      },
      data,
      Math.min(5, Number(values.rounds)),
    );
  if (!values.only || values.only === "journal")
    await measureJournal(
      client,
      (scenario, connections, during) => measure(service, scenario, connections, data, during),
      seconds,
      Number(values.rounds),
    );
  const drive = (on: Data, during: number) => measure(service, "read paths", 16, on, during);
  await measureProjects(database.url, client, service.port, drive, values.only);
  const driving =
    (side: Side): Drive =>
    (scenario, on, connections, during, most) =>
      measure(side, scenario, connections, on, during, most);
  if (documents)
    await measureDocuments(
      {
        client,
        databaseUrl: database.url,
        data,
        longestStall,
        rounds: Number(values.rounds),
        service: driving(service),
        bare: driving(bare),
      },
      values.what,
    );
  if (!values.only || values.only === "tasks") {
    if ("import".includes(values.what)) await measureImport(driving(service), driving(bare), data);
    const sizes = values.sizes.split(",").map(Number);
    await measureTasks(database.url, service.port, driving(service), sizes, values.what);
  }
  if (!values.only || values.only === "native") await measureNative(client, service.port, data);
  if (!values.only || values.only === "mcp")
    await measureMcp(service.port, data, seconds, Math.min(7, Number(values.rounds)));
  if (!values.only || values.only === "command-line") await measureCommandLine(service.port, data);
  // Runs last, because it changes every Task.
  if (!values.only || values.only === "lifecycle") await measureLifecycle(service.port, data, load, LONG_SECONDS);
  await client.end();
} finally {
  await endAll();
  await database.stop();
  rmSync(directory, { recursive: true, force: true });
}

/** Reads the metrics. Each read resets the service's measurement of its event loop. */
async function metrics(): Promise<string> {
  const text = await (await fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`)).text();
  stalledMs = Math.max(stalledMs, 1000 * Number(/^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(text)?.[1]));
  return text;
}
async function longestStall(): Promise<number> {
  await metrics();
  const longest = stalledMs;
  stalledMs = 0;
  return longest;
}
async function trips(side: Side): Promise<number> {
  if (side.name !== "service") return 0;
  return [...(await metrics()).matchAll(/^svc_database_round_trips_total\{.*\} (\d+)/gm)].reduce(
    (sum, match) => sum + Number(match[1]),
    0,
  );
}
