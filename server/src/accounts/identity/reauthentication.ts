// Reauthentication with a password, a second factor code, a passkey, or a redirect to a provider (completed in
// providers.ts). It is as strong as signing in: with a second factor, neither a password nor a provider suffices.
// Proofs are verified outside every transaction, and the transaction that renews the session checks again what was
// proved.
import type { PasskeyAssertion } from "@svc/contract/accounts/identity/passkeys.ts";
import * as contract from "@svc/contract/accounts/identity/reauthentication.ts";
import type { Static } from "typebox";
import type { Queries } from "../../platform/database/db.ts";
import {
  account,
  type EffectsContext,
  type EffectsTransaction,
  implementWithEffects,
} from "../../platform/kernel/implement-operation.ts";
import type { ProviderName } from "../../platform/outside/openid.ts";
import { sha256 } from "../../platform/wire/ids.ts";
import { refuse, refuseAt } from "../../platform/wire/problem.ts";
import { requirePassword } from "./passwords/password-rules.ts";
import { depart, offered } from "./provider-sign-in/provider-requests.ts";
import { hasIdentity } from "./provider-sign-in/provider-store.ts";
import { renew, standingOf } from "./renewal.ts";
import { noteRecovery, proofOf, refuseCode } from "./sign-in.ts";
import { typedCode } from "./two-factor/one-time-code.ts";
import * as factors from "./two-factor/second-factor-store.ts";
import { beginCeremony, credentialsOf } from "./webauthn/passkey-store.ts";
import { countUse, newCeremonyToken, usedPasskey } from "./webauthn/passkey-use.ts";
import { newChallenge, type PasskeyDescriptor, relyingPartyOf, requestOptions } from "./webauthn/webauthn.ts";

const caller = ({ principal }: EffectsContext) => principal ?? refuse("authentication_required");

const WAYS = `
select u.password_hash is not null as has_password, u.mfa_enabled_at is not null as mfa_enabled,
  array(select i.provider from identities i where i.user_id = u.id order by i.provider) as providers,
  ${credentialsOf("p.disabled_at is null")} as passkeys,
  (select wire_time(c.authenticated_at + interval '15 minutes') from credentials c
    where c.id = $2 and c.authenticated_at > now() - interval '15 minutes') as recent_until
from users u where u.id = $1`;
interface Ways {
  has_password: boolean;
  mfa_enabled: boolean;
  providers: ProviderName[];
  passkeys: PasskeyDescriptor[];
  recent_until: string | null;
}
const waysOf = (tx: Queries, userId: string, sessionId: string) => tx.one<Ways>(WAYS, [userId, sessionId]);

export const createReauthenticationOptions = implementWithEffects(
  contract.createReauthenticationOptions,
  account(),
  (context) => {
    const { userId, credentialId } = caller(context);
    const party = relyingPartyOf(context.outside.origin());
    return context.finish(async ({ tx, defer }) => {
      const ways = await waysOf(tx, userId, credentialId);
      const providers = ways.mfa_enabled ? [] : ways.providers.filter((name) => name in context.outside.providers);
      const usable = party !== null && ways.passkeys.length > 0;
      const [token, challenge] = [newCeremonyToken(), newChallenge()];
      if (usable) defer(beginCeremony(tx, "reauthenticate", token, userId, challenge));
      const methods = [
        ways.has_password && !ways.mfa_enabled && "password",
        ways.mfa_enabled && "code",
        usable && "passkey",
        providers.length > 0 && "provider",
      ] as const;
      return {
        recent_until: ways.recent_until,
        methods: methods.filter((method) => method !== false),
        providers,
        passkey: usable ? { ceremony_token: token, options: requestOptions(party, challenge, ways.passkeys) } : null,
      };
    });
  },
);

export const reauthenticate = implementWithEffects(contract.reauthenticate, account(), (context, { body }) => {
  const { password, code, ceremony_token: token, response } = body;
  const given = [password, code, token ?? response].filter((proof) => proof !== undefined);
  if (given.length !== 1 || (token === undefined) !== (response === undefined)) return refuseBody();
  if (password !== undefined) return byPassword(context, password);
  if (code !== undefined) return byCode(context, code);
  return byPasskey(context, token as string, response as Static<typeof PasskeyAssertion>);
});

function refuseBody(): never {
  const detail = "must hold one proof: password, or code, or ceremony_token and response";
  return refuseAt("/body", "invalid_request", detail, "one_proof");
}

async function byPassword(context: EffectsContext, password: string) {
  const { userId } = caller(context);
  const standing = await context.read((tx) => standingOf(tx, userId));
  if (standing.mfa_enabled) return refuse("second_factor_required");
  if (standing.password_hash === null) return refuse("password_not_set");
  await requirePassword(context, standing.password_hash, password);
  return context.transaction(async (inside) => {
    const now = await standingOf(inside.tx, userId, "for share");
    if (now.mfa_enabled) return refuse("second_factor_required");
    if (now.password_hash !== standing.password_hash) return refuse("invalid_credentials");
    return renewed(context, inside, "password");
  });
}

async function byCode(context: EffectsContext, code: string) {
  const { userId } = caller(context);
  const typed = typedCode(code);
  const factor = await context.read((tx) => factors.factorOf(tx, userId, typed));
  if (!factor) return refuse("mfa_not_enabled");
  const proof = await proofOf(context, factor, typed);
  if (!proof) return refuseCode(context, factor);
  return context.transaction(async (inside) => {
    const [, used] = await Promise.all([
      standingOf(inside.tx, userId, "for share"),
      factors.useProof(inside.tx, factor, proof),
    ]);
    if (!used) return refuse("invalid_code");
    noteRecovery(inside, factor, used.codes_left);
    return renewed(context, inside, "step" in proof ? "code" : "recovery_code");
  });
}

async function byPasskey(context: EffectsContext, token: string, response: Static<typeof PasskeyAssertion>) {
  const { userId } = caller(context);
  const used = await usedPasskey(context, { token, userId }, response);
  const answer = await context.transaction(async (inside) =>
    (await countUse(inside, used)) ? renewed(context, inside, "passkey") : null,
  );
  // Refuses only after the commit, because disabling the passkey must persist.
  return answer ?? refuse("invalid_credentials");
}

/** Renews the caller's session, if it still has the secret that was presented. */
async function renewed(context: EffectsContext, inside: EffectsTransaction, method: string) {
  const { userId, credentialId: sessionId, secret } = caller(context);
  const found = await renew(inside, { userId, sessionId, secretHash: sha256(secret) }, method);
  return found ?? refuse("authentication_required");
}

export const reauthenticateWithProvider = implementWithEffects(
  contract.reauthenticateWithProvider,
  account(),
  async (context, { body }) => {
    const { userId, credentialId: sessionId } = caller(context);
    const at = offered(context.outside, body.provider);
    const traveller = { userId, sessionId, purpose: "reauthenticate" } as const;
    const journey = await depart(context, at, { returnTo: null, traveller });
    return context.finish(async ({ tx, defer }) => {
      const [standing, linked] = await Promise.all([standingOf(tx, userId), hasIdentity(tx, userId, at.name)]);
      if (!linked) return refuse("not_found");
      if (standing.mfa_enabled) return refuse("second_factor_required");
      if (!journey) return refuse("sign_in_provider_unavailable", { retry_after: 5 });
      defer(journey.keep(tx));
      return { authorization_url: journey.location };
    });
  },
);
