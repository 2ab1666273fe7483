// SQL of deliveries for members who manage an installation.
import { deliveryStates } from "@svc/contract/connect/integrations/deliveries.ts";
import type { Queries } from "../../../platform/database/db.ts";
import type { ListRow } from "../../../platform/kernel/implement-operation.ts";
import { deliveryView } from "../view.ts";

const NEWEST = "9223372036854775807";
const listing = (from: string) => `
select ${deliveryView} as json, json_build_array(d.number::text)::text as key from ${from} order by d.number desc
limit $3`;
const OF_IT = "d.workspace_id = current_workspace() and d.installation_id = $1";
const LIST = listing(`integration_deliveries d where ${OF_IT} and d.number < $2::bigint`);
/**
 * The newest of each state, and of these the newest. Uses range bounds on the state and not equality: else the newest
 * of all states are read until enough of them match.
 */
const LIST_OF = `/* reads up to 404: a page of each state */ ${listing(`unnest($4::text[]) s cross join lateral (
  select d.* from integration_deliveries d
  where ${OF_IT} and (d.state, d.number) < (s, $2::bigint) and d.state >= s order by d.state desc, d.number desc
  limit $3) d`)}`;
export const listDeliveries = (
  tx: Queries,
  installationId: string,
  states: readonly string[],
  { after, limit }: { after: readonly unknown[] | null; limit: number },
) => {
  const values = [installationId, after?.[0] ?? NEWEST, limit + 1];
  const isAll = states.length === deliveryStates.length;
  return isAll ? tx.rows<ListRow>(LIST, values) : tx.rows<ListRow>(LIST_OF, [...values, states]);
};

export interface InboundDeliveryTarget {
  id: string;
  state: "waiting" | "done" | "ignored" | "failed";
  is_kept: boolean;
  is_revoked: boolean;
}
const LOCK = `
select d.id, d.state, d.body is not null as is_kept, i.state = 'revoked' as is_revoked from integration_deliveries d
join integration_installations i on i.workspace_id = d.workspace_id and i.id = d.installation_id
  and i.removed_at is null
where d.workspace_id = current_workspace() and d.id = $1 for no key update of d`;
export const lockDelivery = (tx: Queries, id: string) => tx.maybe<InboundDeliveryTarget>(LOCK, [id]);

/** Appends the replay to its lane as if it had come now, so that it does not overtake the delivery in progress. */
const REPLAY = `
update integration_deliveries d
  set state = 'waiting', replays = d.replays + 1, attempts = 0, error_code = null, worked_at = null,
    leased_until = null, lease_process = null,
  tx = pg_current_xact_id()
where d.workspace_id = current_workspace() and d.id = $1 returning ${deliveryView} as json`;
export const replay = (tx: Queries, id: string) => tx.one<{ json: string }>(REPLAY, [id]);
