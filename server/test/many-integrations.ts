// Integrations in the Workspace of many rows: of each thing that a list can be long of, 20,000, around the one that has
// the Project's id.

import { noRules } from "../src/connect/integrations/rules.ts";
import type { TestService } from "./world.ts";

/** As the statements of many-rows.ts, with the same values. */
export const integrationRows = [
  `insert into integration_installations (workspace_id, id, provider_key, external_id, account_name, actor_id,
   installed_by_actor_id, removed_at, state)
   select $1, id, 'webhook', n::text, 'Account ' || n, id, $3, case n % 3 when 0 then now() end,
     case n % 3 when 0 then 'revoked' else 'active' end from made
   union all select $1, $6, 'webhook', 'one', 'Account', $3, $3, null, 'active'`,
  `insert into integration_resources (workspace_id, id, installation_id, external_id, kind, name, listed)
   select $1, id, case n % 2 when 0 then $6 else id end, n::text, 'repository', 'Name ' || n, n % 6 > 0 from made`,
  `insert into integration_requests (workspace_id, id, provider_key, note, requested_by_actor_id, state)
   select $1, id, case n % 50 when 0 then 'webhook' else 'github' end, '', id,
     case n % 100 when 0 then 'open' else 'closed' end from made`,
  `insert into integration_bindings (workspace_id, id, project_id, installation_id, resource_id, created_by_actor_id,
   rules)
   select $1, r.id, case when made.n % 2 = 0 then $6 else made.id end, r.installation_id, r.id, $3,
     '${JSON.stringify(noRules)}' from made join integration_resources r on r.workspace_id = $1 and r.id = made.id`,
  `insert into integration_subscriptions (workspace_id, id, binding_id, event_kinds, created_by_actor_id)
   select $1, id, case n % 2
     when 0 then (select id from integration_bindings where workspace_id = $1 and project_id = $6 order by id limit 1)
     else id end, '{message}', $3 from made`,
  `insert into integration_deliveries (workspace_id, id, installation_id, delivery_key, lane, kind, body, state)
   select $1, id, case n % 2 when 0 then $6
     else (select i.id from integration_installations i where i.workspace_id = $1 and i.id <> $6 limit 1) end, n::text,
     n::text, 'delivery', 'x', 'done' from made`,
  `insert into integration_identities (id, user_id, provider_key, base_url, external_id, name)
   select id, case n % 2 when 0 then $2 when 1 then $4 end, 'gitlab', n::text, n::text, 'Octo' from made`,
  `insert into integration_actions (workspace_id, id, installation_id, resource_id, action, state, cause)
   select $1, m.id, r.installation_id, r.id, 'comment', case m.n % 3 when 0 then 'queued' else 'succeeded' end,
     'event ' || m.n
   from made m join integration_resources r on r.workspace_id = $1 and r.id = m.id`,
];

export const integrationLists = (projectId: string, bindingId: string) => ({
  listIntegrationSubscriptions: [`/integration-bindings/${bindingId}/subscriptions`],
  listIntegrationDeliveries: ["", "?state=failed", "?state=!done", "?state=done,failed"].map(
    (query) => `/integration-installations/${projectId}/deliveries${query}`,
  ),
  listIntegrationResources: [`/integration-installations/${projectId}/resources`],
});

const FIRST = "select id from integration_bindings where workspace_id = $1 and project_id = $2 order by id limit 1";
/** The one that has half of the subscriptions. */
export const firstBinding = async (running: TestService, workspaceId: string, projectId: string) =>
  (await running.sql<{ id: string }>(FIRST, [workspaceId, projectId], workspaceId))[0]?.id ?? "";
