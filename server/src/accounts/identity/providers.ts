// Sign-in with a provider and linking of identities: the redirect and the callback. Requests to the provider run
// outside every transaction. Every failed sign-in leads to the login page with the same error.
import * as contract from "@svc/contract/accounts/identity/providers.ts";
import type { Redirect } from "@svc/contract/kit.ts";
import { type EffectsContext, implementWithEffects, open } from "../../platform/kernel/implement-operation.ts";
import type { OpenidCallback } from "../../platform/outside/openid.ts";
import { refuse, refuseAt } from "../../platform/wire/problem.ts";
import { identityLinked } from "./events.ts";
import { linkedNotice } from "./provider-sign-in/identity-letters.ts";
import { enter, type Met } from "./provider-sign-in/provider-accounts.ts";
import { arrive, depart, offered, type Traveller } from "./provider-sign-in/provider-requests.ts";
import * as identities from "./provider-sign-in/provider-store.ts";
import { renew, standingOf } from "./renewal.ts";
import { localPath } from "./return-to.ts";

const FAILED: Redirect = { location: "/login?error=authentication_failed" };
const CONFIRMED: Redirect = { location: "/confirmed" };
const UNCONFIRMED: Redirect = { location: "/confirmed?error=authentication_failed" };
const TAKEN: Redirect = { location: "/error?error=identity_taken" };

export const authorizeProvider = implementWithEffects(
  contract.authorizeProvider,
  open(),
  async (context, { params, query }) => {
    const at = offered(context.outside, params.provider);
    const journey = await depart(context, at, { returnTo: localPath(query.return_to), traveller: null });
    if (!journey) return FAILED;
    await context.transaction(async ({ tx, defer }) => defer(journey.keep(tx)));
    return { location: journey.location };
  },
);

export const completeProviderSignIn = implementWithEffects(
  contract.completeProviderSignIn,
  open(),
  (context, { params, query }) => complete(context, params.provider, query, "query"),
);

export const completeProviderFormSignIn = implementWithEffects(
  contract.completeProviderFormSignIn,
  open(),
  (context, { params, body }) => complete(context, params.provider, body, "body"),
);

async function complete(context: EffectsContext, name: string, answer: OpenidCallback, sentIn: "query" | "body") {
  const at = offered(context.outside, name);
  if (at.provider.formPost !== (sentIn === "body")) return refuse("not_found");
  if ((answer.code === undefined) === (answer.error === undefined)) {
    const detail = "must be there, or an error in its place";
    return refuseAt(`/${sentIn}/code`, "invalid_request", detail, "required");
  }
  const arrived = await arrive(context, at, answer);
  if (!arrived) return FAILED;
  const { traveller, returnTo, departed, claims } = arrived;
  if (!claims) return traveller?.purpose === "reauthenticate" ? UNCONFIRMED : FAILED;
  const met: Met = { provider: at.name, ...claims };
  const posted = at.provider.formPost;
  if (traveller?.purpose === "link") return link(context, met, traveller, returnTo, posted);
  if (traveller) return confirm(context, met, traveller, departed, posted);
  return (await enter(context, met, returnTo)) ?? FAILED;
}

/**
 * Links the identity to the account that started the request, while the browser is still signed in to it. Repeating it
 * changes nothing.
 */
function link(
  context: EffectsContext,
  met: Met,
  { userId, sessionId }: Traveller,
  returnTo: string | null,
  posted: boolean,
) {
  const { session } = context.browser;
  return context.transaction(async ({ tx, actAs, record, post }): Promise<Redirect> => {
    const account = await identities.linkingAccount(tx, userId, session, posted ? sessionId : null);
    if (!account) return FAILED;
    const linked = await identities.insertIdentity(tx, userId, met);
    if (!linked && (await identities.ownerOf(tx, met)) !== userId) return TAKEN;
    actAs(userId);
    await identities.proveAddress(tx, userId, met);
    if (linked) {
      record(identityLinked({ kind: "identity", id: linked.id }, { provider: met.provider }));
      post(linkedNotice(account.email, met.provider));
    }
    return { location: returnTo ?? "/security" };
  });
}

/** Tolerated clock skew of a provider. */
const SKEW_SECONDS = 60;

/**
 * Renews the session that started the request, while the browser still has it. The identity must belong to the same
 * account; if the provider reports when it authenticated the user, that must be after the request started.
 */
function confirm(
  context: EffectsContext,
  met: Met,
  { userId, sessionId }: Traveller,
  departed: number,
  posted: boolean,
): Promise<Redirect> {
  const { session } = context.browser;
  const stale = met.authenticatedAt !== null && met.authenticatedAt < departed - SKEW_SECONDS;
  if (stale || (session === null && !posted)) return Promise.resolve(UNCONFIRMED);
  return context.transaction(async (inside) => {
    const [owner, standing] = await Promise.all([
      identities.ownerOf(inside.tx, met),
      standingOf(inside.tx, userId, "for share"),
    ]);
    if (owner !== userId || standing.mfa_enabled) return UNCONFIRMED;
    inside.actAs(userId);
    const renewed = await renew(inside, { userId, sessionId, secretHash: session }, met.provider);
    return renewed ? CONFIRMED : UNCONFIRMED;
  });
}
