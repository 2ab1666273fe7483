// SQL of members' requests about definitions. Members see their own; those who manage the Workspace see all.

import { callerManages } from "../../accounts/workspaces/access.ts";
import type { Queries } from "../../platform/database/db.ts";
import type { ListRow } from "../../platform/kernel/implement-operation.ts";
import { LAST_ID } from "../../platform/wire/ids.ts";
import { requestView } from "./view.ts";

// Two branches, so that each uses an index: the requests of a definition, and the caller's own, which are few.
const listSql = (state: string) => `
select ${requestView} as json, json_build_array(r.id)::text as key from (
  select x.* from (select where ${callerManages}) manager cross join lateral (
    select * from agent_requests where workspace_id = current_workspace() and definition_id = $1 and id < $2 ${state}
    order by id desc limit $3) x
  union all
  select x.* from (select where not (${callerManages})) other cross join lateral (
    select * from agent_requests
    where workspace_id = current_workspace() and requested_by_actor_id = current_actor() and id < $2 order by id desc
    offset 0) x
  where x.definition_id = $1 ${state}
) r order by r.id desc limit $3`;
const [LIST, LIST_STATE] = [listSql(""), listSql("and state = $4")];
export const listRequests = (
  tx: Queries,
  definitionId: string,
  state: string | undefined,
  { after, limit }: { after: readonly unknown[] | null; limit: number },
) => {
  const values = [definitionId, after?.[0] ?? LAST_ID, limit + 1];
  return state === undefined ? tx.rows<ListRow>(LIST, values) : tx.rows<ListRow>(LIST_STATE, [...values, state]);
};

const CREATE = `
insert into agent_requests as r (workspace_id, id, definition_id, version, kind, note, requested_by_actor_id)
values (current_workspace(), $1, $2, $3, $4, $5, current_actor()) returning ${requestView} as json, r.revision::text`;
export const createRequest = (
  tx: Queries,
  {
    id,
    definitionId,
    version,
    kind,
    note,
  }: Record<"id" | "definitionId" | "kind" | "note", string> & { version: number | null },
) => tx.one<{ json: string; revision: string }>(CREATE, [id, definitionId, version, kind, note]);

const DECIDE = `
with decided as (
  update agent_requests set state = $3, decided_by_actor_id = current_actor(), decided_at = now(),
    revision = revision + 1, updated_at = now()
  where workspace_id = current_workspace() and id = $2 and definition_id = $1 and state = 'pending' returning id
)
select r.kind, r.requested_by_actor_id, exists (select from decided) as changed from agent_requests r
where r.workspace_id = current_workspace() and r.id = $2 and r.definition_id = $1`;
/** Undefined if there is no such request; unchanged if it was already decided. */
export const decideRequest = (tx: Queries, definitionId: string, id: string, state: "approved" | "rejected") =>
  tx.maybe<{ kind: string; requested_by_actor_id: string; changed: boolean }>(DECIDE, [definitionId, id, state]);
