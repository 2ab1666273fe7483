// SQL of members' requests for providers.
import type { Queries } from "../../../platform/database/db.ts";
import type { ListRow } from "../../../platform/kernel/implement-operation.ts";
import { LAST_ID } from "../../../platform/wire/ids.ts";
import { requestView } from "../view.ts";

type Row = { json: string; revision: string };

const CREATE = `
insert into integration_requests as q (workspace_id, id, provider_key, note, requested_by_actor_id)
values (current_workspace(), $1, $2, $3, current_actor()) returning ${requestView} as json, q.revision::text`;
export const createRequest = (tx: Queries, id: string, providerKey: string, note: string) =>
  tx.one<Row>(CREATE, [id, providerKey, note]);

const LIST = `
select ${requestView} as json, json_build_array(q.id)::text as key from integration_requests q
where q.workspace_id = current_workspace() and q.state = 'open' and q.id < $1 order by q.id desc limit $2`;
export const listOpenRequests = (tx: Queries, { after, limit }: { after: readonly unknown[] | null; limit: number }) =>
  tx.rows<ListRow>(LIST, [after?.[0] ?? LAST_ID, limit + 1]);

export interface RequestTarget extends Row {
  id: string;
  state: "open" | "closed" | "declined";
  provider_key: string;
  requested_by_actor_id: string;
}
const LOCK = `
select q.id, q.state, q.provider_key, q.requested_by_actor_id, q.revision::text, ${requestView} as json
from integration_requests q
where q.workspace_id = current_workspace() and q.id = $1 for no key update`;
export const lockRequest = (tx: Queries, id: string) => tx.maybe<RequestTarget>(LOCK, [id]);

const DECLINE = `
update integration_requests q set state = 'declined', revision = q.revision + 1, updated_at = now()
where q.workspace_id = current_workspace() and q.id = $1 returning ${requestView} as json, q.revision::text`;
export const declineRequest = (tx: Queries, id: string) => tx.one<Row>(DECLINE, [id]);

const CLOSE = `
/* reads up to 5000: one of each member at most */
update integration_requests set state = 'closed', revision = revision + 1, updated_at = now()
where workspace_id = current_workspace() and provider_key = $1 and state = 'open' returning id, requested_by_actor_id`;
/** Returns those that were open. */
export const closeRequests = (tx: Queries, providerKey: string) =>
  tx.rows<{ id: string; requested_by_actor_id: string }>(CLOSE, [providerKey]);
