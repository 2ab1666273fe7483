// Provider identities of an account: list, link through a redirect to the provider, and remove while another sign-in
// method is left.
import * as contract from "@svc/contract/accounts/identity/identities.ts";
import {
  type Access,
  account,
  implement,
  implementList,
  implementWithEffects,
} from "../../platform/kernel/implement-operation.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { identityRemoved } from "./events.ts";
import { depart, offered } from "./provider-sign-in/provider-requests.ts";
import * as store from "./provider-sign-in/provider-store.ts";
import { localPath } from "./return-to.ts";
import { hasOtherSignInMethod } from "./store.ts";

export const listIdentities = implementList(contract.listIdentities, account(), (tx, { page }) =>
  store.identitiesAfter(tx, page.after?.[0], page.limit + 1),
);

export const linkIdentity = implementWithEffects(contract.linkIdentity, account(), async (context, { body }) => {
  const { userId, credentialId } = context.principal ?? refuse("authentication_required");
  const at = offered(context.outside, body.provider);
  const traveller = { userId, sessionId: credentialId, purpose: "link" } as const;
  const journey = await depart(context, at, { returnTo: localPath(body.return_to), traveller });
  return context.finish(async ({ tx, defer }) => {
    if (!journey) return refuse("sign_in_provider_unavailable", { retry_after: 5 });
    if (await store.hasIdentity(tx, userId, at.name)) return refuse("identity_taken");
    defer(journey.keep(tx));
    return { authorization_url: journey.location };
  });
});

interface IdentityTarget {
  id: string;
  provider: string;
}
const LOAD = "select id, provider from identities where id = $1 and user_id = current_account()";
/** One of the caller's own identities. */
const identity = (): Access<IdentityTarget> => ({
  reach: "account",
  load: (tx, params) => tx.maybe<IdentityTarget>(LOAD, [params.identity_id]),
  permits: () => true,
});

export const deleteIdentity = implement(
  contract.deleteIdentity,
  identity(),
  async ({ tx, principal, record }, { target: { id, provider } }) => {
    if (!(await hasOtherSignInMethod(tx, principal.userId, id))) return refuse("last_sign_in_method");
    if (!(await store.deleteIdentity(tx, id))) return refuse("not_found");
    record(identityRemoved({ kind: "identity", id }, { provider }));
  },
);
