// Fairness between tenants: the effect of a neighbour with 256 connections on another Workspace, the remaining
// throughput with four times more connections than are admitted, and whether the process answers /healthz meanwhile. In
// short alternating turns, because the machine's speed changes.
import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import type { Data } from "./data.ts";
import type { Job, LoadResult, Scenario } from "./load.ts";
import { forkScript, nextMessage } from "./processes.ts";
import { median, printColumns } from "./table.ts";

const NEIGHBOURS = 256;
/** Four times the limit of platform/wire/limits/admission.ts. */
const OVERLOAD = 1600;
/** Number of connections with the highest throughput. */
const CAPACITY = 64;
const SECONDS = 3;
const WARM = 1;

/** `cpu`: CPU seconds of service and database so far. `idlePort`: a process that only answers /healthz. */
export async function measureFairness(
  { port, idlePort, cpu }: { port: number; idlePort: number; cpu: () => number },
  large: Data,
  small: Data,
  load: ChildProcess,
  rounds: number,
) {
  const noise = forkScript("load.ts");
  const run = (generator: ChildProcess, scenario: Scenario, data: Data, connections: number, seconds = SECONDS) => {
    generator.send({ scenario, port, data, connections, seconds, warm: WARM } satisfies Job);
    return nextMessage<LoadResult>(generator);
  };
  const beside: string[][] = [];
  const noTimes = () => ({ health: [] as number[], idle: [] as number[] });
  const parts = { "256 neighbours": noTimes(), "1,600 connections": noTimes() };
  const ask = (of: number) => forkScript("health.ts", { BENCH_PORT: String(of) });
  const [ours, theirs] = [ask(port), ask(idlePort)];
  const watch = ({ health, idle }: ReturnType<typeof noTimes>) => {
    for (const asking of [ours, theirs]) asking.send("go");
    return async () => {
      const told = [ours, theirs].map((asking) => {
        asking.send("stop");
        return nextMessage<number[]>(asking);
      });
      health.push(...((await told[0]) ?? []));
      idle.push(...((await told[1]) ?? []));
    };
  };
  for (const scenario of ["read a Task", "create a Task"] as const) {
    await run(noise, scenario, large, CAPACITY);
    for (const connections of [4, 16]) {
      const [alone, with256]: [LoadResult[], LoadResult[]] = [[], []];
      let refused = 0;
      for (let round = 0; round < rounds; round++) {
        alone.push(await run(load, scenario, small, connections));
        const stop = watch(parts["256 neighbours"]);
        const neighbour = run(noise, scenario, large, NEIGHBOURS, SECONDS + WARM + 1);
        await sleep(1000);
        const during = await run(load, scenario, small, connections);
        await neighbour;
        await stop();
        with256.push(during);
        refused += during.faults;
      }
      const of = (results: LoadResult[], pick: (one: LoadResult) => number) => median(results.map(pick));
      const growth = median(with256.map((one, round) => one.p99 / (alone[round] as LoadResult).p99));
      beside.push([
        `${scenario}, ${connections}`,
        of(alone, ({ p50 }) => p50).toFixed(1),
        of(alone, ({ p99 }) => p99).toFixed(1),
        of(with256, ({ p50 }) => p50).toFixed(1),
        of(with256, ({ p99 }) => p99).toFixed(1),
        growth.toFixed(2),
        String(refused),
      ]);
    }
  }
  printColumns(["beside 256", "p50 alone", "p99 alone", "p50 beside", "p99 beside", "growth p99", "refused"], beside);

  const overload: string[][] = [];
  for (const scenario of ["read a Task", "create a Task"] as const) {
    const kept: number[] = [];
    const work: number[] = [];
    const last: LoadResult[] = [];
    // Measures within the counted seconds only: before them connections are opened, and after them refused requests are
    // still being answered.
    const used = async (connections: number, seconds: number) => {
      const running = run(load, scenario, large, connections, seconds);
      await sleep(WARM * 1000);
      const before = cpu();
      await sleep(seconds * 1000);
      const spent = cpu() - before;
      const result = await running;
      return { result, each: spent / (result.requests - result.faults) };
    };
    for (let round = 0; round < rounds; round++) {
      // Both last equally long, so that the database's periodic work falls into either of them.
      const full = await used(CAPACITY, 2 * SECONDS);
      const stop = watch(parts["1,600 connections"]);
      const over = await used(OVERLOAD, 2 * SECONDS);
      await stop();
      kept.push(served(over.result) / served(full.result));
      work.push(full.each / over.each);
      last.push(over.result);
    }
    overload.push([
      scenario,
      `${median(kept).toFixed(2)} (${Math.min(...kept).toFixed(2)}-${Math.max(...kept).toFixed(2)})`,
      // The load's sockets use the same cores: its CPU there does not count for the service.
      median(work).toFixed(2),
      median(last.map(({ accepted99 }) => accepted99)).toFixed(0),
      median(last.map(({ faults, seconds }) => faults / seconds)).toFixed(0),
    ]);
  }
  printColumns(["1,600 connections", "goodput", "a CPU second", "accepted p99 ms", "refused/s"], overload);
  const told = (times: number[]) => {
    times.sort((a, b) => a - b);
    const at = (share: number) => (times[Math.floor((times.length - 1) * share)] as number).toFixed(1);
    return `${times.length} times: p50 ${at(0.5)}, p99 ${at(0.99)}, p99.9 ${at(0.999)}, longest ${at(1)} ms`;
  };
  for (const [part, { health, idle }] of Object.entries(parts)) {
    console.log(`/healthz beside ${part}, ${told(health)}.`);
    console.log(`An idle process meanwhile, ${told(idle)}.`);
  }
}

const served = ({ requests, faults, seconds }: LoadResult) => (requests - faults) / seconds;
