// Developer client grants of the signed-in account. The list contains only usable grants; deleting a grant revokes its
// tokens immediately.
import * as contract from "@svc/contract/accounts/account/developer-grants.ts";
import { account, implement, implementList } from "../../platform/kernel/implement-operation.ts";
import { LAST_ID } from "../../platform/wire/ids.ts";
import { clientGrant } from "./access.ts";
import { oauthGrantRevoked } from "./events.ts";
import { revokeGrant, usableGrants } from "./store.ts";

export const listDeveloperGrants = implementList(contract.listDeveloperGrants, account(), (tx, { page }) =>
  usableGrants(tx, "developer", (page.after?.[0] as string | undefined) ?? LAST_ID, page.limit + 1),
);

export const deleteDeveloperGrant = implement(
  contract.deleteDeveloperGrant,
  clientGrant("developer"),
  async ({ tx, record }, { target }) => {
    if (await revokeGrant(tx, target.id)) record(oauthGrantRevoked({ kind: "oauth_grant", id: target.id }));
  },
);
