// Cost of the journal for writers: creating and changing Tasks with the transaction id and its index on every event,
// and without, in turns on the same database.
import type pg from "pg";
import type { Scenario } from "./load.ts";
import { cpuOf } from "./processes.ts";
import type { Measured } from "./table.ts";

const WITH = `
alter table domain_events alter column tx set default pg_current_xact_id();
create index if not exists domain_events_journal on domain_events (workspace_id, tx, id) where tx is not null`;
const WITHOUT = "alter table domain_events alter column tx drop default; drop index domain_events_journal";
const SCENARIOS = ["create a Task", "update a Task"] as const;
const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;
/** Standard error of the ratios. */
const error = (ratios: number[]) =>
  Math.sqrt(ratios.reduce((sum, ratio) => sum + (ratio - median(ratios)) ** 2, 0) / ratios.length ** 2);
const shown = (ratios: number[]) => `${median(ratios).toFixed(3)} (± ${error(ratios).toFixed(3)})`;
const cpu = ({ serverMs, databaseMs }: Measured) => serverMs + databaseMs;

const EVENT = `
insert into domain_events (workspace_id, id, type, command_id, project_id, task_id, resource_kind, resource_id, payload)
values ($1, gen_random_uuid(), 'task.updated', gen_random_uuid(), $1, $1, 'task', $1,
  '{"from":{"title":"One"},"to":{"title":"Two"}}')`;
const EVENTS_AT_ONCE = 4_000;
/**
 * Inserts one event per transaction: µs of CPU of the connection's own backend, a figure that a busy machine does not
 * distort.
 */
async function measureEvent(client: pg.Client, rounds: number) {
  const backend = (await client.query("select pg_backend_pid() as pid")).rows[0].pid as number;
  const workspaceId = (await client.query("select id from workspaces limit 1")).rows[0].id as string;
  await client.query("set synchronous_commit = off");
  const found: Record<"with" | "without", number[]> = { with: [], without: [] };
  for (let round = 0; round < rounds; round++)
    for (const side of round % 2 === 0 ? (["with", "without"] as const) : (["without", "with"] as const)) {
      await client.query(side === "with" ? WITH : WITHOUT);
      const before = cpuOf(backend);
      for (let count = 0; count < EVENTS_AT_ONCE; count++)
        await client.query({ name: `event ${side} ${round}`, text: EVENT, values: [workspaceId] });
      found[side].push(((cpuOf(backend) - before) * 1e6) / EVENTS_AT_ONCE);
      await client.query(WITH);
    }
  await client.query("set synchronous_commit = on");
  const more = found.with.map((cpu, at) => cpu - (found.without[at] as number));
  console.log(
    `An event alone: ${median(found.with).toFixed(1)} µs of CPU with the journal and ` +
      `${median(found.without).toFixed(1)} without; ${median(more).toFixed(1)} more (± ` +
      `${error(more).toFixed(1)}), ${rounds} turns.`,
  );
}

export async function measureJournal(
  client: pg.Client,
  drive: (scenario: Scenario, connections: number, seconds: number) => Promise<Measured>,
  seconds: number,
  rounds: number,
) {
  await measureEvent(client, rounds);
  for (const scenario of SCENARIOS) {
    await drive(scenario, 16, 4);
    const found = { throughput: [] as number[], cpu: [] as number[], perSecond: [] as number[] };
    for (let round = 0; round < rounds; round++) {
      const turn: Partial<Record<"with" | "without", Measured>> = {};
      for (const side of round % 2 === 0 ? (["with", "without"] as const) : (["without", "with"] as const)) {
        await client.query(side === "with" ? WITH : WITHOUT);
        // The first statements after a change of the table are planned again.
        await drive(scenario, 16, 0.2);
        turn[side] = await drive(scenario, 16, seconds);
        await client.query(WITH);
      }
      const [on, off] = [turn.with as Measured, turn.without as Measured];
      found.throughput.push(on.perSecond / off.perSecond);
      found.cpu.push(cpu(on) / cpu(off));
      found.perSecond.push(on.perSecond);
    }
    console.log(
      `${scenario}, with the journal / without: throughput ${shown(found.throughput)}, CPU ${shown(found.cpu)}; ` +
        `${Math.round(median(found.perSecond))} a second with it, ${rounds} turns.`,
    );
  }
}
