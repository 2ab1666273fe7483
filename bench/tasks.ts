// Cost of daily work with Tasks as a Workspace grows: 1,000, 100,000 and 1,000,000 Tasks. Lists, My Work, search, a
// Task with all its parts, feeds, the command line's context and changes of 100 at once, at 1 and at 16 connections.
// The comparison is the time of the statement alone on a connection like the service's; for search also that of plain
// full text search.
import pg from "pg";
import { openDatabase, type Queries } from "../server/src/platform/database/db.ts";
import type { Data } from "./data.ts";
import type { Scenario } from "./load.ts";
import { cpu, type Measured, median, printColumns } from "./table.ts";
import { type FilledTasks, fillTasks } from "./tasks-data.ts";
import { type TaskScenario, taskScenarios } from "./tasks-scenarios.ts";

/** The sizes take turns, and the median counts, because the machine's speed varies. */
const ROUNDS = 3;
const SECONDS = 0.4;
/** The p99 of search is compared with a bound: some hundred requests, in one round. */
const SEARCH_SECONDS = 6;
/** Maximum time and number of runs of a statement alone. */
const TIMED = { ms: 500, times: 100 };
const BULK = "change 100 Tasks";
const IMPORTED = 10_000;

export type Drive = (
  scenario: Scenario,
  data: Data,
  connections: number,
  seconds: number,
  most?: number,
) => Promise<Measured>;

/** Median milliseconds of a statement alone. */
async function alone(ask: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  const until = performance.now() + TIMED.ms;
  while (times.length < TIMED.times && (times.length === 0 || performance.now() < until)) {
    const started = performance.now();
    await ask();
    times.push(performance.now() - started);
  }
  return median(times);
}

const CALLER = `select set_config('svc.workspace', $1::text, false), set_config('svc.actor', $2::text, false),
  set_config('svc.role', $3, false),
  set_config('svc.account', (select user_id::text from memberships
    where workspace_id = $1::uuid and actor_id = $2::uuid), false)`;
const asCaller = (tx: Queries, on: FilledTasks, { caller }: TaskScenario) =>
  tx.rows(CALLER, [on.data.workspaceId, on.data.people[caller === "owner" ? 0 : 1]?.actorId, caller]);

/** The obvious query: everything that contains the words, best match first. */
const PLAIN = `
select t.id, t.title from search_entries e join tasks t on t.workspace_id = e.workspace_id and t.id = e.task_id
where e.workspace_id = $1 and e.words @@ $2::tsquery and t.trashed_at is null
order by ts_rank(e.words, $2::tsquery) desc, e.id limit 51`;
/** The essential statements of a change of 100. */
const CHANGE = `
with changed as (
  update tasks set priority = case priority when 'low' then 'high' else 'low' end, revision = revision + 1,
    updated_at = now()
  where workspace_id = $1 and id = any($2) returning id, project_id)
insert into domain_events (workspace_id, id, type, activity, command_id, project_id, task_id, resource_kind,
  resource_id)
select $1, gen_random_uuid(), 'task.priority_changed', 'priority', gen_random_uuid(), project_id, id, 'task', id
from changed`;

/** Path of a later page, found by turning pages; the last page if there are fewer. */
async function turned(port: number, path: string, session: string, pages: number): Promise<string> {
  const headers = { cookie: `__Host-svc_session=${session}` };
  let found = path;
  for (let page = 0; page < pages; page++) {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1${found}`, { headers });
    if (!response.ok) throw new Error(`${found} answered ${response.status}`);
    const { next_cursor } = (await response.json()) as { next_cursor: string | null };
    if (next_cursor === null) break;
    found = `${path}&cursor=${encodeURIComponent(next_cursor)}`;
  }
  return found;
}

interface Cost {
  one: Measured;
  sixteen: Measured;
  /** Milliseconds of the statement alone, and of plain full text search. */
  bareMs?: number;
  plainMs?: number;
}
type Row = { name: string; costs: Cost[] };

/** The median of each figure over several rounds, and the highest p99. */
function typical(rounds: Cost[]): Cost {
  const middle = (of: Measured[]): Measured => {
    const pick = (field: keyof Measured) => median(of.map((one) => one[field]));
    const fields = Object.keys(of[0] as Measured) as (keyof Measured)[];
    const medians = Object.fromEntries(fields.map((field) => [field, pick(field)])) as unknown as Measured;
    return { ...medians, p99: Math.max(...of.map(({ p99 }) => p99)) };
  };
  const alone = (field: "bareMs" | "plainMs") => {
    const times = rounds.flatMap((round) => round[field] ?? []);
    return times.length > 0 ? median(times) : undefined;
  };
  return {
    one: middle(rounds.map(({ one }) => one)),
    sixteen: middle(rounds.map(({ sixteen }) => sixteen)),
    bareMs: alone("bareMs"),
    plainMs: alone("plainMs"),
  };
}

export async function measureTasks(
  databaseUrl: string,
  port: number,
  drive: Drive,
  sizes: readonly number[],
  only: string,
) {
  if (![BULK, ...taskScenarios.map(({ name }) => name)].some((name) => name.includes(only))) return;
  console.log(`Loading Workspaces with ${sizes.map((size) => size.toLocaleString("en")).join(", ")} Tasks …`);
  const places = await fillTasks(databaseUrl, sizes);
  const database = openDatabase(databaseUrl, 1);
  const client = new pg.Client(databaseUrl);
  client.on("error", () => {});
  await client.connect();
  await client.query("set enable_seqscan = off; set jit = off");

  async function costOf(scenario: Scenario, data: Data, many = 16, seconds = SECONDS): Promise<Cost> {
    await drive(scenario, data, 4, SECONDS / 4);
    return { one: await drive(scenario, data, 1, seconds), sixteen: await drive(scenario, data, many, SECONDS) };
  }
  async function read(scenario: TaskScenario, on: FilledTasks): Promise<Cost> {
    const at = scenario.caller === "owner" ? 0 : 1;
    const person = on.data.people[at] as Data["people"][number];
    const paths: string[] = [];
    for (const path of scenario.paths(on)) paths.push(await turned(port, path, person.session, scenario.page ?? 0));
    const data: Data = { ...on.data, people: [person], paths, token: scenario.token ? on.tokens[at] : undefined };
    const { bare, plain } = scenario;
    const seconds = plain === undefined ? SECONDS : SEARCH_SECONDS;
    const cost = await costOf(scenario.atOnce ? "read all paths at once" : "read paths", data, 16, seconds);
    if (bare !== undefined)
      cost.bareMs = await database.reader.use(async (tx) => {
        await asCaller(tx, on, scenario);
        return alone(() => bare(tx, on));
      });
    if (plain !== undefined && scenario.caller === "owner")
      cost.plainMs = await alone(() =>
        client.query({ name: "plain", text: PLAIN, values: [on.data.workspaceId, plain(on)] }),
      );
    return cost;
  }
  async function change(on: FilledTasks): Promise<Cost> {
    // Each connection changes Tasks of its own: changes of the same 100 would be serialised.
    const cost = await costOf(BULK, on.data, Math.min(4, Math.floor(on.data.taskIds.length / 100)));
    const values = [on.data.workspaceId, on.data.taskIds.slice(0, 100)];
    cost.bareMs = await alone(() => client.query({ name: "change", text: CHANGE, values }));
    return cost;
  }

  const rows: Row[] = [];
  const take = async (name: string, cost: (on: FilledTasks) => Promise<Cost>, most = ROUNDS) => {
    if (!name.includes(only)) return;
    const rounds: Cost[][] = [];
    for (let round = 0; round < most; round++) {
      const costs: Cost[] = [];
      for (const on of places) costs.push(await cost(on));
      rounds.push(costs);
    }
    rows.push({ name, costs: places.map((_, place) => typical(rounds.map((costs) => costs[place] as Cost))) });
  };
  for (const scenario of taskScenarios)
    await take(scenario.name, (on) => read(scenario, on), scenario.plain === undefined ? ROUNDS : 1);
  print(rows, sizes);
  // Runs last, because it repeatedly makes 100 Tasks the newest.
  rows.length = 0;
  await take(BULK, change);
  print(rows, sizes);
  await client.end();
  await database.end();
}

function print(rows: Row[], sizes: readonly number[]) {
  const named = sizes.map((size) => size.toLocaleString("en"));
  const last = sizes.length - 1;
  const shown = (ms: number | undefined) => (ms === undefined ? "-" : ms.toFixed(2));
  const grown = (costs: Cost[], pick: (cost: Cost) => number) =>
    (pick(costs[last] as Cost) / pick(costs[0] as Cost)).toFixed(2);
  console.log(
    "One connection: p50 / p99 ms (the statement alone), and how many times the p50 of the smallest. " +
      `Of ${ROUNDS} rounds the median and the worst p99, of search one longer round.`,
  );
  printColumns(
    ["", ...named, "growth", "trips"],
    rows.map(({ name, costs }) => [
      name,
      ...costs.map(({ one, bareMs }) => `${shown(one.p50)} / ${shown(one.p99)} (${shown(bareMs)})`),
      grown(costs, ({ one }) => one.p50),
      (costs[last] as Cost).one.trips.toFixed(1),
    ]),
  );
  console.log(
    "16 connections (4 where 100 Tasks are changed): CPU ms of a request (server + database), p99 ms, " +
      "and how many times the CPU of the smallest.",
  );
  printColumns(
    ["", ...named, "growth"],
    rows.map(({ name, costs }) => [
      name,
      ...costs.map(
        ({ sixteen }) =>
          `${shown(cpu(sixteen))} (${shown(sixteen.serverMs)}+${shown(sixteen.databaseMs)}), ${shown(sixteen.p99)}`,
      ),
      grown(costs, ({ sixteen }) => cpu(sixteen)),
    ]),
  );
  const searched = rows.filter(({ costs }) => costs[0]?.plainMs !== undefined);
  if (searched.length === 0) return;
  console.log(
    "Search at one connection: p99 ms beside plain full text search over the same index, without access or recency.",
  );
  printColumns(
    ["", ...named],
    searched.map(({ name, costs }) => [
      name,
      ...costs.map(({ one, plainMs }) => `${shown(one.p99)} (${shown(plainMs)})`),
    ]),
  );
}

/** Creates Tasks through the public API, sequentially on each of 16 connections, compared with the bare limit. */
export async function measureImport(service: Drive, bare: Drive, data: Data) {
  const run = (drive: Drive) => drive("create a Task", data, 16, 600, IMPORTED);
  // Alternates, so that both bear the cost of compilation and of growing tables.
  for (const drive of [bare, service]) await drive("create a Task", data, 16, 2);
  const [limit, own] = [await run(bare), await run(service)];
  console.log(
    `Import of ${IMPORTED.toLocaleString("en")} Tasks with 16 connections: ${own.seconds.toFixed(1)} s, ` +
      `${own.perSecond.toFixed(0)} a second, p99 ${own.p99.toFixed(1)} ms; ` +
      `the bare limit ${limit.seconds.toFixed(1)} s, ${limit.perSecond.toFixed(0)} a second: ` +
      `${(own.perSecond / limit.perSecond).toFixed(2)} of it, ${(cpu(limit) / cpu(own)).toFixed(2)} by CPU time.`,
  );
}
