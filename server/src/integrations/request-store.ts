// SQL of what members ask for.
import type { Queries } from "../database/db.ts";
import { requestView } from "./view.ts";

const CREATE = `
insert into integration_requests as q (workspace_id, id, provider_key, note, requested_by_actor_id)
values (current_workspace(), $1, $2, $3, current_actor()) returning ${requestView} as json, q.revision::text`;
export const createRequest = (tx: Queries, id: string, providerKey: string, note: string) =>
  tx.one<{ json: string; revision: string }>(CREATE, [id, providerKey, note]);

const CLOSE = `
/* reads up to 5000: one of each member at most */
update integration_requests set state = 'closed', revision = revision + 1, updated_at = now()
where workspace_id = current_workspace() and provider_key = $1 and state = 'open'`;
export const closeRequests = (tx: Queries, providerKey: string) => tx.rows(CLOSE, [providerKey]);
