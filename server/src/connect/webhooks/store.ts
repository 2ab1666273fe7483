// SQL of webhook endpoints and their log, for operations. A caller that changes an endpoint has locked its row, or the
// Workspace.
import type { Queries } from "../../platform/database/db.ts";
import type { ListRow } from "../../platform/kernel/implement-operation.ts";
import { LAST_ID, NIL } from "../../platform/wire/ids.ts";
import { deliveryView, endpointView } from "./view.ts";

type Page = { after: readonly unknown[] | null; limit: number };

const LIST = `
select ${endpointView} as json, json_build_array(w.id)::text as key from webhook_endpoints w
where w.workspace_id = current_workspace() and w.deleted_at is null and w.id > $1 order by w.id limit $2`;
export const listEndpoints = (tx: Queries, { after, limit }: Page) =>
  tx.rows<ListRow>(LIST, [after?.[0] ?? NIL, limit + 1]);

const ROOM =
  "/* reads up to 100: it counts them, with those whose log is swept */ select count(*) < $1 as room " +
  "from webhook_endpoints where workspace_id = current_workspace() and deleted_at is null";
export const hasRoom = async (tx: Queries, most: number) => (await tx.one<{ room: boolean }>(ROOM, [most])).room;

/** Starts reading the journal here, unless another endpoint of the Workspace already has it read. */
const FOLLOW = `
/* reads up to 100: the endpoints of the Workspace */
insert into webhook_positions as p (workspace_id, epoch, tx, event_id)
select current_workspace(), journal_epoch(), pg_snapshot_xmin(pg_current_snapshot()), '${NIL}'
on conflict (workspace_id) do update
set epoch = excluded.epoch, tx = excluded.tx, event_id = excluded.event_id, moved_at = now()
where not exists (select from webhook_endpoints w
  where w.workspace_id = current_workspace() and w.enabled and w.deleted_at is null and w.id <> $1)`;

export interface NewEndpoint {
  id: string;
  name: string;
  url: string;
  actions: readonly string[];
  projectIds: readonly string[];
  enabled: boolean;
  sealedSecret: string;
}
const CREATE = `
insert into webhook_endpoints (workspace_id, id, name, url, actions, project_ids, enabled, sealed_secret,
  created_by_actor_id)
values (current_workspace(), $1, $2, $3, $4, $5, $6, $7, current_actor())`;
export const createEndpoint = (tx: Queries, made: NewEndpoint) =>
  Promise.all([
    tx.rows(CREATE, [made.id, made.name, made.url, made.actions, made.projectIds, made.enabled, made.sealedSecret]),
    made.enabled ? tx.rows(FOLLOW, [made.id]) : null,
  ]);

interface Changed {
  name: string;
  url: string;
  actions: readonly string[];
  project_ids: readonly string[];
  enabled: boolean;
  created_by_actor_id: string;
}
const UPDATE = `
update webhook_endpoints w
  set name = $2, url = $3, actions = $4, project_ids = $5, enabled = $6, created_by_actor_id = $7,
    disabled_reason = null,
  enabled_at = case when $6 and not w.enabled then now() else w.enabled_at end,
  failing_since = case when $6 and not w.enabled then null else w.failing_since end,
  revision = w.revision + 1, updated_at = now()
where w.workspace_id = current_workspace() and w.id = $1`;
/** `begins`: the endpoint was disabled before. */
export const updateEndpoint = (tx: Queries, id: string, changed: Changed, begins: boolean) =>
  Promise.all([
    begins ? tx.rows(FOLLOW, [id]) : null,
    tx.rows(UPDATE, [
      ...[id, changed.name, changed.url, changed.actions, changed.project_ids, changed.enabled],
      changed.created_by_actor_id,
    ]),
  ]);

const ROTATE = `
update webhook_endpoints
  set previous_sealed_secret = sealed_secret, previous_secret_expires_at = now() + interval '24 hours',
    sealed_secret = $2,
  revision = revision + 1, updated_at = now()
where workspace_id = current_workspace() and id = $1`;
export const rotateSecret = (tx: Queries, id: string, sealed: string) => tx.rows(ROTATE, [id, sealed]);

const DELETE = `
update webhook_endpoints
  set deleted_at = now(), enabled = false, due_at = null, sealed_secret = '', previous_sealed_secret = null,
  previous_secret_expires_at = null, revision = revision + 1, updated_at = now()
where workspace_id = current_workspace() and id = $1`;
export const deleteEndpoint = (tx: Queries, id: string) => tx.rows(DELETE, [id]);

// ---- the log --------------------------------------------------------------------------------------------------------

const deliveries = (state: string) => `
select ${deliveryView} as json, json_build_array(d.id)::text as key from webhook_deliveries d
where d.workspace_id = current_workspace() and d.endpoint_id = $1 ${state} and d.id < $2 order by d.id desc limit $3`;
const DELIVERIES = deliveries("");
const DELIVERIES_IN_STATE = deliveries("and d.state = $4");
export const listDeliveries = (tx: Queries, endpointId: string, state: string | undefined, { after, limit }: Page) => {
  const values = [endpointId, after?.[0] ?? LAST_ID, limit + 1];
  return state === undefined
    ? tx.rows<ListRow>(DELIVERIES, values)
    : tx.rows<ListRow>(DELIVERIES_IN_STATE, [...values, state]);
};

/** Makes the endpoints due now. The row is updated after the deliveries were queued, so that the sender sees them. */
const DUE = `update webhook_endpoints set due_at = least(due_at, now())
    where workspace_id = current_workspace() and id = any($1::uuid[])`;
export const makeDue = (tx: Queries, endpointIds: readonly string[]) => tx.rows(DUE, [endpointIds]);

const SHOW = `select ${deliveryView} as json from webhook_deliveries d
  where d.workspace_id = current_workspace() and d.id = $1`;
const QUEUE =
  "insert into webhook_deliveries (workspace_id, id, endpoint_id, action) values (current_workspace(), $1, $2, $3)";
/** Queues a delivery without an event. */
export async function queueTest(tx: Queries, id: string, endpointId: string, action: string) {
  const [, , row] = await Promise.all([
    tx.rows(QUEUE, [id, endpointId, action]),
    makeDue(tx, [endpointId]),
    tx.one<{ json: string }>(SHOW, [id]),
  ]);
  return row;
}

const REPLAY = `
update webhook_deliveries set state = 'queued', attempts = 0, queued_at = now(), next_attempt_at = now()
where workspace_id = current_workspace() and id = $1`;
export async function replay(tx: Queries, id: string, endpointId: string) {
  const [, , row] = await Promise.all([
    tx.rows(REPLAY, [id]),
    makeDue(tx, [endpointId]),
    tx.one<{ json: string }>(SHOW, [id]),
  ]);
  return row;
}
