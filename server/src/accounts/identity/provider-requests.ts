// A browser on its way to a provider and back. What the way back is recognised by (state, nonce, PKCE verifier) is made here; the request is
// kept under the hash of its state, for ten minutes by the database's clock, and is used up by the first that comes back with it. It belongs
// to one browser: a state and a code that somebody else began with are worth nothing in it.
import { randomBytes } from "node:crypto";
import type { Queries } from "../../platform/database/db.ts";
import type { EffectsContext } from "../../platform/kernel/implement.ts";
import type { Answer, Claims, OpenIdProvider, Proof, ProviderName } from "../../platform/outside/openid.ts";
import type { Outside } from "../../platform/outside/outside.ts";
import { sha256 } from "../../platform/wire/ids.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { keepRequest, useRequest } from "./request-store.ts";

/** Somebody who is signed in, and links what the provider tells or proves with it to be still there. */
export interface Traveller {
  userId: string;
  sessionId: string;
  purpose: "link" | "reauthenticate";
}
export interface Journey {
  returnTo: string | null;
  /** Null for somebody who signs in. */
  traveller: Traveller | null;
}
/** What is sealed beside a state. */
type Kept = Omit<Proof, "state"> & Journey & { browser: string; departed: number };

export interface Offered {
  name: ProviderName;
  provider: OpenIdProvider;
  redirectUri: string;
}
/** A provider that is not configured is not found. */
export function offered({ providers, origin }: Outside, name: string): Offered {
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

/** Asks the provider where to go, null where it is down; `keep` then belongs into a transaction. The browser is marked, to be known again. */
export async function depart(
  { outside, browser }: Pick<EffectsContext, "outside" | "browser">,
  { name, provider, redirectUri }: Offered,
  journey: Journey,
): Promise<{ location: string; keep: (tx: Queries) => Promise<unknown> } | null> {
  const proof = { state: random(), nonce: random(), verifier: random() };
  const again = journey.traveller?.purpose === "reauthenticate";
  const location = await provider.authorizationUrl(redirectUri, proof, again);
  if (location === null) return null;
  // One mark for all that it has begun: two tabs must not spoil each other's way back.
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

/** What the journey was for, and what the provider says, null where it says nothing good; null where it is no way back of this browser. */
export async function arrive(
  context: Pick<EffectsContext, "outside" | "browser" | "transaction">,
  { name, provider, redirectUri }: Offered,
  answer: Answer,
): Promise<(Journey & { departed: number; claims: Claims | null }) | null> {
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
