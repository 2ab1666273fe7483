// Identities of people at providers: listed and unlinked. A round trip links them.
import * as contract from "@svc/contract/connect/integrations/identities.ts";
import { type Access, account, implement, implementList } from "../../platform/kernel/implement-operation.ts";
import { identityUnlinked } from "./events.ts";
import * as store from "./install/identity-store.ts";

export const listIntegrationIdentities = implementList(contract.listIntegrationIdentities, account(), (tx, { page }) =>
  store.listIdentities(tx, page),
);

type Target = NonNullable<Awaited<ReturnType<typeof store.ownIdentity>>>;
/** Identity of the caller's own account. */
const identity: Access<Target> = {
  reach: "account",
  load: (tx, { identity_id }) => store.ownIdentity(tx, identity_id as string),
  permits: () => true,
};
export const deleteIntegrationIdentity = implement(
  contract.deleteIntegrationIdentity,
  identity,
  async ({ tx, defer, record }, { target: { id, provider_key } }) => {
    defer(store.deleteIdentity(tx, id));
    record(identityUnlinked({ kind: "integration_identity", id }, { provider_key }));
  },
);
