// SQL of the delivery queue: events of the journal, claimed endpoints, and the result of each attempt. The leases of a
// dead process are released (platform/background/release-leases.ts).
import type { DeliveryError } from "@svc/contract/connect/webhooks/deliveries.ts";
import { tellAbout } from "../../history/inbox/change.ts";
import type { Pool, Queries } from "../../platform/database/db.ts";
import { newId } from "../../platform/wire/ids.ts";
import { processId } from "../../platform/wire/process-id.ts";

const BACKLOG = "select workspace_id, held from webhook_backlog($1::uuid[])";
/** Workspaces, of the named or of all, with events to queue; `held`: an older open transaction must end first. */
export const backlogOf = (writer: Pool, named: readonly string[] | null) =>
  writer.use((tx) => tx.rows<{ workspace_id: string; held: boolean }>(BACKLOG, [named]));

export interface QueuePosition {
  epoch: string;
  tx: string;
  event_id: string;
}
/** Locked: one reader per Workspace. */
const POSITION = `select epoch, tx::text as tx, event_id from webhook_positions
    where workspace_id = current_workspace() for no key update`;
export const lockPosition = (tx: Queries) => tx.maybe<QueuePosition>(POSITION);
const MOVE = `update webhook_positions set epoch = $1, tx = $2::xid8, event_id = $3, moved_at = now()
    where workspace_id = current_workspace()`;
export const movePosition = (tx: Queries, { epoch, tx: at, event_id }: QueuePosition) =>
  tx.rows(MOVE, [epoch, at, event_id]);

/** The journal was restored and has new transaction numbers, so that the position is found by time. */
export const resumeRestored = (tx: Queries) => tx.rows("select resume_webhooks()");

export interface SubscribedEndpoint {
  id: string;
  actions: string[];
  project_ids: string[];
  created_by_actor_id: string;
}
const LISTENING = `
/* reads up to 100: the endpoints of the Workspace */
select w.id, w.actions, w.project_ids::text[] as project_ids, w.created_by_actor_id from webhook_endpoints w
where w.workspace_id = current_workspace() and w.enabled and w.deleted_at is null`;
export const listening = (tx: Queries) => tx.rows<SubscribedEndpoint>(LISTENING);

export interface QueuedDelivery {
  endpoint_id: string;
  event_id: string;
  action: string;
}
/** Queues events since the endpoint was enabled, each once, in the journal's order. */
const QUEUE = `
/* reads up to 8000: of a page of events and the endpoints of the Workspace those that are to hear of it */
insert into webhook_deliveries (workspace_id, id, endpoint_id, event_id, action)
select w.workspace_id, q.id, w.id, e.id, q.action
from jsonb_to_recordset($1::jsonb) as q(id uuid, endpoint_id uuid, event_id uuid, action text)
join webhook_endpoints w on w.workspace_id = current_workspace() and w.id = q.endpoint_id
join domain_events e on e.workspace_id = current_workspace() and e.id = q.event_id and e.occurred_at >= w.enabled_at
on conflict (workspace_id, endpoint_id, event_id) do nothing`;
export const queue = (tx: Queries, queued: readonly QueuedDelivery[]) =>
  tx.rows(QUEUE, [JSON.stringify(queued.map((each) => ({ ...each, id: newId() })))]);

const CLAIM = "select workspace_id, id from lease_webhook_endpoints($1, $2, $3, $4, $5)";
export const claimEndpoints = (writer: Pool, most: number, ofWorkspace: number, holder: string, seconds: number) =>
  writer.use((tx) =>
    tx.rows<{ workspace_id: string; id: string }>(CLAIM, [most, ofWorkspace, holder, processId, seconds]),
  );

export interface Served {
  id: string;
  url: string;
  sealed_secret: string;
  previous_sealed_secret: string | null;
  created_by_actor_id: string;
}
const SERVED = `
select w.id, w.url, w.sealed_secret,
  case when w.previous_secret_expires_at > now() then w.previous_sealed_secret end as previous_sealed_secret,
  w.created_by_actor_id
from webhook_endpoints w where w.workspace_id = current_workspace() and w.id = $1 and w.lease_id = $2 and w.enabled
  and w.deleted_at is null`;
export const readServed = (tx: Queries, id: string, holder: string) => tx.maybe<Served>(SERVED, [id, holder]);

export interface DueDelivery {
  id: string;
  event_id: string | null;
  action: string;
  attempts: number;
  created_at: string;
}
const DUE = `
select d.id, d.event_id, d.action, d.attempts, wire_time(d.created_at) as created_at from webhook_deliveries d
where d.workspace_id = current_workspace() and d.endpoint_id = $1 and d.state = 'queued' and d.next_attempt_at <= now()
order by d.next_attempt_at, d.id limit $2`;
export const readDue = (tx: Queries, endpointId: string, most: number) => tx.rows<DueDelivery>(DUE, [endpointId, most]);

export interface DeliveryOutcome {
  id: string;
  /**
   * Attempts before this one: if another process has counted it, or a redelivery was requested, this result is dropped.
   */
  attempts: number;
  state: "queued" | "delivered" | "failed" | "dropped";
  error_code: DeliveryError | null;
  status_code: number | null;
  duration_ms: number | null;
  /** Seconds until the next attempt. */
  pause: number | null;
}
const LOCK = `
select w.enabled from webhook_endpoints w
where w.workspace_id = current_workspace() and w.id = $1 and w.lease_id = $2 for no key update`;
const NOTE = `
update webhook_deliveries d
  set state = o.state, error_code = o.error_code, status_code = o.status_code, duration_ms = o.duration_ms,
  attempts = d.attempts + case o.state when 'dropped' then 0 else 1 end,
  attempted_at = case o.state when 'dropped' then d.attempted_at else now() end,
  next_attempt_at = case o.state when 'queued' then now() + make_interval(secs => o.pause) end
from jsonb_to_recordset($1::jsonb) as o(id uuid, attempts integer, state text, error_code text, status_code integer,
  duration_ms integer, pause double precision)
where d.workspace_id = current_workspace() and d.id = o.id and d.state = 'queued' and d.attempts = o.attempts
  and exists (select from webhook_endpoints w
    where w.workspace_id = current_workspace() and w.id = $2 and w.lease_id = $3)
returning d.state, d.queued_at::text as queued_at`;
const SETTLE = `
update webhook_endpoints w set due_at = (
    select d.next_attempt_at from webhook_deliveries d
    where d.workspace_id = w.workspace_id and d.endpoint_id = w.id and d.state = 'queued'
    order by d.next_attempt_at limit 1),
  lease_id = null, lease_until = null, lease_process = null,
  succeeded_at = case when $3 then now() else w.succeeded_at end,
  failing_since = case when $3 then null when $4 and w.failing_since is null then now() else w.failing_since end
where w.workspace_id = current_workspace() and w.id = $1 and w.lease_id = $2
returning w.succeeded_at::text as succeeded_at, extract(epoch from w.due_at - clock_timestamp())::float8 as due_in`;
/**
 * Stores the results of a batch and releases the endpoint. The row is locked first: the next due time is then read
 * after anything that was queued meanwhile. The id of the lease is the fencing token: without the lease nothing is
 * written, and `held` is false. `exhausted`: a delivery was given up, and none was accepted since it was queued.
 */
export async function settle(tx: Queries, id: string, holder: string, outcomes: readonly DeliveryOutcome[]) {
  const succeeded = outcomes.some(({ state }) => state === "delivered");
  const failed = outcomes.some(({ state }) => state === "queued" || state === "failed");
  const [, noted, settled] = await Promise.all([
    tx.maybe<{ enabled: boolean }>(LOCK, [id, holder]),
    tx.rows<{ state: string; queued_at: string }>(NOTE, [JSON.stringify(outcomes), id, holder]),
    tx.maybe<{ succeeded_at: string | null; due_in: number | null }>(SETTLE, [id, holder, succeeded, failed]),
  ]);
  const accepted = settled?.succeeded_at ?? null;
  const exhausted = noted.some(
    ({ state, queued_at }) => state === "failed" && (accepted === null || Date.parse(accepted) < Date.parse(queued_at)),
  );
  return { held: settled !== undefined, exhausted, dueIn: settled?.due_in ?? null };
}

const DISABLE = `
update webhook_endpoints w set enabled = false, disabled_reason = $2, revision = w.revision + 1, updated_at = now()
where w.workspace_id = current_workspace() and w.id = $1 and w.enabled and w.deleted_at is null returning w.id`;
/** Enqueues an email to the creator while they manage webhooks, or else to everybody who does. */
const NOTICE = `
select w.name, m.actor_id,
  enqueue_job('webhook_notice',
  json_build_object('id', uuidv7(), 'workspace_id', w.workspace_id, 'endpoint_id', w.id, 'actor_id', m.actor_id))
from webhook_endpoints w
left join memberships c on c.workspace_id = w.workspace_id and c.actor_id = w.created_by_actor_id and c.state = 'active'
  and c.role in ('owner', 'admin')
cross join lateral (
  select c.actor_id where c.actor_id is not null
  union all
  (select m.actor_id from memberships m
  where c.actor_id is null and m.workspace_id = w.workspace_id and m.role in ('owner', 'admin') and m.state = 'active'
   order by m.role desc, m.actor_id limit 50)) m
where w.workspace_id = current_workspace() and w.id = $1`;
/** Disables it once, and in the same commit enqueues the emails and adds the inbox items about it. */
export async function disable(tx: Queries, id: string, reason: "failing" | "gone" | "creator_left") {
  if (!(await tx.maybe(DISABLE, [id, reason]))) return;
  const told = await tx.rows<{ name: string; actor_id: string }>(NOTICE, [id]);
  await tellAbout(tx, [
    {
      category: "webhook_disabled",
      event_type: "webhook_endpoint.disabled",
      from_actor_id: null,
      about_kind: "webhook_endpoint",
      about_id: id,
      about_name: told[0]?.name ?? "",
      about_note: null,
      actor_ids: told.map(({ actor_id }) => actor_id),
    },
  ]);
}

const KEPT_DAYS = 30;
const PAGE = 5_000;
const paged = (table: string, where: string) =>
  `delete from ${table} where ctid = any(array(select x.ctid from ${table} x where ${where} limit ${PAGE}))`;
/**
 * Across all Workspaces: background jobs act as the owner of the tables. Deliveries that are still retried stay, up to
 * twice the retention; those of deleted endpoints go at once.
 */
const OLD = [
  paged("webhook_deliveries", `x.created_at < now() - interval '${KEPT_DAYS} days' and x.state <> 'queued'`),
  paged("webhook_deliveries", `x.created_at < now() - interval '${2 * KEPT_DAYS} days'`),
  paged(
    "webhook_deliveries",
    `(x.workspace_id, x.endpoint_id) in (select w.workspace_id, w.id from webhook_endpoints w
      where w.deleted_at is not null)`,
  ),
  paged(
    "webhook_endpoints",
    "x.deleted_at is not null and not exists (select from webhook_deliveries d where d.workspace_id = " +
      "x.workspace_id and d.endpoint_id = x.id)",
  ),
];
export async function sweepWebhooks(client: {
  query(sql: string): Promise<{ rowCount: number | null }>;
}): Promise<void> {
  for (const sql of OLD) while ((await client.query(sql)).rowCount === PAGE);
}
