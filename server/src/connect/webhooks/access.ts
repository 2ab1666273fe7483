// Webhook endpoints are visible only to those who manage integrations.

import { HOLD } from "../../accounts/workspaces/access.ts";
import { may } from "../../accounts/workspaces/rules.ts";
import type { Queries } from "../../platform/database/db.ts";
import { type Access, unlessHidden } from "../../platform/kernel/implement-operation.ts";
import { deliveryView, endpointView } from "./view.ts";

export const MANAGE = "integrations:manage";

/**
 * The Workspace that endpoints are created in: a lock serialises creations, so that two cannot both take the last free
 * one.
 */
export const endpointsOfWorkspace = (): Access<object> => ({
  reach: "membership",
  load: async (tx, _params, change) => (change ? tx.rows(HOLD).then(() => ({})) : {}),
  permits: ({ member }) => may(member.role, MANAGE),
});

export interface EndpointTarget {
  id: string;
  json: string;
  revision: string;
  name: string;
  url: string;
  actions: string[];
  project_ids: string[];
  enabled: boolean;
  created_by_actor_id: string;
  /** Whether its creator is still an active member. */
  has_creator: boolean;
}
const ENDPOINT = `
select w.id, ${endpointView} as json, w.revision::text, w.name, w.url, w.actions, w.project_ids::text[] as project_ids,
  w.enabled, w.created_by_actor_id, exists (
  select from memberships m where m.workspace_id = w.workspace_id and m.actor_id = w.created_by_actor_id
    and m.state = 'active') as has_creator
from webhook_endpoints w where w.workspace_id = current_workspace() and w.id = $1 and w.deleted_at is null`;
const CHANGED_ENDPOINT = `${ENDPOINT} for no key update of w`;
export const readEndpoint = (tx: Queries, id: string, change = false) =>
  tx.maybe<EndpointTarget>(change ? CHANGED_ENDPOINT : ENDPOINT, [id]);
export const endpoint = (): Access<EndpointTarget> => ({
  reach: "membership",
  load: (tx, { endpoint_id }, change) => readEndpoint(tx, endpoint_id as string, change),
  permits: ({ member }) => unlessHidden(may(member.role, MANAGE)),
});

export interface WebhookDeliveryTarget {
  id: string;
  json: string;
  endpoint_id: string;
  enabled: boolean;
}
const DELIVERY = `
select d.id, ${deliveryView} as json, d.endpoint_id, w.enabled from webhook_deliveries d
join webhook_endpoints w on w.workspace_id = d.workspace_id and w.id = d.endpoint_id and w.deleted_at is null
where d.workspace_id = current_workspace() and d.id = $1`;
/** Locks the endpoint first, in the same order as the sender. */
const CHANGED_DELIVERY = `${DELIVERY} for no key update of w, d`;
export const delivery = (): Access<WebhookDeliveryTarget> => ({
  reach: "membership",
  load: (tx, { delivery_id }, change) =>
    tx.maybe<WebhookDeliveryTarget>(change ? CHANGED_DELIVERY : DELIVERY, [delivery_id]),
  permits: ({ member }) => unlessHidden(may(member.role, MANAGE)),
});
