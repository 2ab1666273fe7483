// SQL of deliveries: the installations that one reaches, how it is stored, and how the next of a lane is claimed. A
// lane is ordered by commit: the reader waits for older open transactions, which may have stored deliveries.
import { inWorkspace } from "../../../platform/background/jobs.ts";
import type { Pool, Queries } from "../../../platform/database/db.ts";
import { newId } from "../../../platform/wire/ids.ts";
import { processId } from "../../../platform/wire/process-id.ts";

/** An installation that a delivery reaches, read before any Workspace is known. */
export interface AddressedInstallation {
  workspace_id: string;
  id: string;
  base_url: string;
  external_id: string;
  state: string;
  sealed_secret: string | null;
}
const BY_ID = "select * from integration_reached($1, $2) where state <> 'revoked'";
export const reachedById = (tx: Queries, provider: string, id: string) =>
  tx.maybe<AddressedInstallation>(BY_ID, [provider, id]);

const BY_ACCOUNT = "select * from integration_reached_by($1, '', $2) where state <> 'revoked'";
/**
 * Installations of all Workspaces that are connected with this account, for the app that the operator registered at the
 * provider.
 */
export const reachedByAccount = (tx: Queries, provider: string, account: string) =>
  tx.rows<AddressedInstallation>(BY_ACCOUNT, [provider, account]);

export interface NewDelivery {
  key: string;
  lane: string;
  kind: string;
  body: Buffer;
}
const RECEIVE = "select integration_receive($1::uuid[], $2::uuid[], $3::uuid[], $4, $5, $6, $7)";
export const receive = (
  tx: Queries,
  reached: readonly AddressedInstallation[],
  { key, lane, kind, body }: NewDelivery,
) =>
  tx.rows(RECEIVE, [
    reached.map(({ workspace_id }) => workspace_id),
    reached.map(({ id }) => id),
    reached.map(() => newId()),
    ...[key, lane, kind, body],
  ]);
/** The job queue runs one such job at a time; a new job replaces the waiting one. */
const WAKE = "select enqueue_job('work_deliveries', '{}', now(), 'work_deliveries', 'work_deliveries now')";
export const wake = (tx: Queries) => tx.rows(WAKE);

export interface Lane {
  workspace_id: string;
  installation_id: string;
  lane: string;
}
/** Lanes that wait longest come first. */
export const dueLanes = (writer: Pool, most: number) =>
  writer.use((tx) => tx.rows<Lane>("select * from due_integration_lanes($1)", [most]));

export interface Waiting {
  id: string;
  kind: string;
  body: Buffer;
  attempts: number;
  replays: number;
}
/** Longer than a delivery may take. */
const LEASE_SECONDS = 60;
const FIRST = `
with first as materialized (
  select f.id, f.leased_until from integration_deliveries f
  where f.workspace_id = current_workspace() and f.installation_id = $1 and f.lane = $2 and f.state = 'waiting'
    and f.tx < pg_snapshot_xmin(pg_current_snapshot())
  order by f.tx, f.number limit 1 for no key update)`;
/**
 * Finds the row by its id alone: with the state in the condition, a database without statistics reads all that waits in
 * the Workspace.
 */
export const TAKE = `
${FIRST}
update integration_deliveries d
  set leased_until = now() + interval '${LEASE_SECONDS} seconds', lease_process = $3, attempts = d.attempts + 1
from first where d.workspace_id = current_workspace() and d.id = first.id
  and (first.leased_until is null or first.leased_until < now())
returning d.id, d.kind, d.body, d.attempts, d.replays`;
/** Ends the turn of a lane: it queues behind the lanes that already wait. */
export const YIELD = `
${FIRST}
update integration_deliveries d set leased_until = now()
from first where d.workspace_id = current_workspace() and d.id = first.id and first.leased_until is null`;
/** Only a delivery that waits has a lease. The count of attempts is its fencing token: each claim raises it. */
const held = (replays: string, attempts: string) =>
  `workspace_id = current_workspace() and id = $1 and replays = ${replays} and attempts = ${attempts} and ` +
  "leased_until is not null";
export const FINISH = `
update integration_deliveries
  set state = $2, error_code = $3, worked_at = now(), leased_until = null, lease_process = null
where ${held("$4", "$5")}`;
/** The pause after a failure is not a lease: no process holds it. */
export const LATER = `
update integration_deliveries
  set leased_until = now() + make_interval(secs => $2), lease_process = null, error_code = $3, attempts = attempts - $4::integer
where ${held("$5", "$6")}`;

export interface Worked {
  id: string;
  /** Number of the replay that was worked: its result does not finish a later replay. */
  replays: number;
  attempts: number;
  state: "done" | "ignored" | "failed";
  error: string | null;
}
/**
 * Before the database has statistics, any index seems equally good for the first of a lane. Without sorting, the
 * planner picks the right one, which reads no other row.
 */
const UNSORTED = "select set_config('enable_sort', 'off', true)";
export const inLane = <T>(writer: Pool, { workspace_id }: Lane, work: (tx: Queries) => Promise<T>): Promise<T> =>
  inWorkspace(writer, workspace_id, async (tx) => (await Promise.all([tx.rows(UNSORTED), work(tx)]))[1]);

/** Finishes one and claims the next of the lane; undefined if there is none, or another worker holds it. */
export const takeNext = (writer: Pool, lane: Lane, worked: Worked | null) =>
  inLane(writer, lane, async (tx) => {
    const [, next] = await Promise.all([
      worked && tx.rows(FINISH, [worked.id, worked.state, worked.error, worked.replays, worked.attempts]),
      tx.maybe<Waiting>(TAKE, [lane.installation_id, lane.lane, processId]),
    ]);
    return next;
  });
/** Finishes the last of a turn. */
export const finish = (writer: Pool, lane: Lane, { id, state, error, replays, attempts }: Worked) =>
  inLane(writer, lane, (tx) =>
    Promise.all([
      tx.rows(FINISH, [id, state, error, replays, attempts]),
      tx.rows(YIELD, [lane.installation_id, lane.lane]),
    ]),
  );
/** Delays a delivery, and with it all behind it in its lane. `counted`: whether it was an attempt. */
export const putOff = (
  writer: Pool,
  workspaceId: string,
  { id, replays, attempts }: Pick<Waiting, "id" | "replays" | "attempts">,
  seconds: number,
  error: string,
  counted = true,
) => inWorkspace(writer, workspaceId, (tx) => tx.rows(LATER, [id, seconds, error, counted ? 0 : 1, replays, attempts]));
