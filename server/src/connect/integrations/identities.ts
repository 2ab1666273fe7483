// Who somebody is at providers: listed, and unlinked. Linked by a round trip (roundtrips.ts).
import * as contract from "@svc/contract/connect/integrations/identities.ts";
import { type Access, account, implement, implementList } from "../../platform/kernel/implement.ts";
import { identityUnlinked } from "./events.ts";
import * as store from "./identity-store.ts";

export const listIntegrationIdentities = implementList(contract.listIntegrationIdentities, account(), (tx, { page }) =>
  store.listIdentities(tx, page),
);

type Target = NonNullable<Awaited<ReturnType<typeof store.ownIdentity>>>;
/** One of the caller's own. */
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
