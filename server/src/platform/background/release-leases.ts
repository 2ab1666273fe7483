// Releases all leases of a dead process: runs, webhook endpoints, deliveries, token refreshes and jobs. A process is
// dead if its advisory lock is free; this transaction takes that lock, so that the process cannot come back meanwhile.
// The next claim of the work raises its fencing token, so a process that lives after all writes nothing.
//
// An action at a provider is not released but left to its time limit: the provider may still be processing the request
// of the dead process, and a repetition would run it twice.
import type pg from "pg";

const TAKE = "select pg_try_advisory_xact_lock(process_lock(), $1) as gone";
const RUNS = ["discuss_runs", "agent_runs"].map(
  (runs) => `
update ${runs} set lease_until = null, lease_process = null
where lease_process = $1 and state in ('queued', 'running', 'cancel_requested')`,
);
/** Releases endpoints without due deliveries too: later deliveries would wait for the lease. */
const ENDPOINTS =
  "update webhook_endpoints set lease_id = null, lease_until = null, lease_process = null where lease_process = $1";
/** Reads the first delivery of each lane, because only that one is leased. */
const DELIVERIES = `
with recursive firsts as (
  (select d.workspace_id, d.id, d.installation_id, d.lane, d.lease_process from integration_deliveries d
  where d.state = 'waiting'
   order by d.workspace_id, d.installation_id, d.lane, d.tx, d.number limit 1)
  union all
  select n.* from firsts f cross join lateral (
    select d.workspace_id, d.id, d.installation_id, d.lane, d.lease_process from integration_deliveries d
    where d.state = 'waiting'
      and (d.workspace_id, d.installation_id, d.lane) > (f.workspace_id, f.installation_id, f.lane)
    order by d.workspace_id, d.installation_id, d.lane, d.tx, d.number limit 1) n
)
update integration_deliveries d set leased_until = null, lease_process = null from firsts f
where f.lease_process = $1 and d.workspace_id = f.workspace_id and d.id = f.id and d.lease_process = $1`;
const REFRESHES = `update integration_installations set refreshing_until = null, refreshing_process = null
    where refreshing_process = $1`;
const JOBS = "select graphile_worker.force_unlock_workers(workers) from processes where id = $1";
const FORGET = "delete from processes where id = $1";

/** Resolves to whether the process was dead and its leases were released, all in one transaction. */
export async function releaseLeases(pool: pg.Pool, processId: number): Promise<boolean> {
  const client = await pool.connect();
  let failed = true;
  try {
    await client.query("begin");
    const [{ gone }] = (await client.query<{ gone: boolean }>(TAKE, [processId])).rows as [{ gone: boolean }];
    if (gone)
      for (const statement of [...RUNS, ENDPOINTS, DELIVERIES, REFRESHES, JOBS, FORGET])
        await client.query(statement, [processId]);
    await client.query("commit");
    failed = false;
    return gone;
  } finally {
    client.release(failed);
  }
}
