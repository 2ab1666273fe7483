// MCP client grants of the signed-in account. The list contains only usable grants; deleting a grant revokes its tokens
// immediately.
import * as contract from "@svc/contract/accounts/account/mcp-grants.ts";
import { account, implement, implementList } from "../../platform/kernel/implement-operation.ts";
import { LAST_ID } from "../../platform/wire/ids.ts";
import { clientGrant } from "./access.ts";
import { oauthGrantRevoked } from "./events.ts";
import { revokeGrant, usableGrants } from "./store.ts";

export const listMcpGrants = implementList(contract.listMcpGrants, account(), (tx, { page }) =>
  usableGrants(tx, "mcp", (page.after?.[0] as string | undefined) ?? LAST_ID, page.limit + 1),
);

export const deleteMcpGrant = implement(
  contract.deleteMcpGrant,
  clientGrant("mcp"),
  async ({ tx, record }, { target }) => {
    if (await revokeGrant(tx, target.id)) record(oauthGrantRevoked({ kind: "oauth_grant", id: target.id }));
  },
);
