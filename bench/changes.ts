// npm run bench -- --only changes: 100 changes of Tasks proposed, approved and applied as a ChangeSet, compared with
// the same changes by one bulk request and by one request each. The variants take turns on one connection; reports ms
// of time, CPU of service and database, and round trips.
import type { Data } from "./data.ts";
import { ownerOn } from "./lifecycle.ts";
import { median } from "./table.ts";

const MANY = 100;
interface Named {
  id: string;
  version: number;
  digest: string;
}
interface Cost {
  ms: number;
  cpu: number;
  trips: number;
}
export interface Sides {
  port: number;
  /** CPU seconds of service and database. */
  cpu(): number;
  trips(): Promise<number>;
}

export async function measureChanges({ port, cpu, trips }: Sides, data: Data, rounds: number): Promise<void> {
  const owner = ownerOn(port, data);
  const ids = data.taskIds.slice(0, MANY);
  const key = () => ({ "idempotency-key": `bench-${crypto.randomUUID()}` });
  const found = new Map<string, Cost[]>();
  async function measured<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = { at: performance.now(), cpu: cpu(), trips: await trips() };
    const result = await work();
    const ms = performance.now() - before.at;
    const cost = { ms, cpu: 1000 * (cpu() - before.cpu), trips: (await trips()) - before.trips };
    found.set(name, [...(found.get(name) ?? []), cost]);
    return result;
  }
  const revisions = async () => {
    const read = new Map<string, string>();
    for (const id of ids) read.set(id, (await owner<{ revision: string }>("GET", `../../tasks/${id}`)).revision);
    return read;
  };
  const priorities = ["low", "high"];
  for (let round = 0; round < rounds; round++) {
    const set = { priority: priorities[round % 2] };
    const now = await revisions();
    const changes = ids.map((task_id) => ({ action: "task.update", task_id, revision: now.get(task_id), set }));
    const proposed = await measured("proposed", () =>
      owner<Named>("POST", "change-sets", { title: "Bench", changes }, key()),
    );
    const { id, version, digest } = proposed;
    const decision = { version, digest, decision: "approve" };
    await measured("reviewed", () => owner("POST", `change-sets/${id}/review`, decision));
    await measured("applied", () => owner("POST", "change-sets/apply", { change_set_id: id, version, digest }, key()));
    const other = { priority: priorities[(round + 1) % 2] };
    await measured("by bulk", () => owner("POST", "tasks/bulk", { task_ids: ids, changes: other }, key()));
    const again = await revisions();
    await measured("one by one", async () => {
      for (const each of ids)
        await owner("PATCH", `../../tasks/${each}`, set, { "if-match": `"${again.get(each)}"`, ...key() });
    });
  }
  console.log(`\n${MANY} changes of Tasks, the median of ${rounds} turns:`);
  for (const [name, costs] of found) {
    const of = (field: keyof Cost) => median(costs.map((cost) => cost[field])).toFixed(0);
    console.log(
      `  ${name.padEnd(12)} ${of("ms").padStart(6)} ms ${of("cpu").padStart(6)} ms of CPU ` +
        `${of("trips").padStart(5)} round-trips`,
    );
  }
}
