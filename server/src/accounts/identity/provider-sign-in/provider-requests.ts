// Redirects to a provider and back. This module creates the state, nonce and PKCE verifier; the request is stored under
// the hash of its state for ten minutes by the database's clock and consumed by the first callback. A request is bound
// to one browser, so that a state and code started in another browser are rejected.
import { randomBytes } from "node:crypto";
import type { Queries } from "../../../platform/database/db.ts";
import type { EffectsContext } from "../../../platform/kernel/implement-operation.ts";
import type { ExternalSystems } from "../../../platform/outside/external-systems.ts";
import type {
  Claims,
  OpenIdProvider,
  OpenidCallback,
  ProviderName,
  SignInSecrets,
} from "../../../platform/outside/openid.ts";
import { sha256 } from "../../../platform/wire/ids.ts";
import { refuse } from "../../../platform/wire/problem.ts";
import { keepRequest, useRequest } from "./request-store.ts";

/** The signed-in account and session for which the redirect links an identity or reauthenticates. */
export interface Traveller {
  userId: string;
  sessionId: string;
  purpose: "link" | "reauthenticate";
}
export interface SignInJourney {
  returnTo: string | null;
  /** Null for a sign-in. */
  traveller: Traveller | null;
}
/** The sealed contents of a stored request. */
type Kept = Omit<SignInSecrets, "state"> & SignInJourney & { browser: string; departed: number };

export interface Offered {
  name: ProviderName;
  provider: OpenIdProvider;
  redirectUri: string;
}
/** Returns the configured provider; refuses any other as not found. */
export function offered({ providers, origin }: ExternalSystems, name: string): Offered {
  const provider = Object.hasOwn(providers, name) ? providers[name as ProviderName] : undefined;
  if (!provider) return refuse("not_found");
  return {
    name: name as ProviderName,
    provider,
    redirectUri: `${origin()}/api/v1/auth/providers/${name}/callback`,
  };
}

const random = () => randomBytes(32).toString("base64url");
const isRandom = (text: string | null): text is string => text !== null && /^[\w-]{43}$/.test(text);

/**
 * Builds the provider's authorization URL and sets the browser's cookie; null if the provider is unavailable. The
 * caller runs `keep` in a transaction.
 */
export async function depart(
  { outside, browser }: Pick<EffectsContext, "outside" | "browser">,
  { name, provider, redirectUri }: Offered,
  journey: SignInJourney,
): Promise<{ location: string; keep: (tx: Queries) => Promise<unknown> } | null> {
  const proof = { state: random(), nonce: random(), verifier: random() };
  const again = journey.traveller?.purpose === "reauthenticate";
  const location = await provider.authorizationUrl(redirectUri, proof, again);
  if (location === null) return null;
  // All requests of a browser share one cookie value, so that a second tab does not invalidate the first.
  const mark = isRandom(browser.signIn) ? browser.signIn : random();
  browser.keepSignIn(mark, provider.formPost);
  const hash = sha256(proof.state);
  const { nonce, verifier } = proof;
  const departed = Math.floor(Date.now() / 1000);
  const kept: Kept = { nonce, verifier, browser: sha256(mark).toString("base64"), departed, ...journey };
  const sealed = outside.secrets.seal(JSON.stringify(kept), rowOf(hash));
  return { location, keep: (tx) => keepRequest(tx, hash, name, sealed, journey.traveller?.userId ?? null) };
}
const rowOf = (hash: Buffer) => `provider request ${hash.toString("hex")}`;

/**
 * Handles the callback: returns the stored request and the provider's claims (null if the provider reported an error or
 * the response is invalid), or null if no open request of this browser matches.
 */
export async function arrive(
  context: Pick<EffectsContext, "outside" | "browser" | "transaction">,
  { name, provider, redirectUri }: Offered,
  answer: OpenidCallback,
): Promise<(SignInJourney & { departed: number; claims: Claims | null }) | null> {
  const { outside, browser } = context;
  const hash = sha256(answer.state);
  const sealed = await useRequest(context, hash, name);
  const opened = sealed && outside.secrets.open(sealed, rowOf(hash));
  if (!opened) return null;
  const kept: Kept = JSON.parse(opened);
  const mark = browser.signIn;
  if (!isRandom(mark) || sha256(mark).toString("base64") !== kept.browser) return null;
  const { nonce, verifier, departed, returnTo, traveller } = kept;
  const proof = { state: answer.state, nonce, verifier };
  const claims = answer.error === undefined ? await provider.claims(redirectUri, answer, proof) : null;
  return { departed, returnTo, traveller, claims };
}
