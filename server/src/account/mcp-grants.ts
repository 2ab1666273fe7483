// The MCP clients that may act for the signed-in person. What is listed is what can still be used; what is ended here is ended at once.
import * as contract from "@svc/contract/account/mcp-grants.ts";
import { account, implement, implementList } from "../kernel/implement.ts";
import { LAST_ID } from "../wire/ids.ts";
import { mcpGrant } from "./access.ts";
import { oauthGrantRevoked } from "./events.ts";
import { revokeGrant } from "./store.ts";
import { mcpGrantView } from "./view.ts";

// A grant is used when tokens are issued: these can be renewed for 30 days, or are good for an hour where they cannot. Before the first
// ones, nobody has been let in yet.
const LIST = `
select ${mcpGrantView} as json, json_build_array(g.id)::text as key
from oauth_grants g join workspaces w on w.id = g.workspace_id
where g.user_id = current_account() and g.family = 'mcp' and g.revoked_at is null and g.id < $1
  and g.last_used_at > now() - case when g.refreshes then interval '30 days' else interval '1 hour' end
order by g.id desc limit $2`;

export const listMcpGrants = implementList(contract.listMcpGrants, account(), (tx, { page }) =>
  tx.rows(LIST, [page.after?.[0] ?? LAST_ID, page.limit + 1]),
);

export const deleteMcpGrant = implement(contract.deleteMcpGrant, mcpGrant(), async ({ tx, record }, { target }) => {
  if (await revokeGrant(tx, target.id)) record(oauthGrantRevoked({ kind: "oauth_grant", id: target.id }));
});
