// Resolves a provider sign-in to an account. A known subject alone decides. For an unknown subject, an email address
// that the provider has verified finds the account or opens a new one; an unverified address does neither.
import type { Redirect } from "@svc/contract/kit.ts";
import { Email } from "@svc/contract/types.ts";
import type { EffectsContext, EffectsTransaction } from "../../../platform/kernel/implement-operation.ts";
import type { Claims, ProviderName } from "../../../platform/outside/openid.ts";
import { newId } from "../../../platform/wire/ids.ts";
import { faultsIn } from "../../../platform/wire/input/validation.ts";
import { accountReclaimed, accountRegistered, identityLinked, signedIn, signInChallenged } from "../events.ts";
import { reclaim } from "../reclaim-store.ts";
import { homeOf } from "../return-to.ts";
import { cookieMaxAge, displayNameOf, normalisedEmail, usernameCandidates } from "../rules.ts";
import * as store from "../store.ts";
import { insertChallenge } from "../two-factor/second-factor-store.ts";
import { linkedNotice, reclaimedNotice } from "./identity-letters.ts";
import * as identities from "./provider-store.ts";

export type Met = Claims & { provider: ProviderName };

/** Lost a race against a concurrent sign-in, or the account has another identity of this provider. */
class Lost extends Error {}
const TWINS = new Set(["users_email_taken", "identities_subject_taken", "identities_one_per_provider"]);
const isLost = (error: unknown) =>
  error instanceof Lost || TWINS.has((error as { constraint?: string }).constraint ?? "");

/**
 * Signs in and returns the redirect; null if no account can be signed in. Retries once: of two concurrent first
 * sign-ins one creates the account, and the other finds it on its retry.
 */
export async function enter(context: EffectsContext, met: Met, returnTo: string | null): Promise<Redirect | null> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await context.transaction((inside) => enterOnce(inside, met, returnTo));
    } catch (error) {
      if (!isLost(error)) throw error;
      if (attempt === 2) return null;
    }
  }
}

async function enterOnce(inside: EffectsTransaction, met: Met, returnTo: string | null): Promise<Redirect | null> {
  const { tx, record, actAs, cookies, client } = inside;
  const userId = (await identities.ownerOf(tx, met)) ?? (await firstMeeting(inside, met));
  if (userId === null) return null;
  const account = await identities.entering(tx, userId, met);
  if (!account) throw new Lost();
  actAs(userId);
  const about = { kind: "account", id: userId };
  if (account.mfa_enabled) {
    const { mfa_token } = await insertChallenge(tx, userId, "browser", true, {});
    record(signInChallenged(about, { provider: met.provider }));
    const told = new URLSearchParams({ token: mfa_token, ...(returnTo === null ? {} : { return_to: returnTo }) });
    return { location: `/second-factor#${told}` };
  }
  const secret = await store.insertSession(tx, userId, account.workspace_id, true, client);
  record(signedIn(about, { workspace_id: account.workspace_id, provider: met.provider }));
  cookies.set(secret, cookieMaxAge(true));
  return { location: returnTo ?? homeOf(account.workspace_id) };
}

async function firstMeeting(inside: EffectsTransaction, met: Met): Promise<string | null> {
  const email = met.email === null ? "" : normalisedEmail(met.email);
  if (!met.emailVerified || faultsIn("body", Email, email).length > 0) return null;
  const { tx, record, post } = inside;
  const found = await identities.accountWith(tx, email);
  // Someone without access to the address may have opened the account. Proving the address gives its owner sole access.
  if (found && !found.proved) await reclaim(tx, found.id, null);
  const userId = found?.id ?? (await openAccount(inside, email, met.name));
  const linked = await identities.insertIdentity(tx, userId, met);
  if (!linked) throw new Lost();
  if (found && !found.proved) {
    record(accountReclaimed({ kind: "account", id: userId }, { provider: met.provider }));
    post(reclaimedNotice(email, met.provider));
  } else if (found) post(linkedNotice(email, met.provider));
  record(identityLinked({ kind: "identity", id: linked.id }, { provider: met.provider }));
  return userId;
}

/** Opens an account with a proved address and without a password. */
async function openAccount({ tx, record }: EffectsTransaction, email: string, name: string | null): Promise<string> {
  const [id, displayName] = [newId(), displayNameOf(name, email)];
  const { usernames } = await store.availability(tx, email, usernameCandidates(displayName, email));
  for (const username of [usernames.at(0), usernames.at(-1)]) {
    if (username === undefined) continue;
    if (!(await store.insertAccount(tx, { id, email, displayName, username, passwordHash: null }))) continue;
    record(accountRegistered({ kind: "account", id }));
    return id;
  }
  throw new Lost();
}
