// The OpenID providers that people may sign in with: authorization code with PKCE, state and nonce, and an id_token whose signature is
// always verified. Speaks to the configured issuers only, with a cap on time and size, and never inside a transaction.
import type * as OpenId from "openid-client";
import type { Config, Provider } from "../settings/config.ts";
import type { Log } from "../wire/log.ts";

/** What one sign-in is recognised by; the provider sees the verifier's hash first and the verifier last. */
export interface Proof {
  state: string;
  nonce: string;
  verifier: string;
}
export interface Claims {
  subject: string;
  email: string | null;
  /** Whether the provider vouches for the address. */
  emailVerified: boolean;
  name: string | null;
  /** When the provider says that it has asked for its sign-in last, in seconds; null where it does not say. */
  authenticatedAt: number | null;
}
/** What comes back through the browser. `user` is the form field in which Apple sends the name, unsigned and at the first sign-in only. */
export interface Answer {
  state: string;
  code?: string;
  error?: string;
  iss?: string;
  user?: string;
}
export interface OpenIdProvider {
  /** It answers with a form that the browser posts from its site to ours, and not with a query. */
  readonly formPost: boolean;
  /** Null where the provider cannot be reached. `again`: it is to ask for its own sign-in, though the browser has one. */
  authorizationUrl(redirectUri: string, proof: Proof, again: boolean): Promise<string | null>;
  /** Exchanges the code of the answer; null where anything about it is wrong. Why is in the log. */
  claims(redirectUri: string, answer: Answer, proof: Proof): Promise<Claims | null>;
}
export type ProviderName = keyof Config["providers"];
export type Providers = Partial<Record<ProviderName, OpenIdProvider>>;

/** Discovery, token and keys are asked at most once each in a request, which together stay below its ten seconds. */
const CALL_SECONDS = 2.5;
const MOST_BYTES = 256 * 1024;
const DISCOVERY_MS = 60 * 60 * 1000;

/** Loaded with the first sign-in. */
const library = () => import("openid-client");

export const openProviders = (providers: Config["providers"], log: Pick<Log, "warn">): Providers =>
  Object.fromEntries(Object.entries(providers).map(([name, provider]) => [name, open(name, provider, log)]));

function open(name: string, provider: Provider, log: Pick<Log, "warn">): OpenIdProvider {
  const formPost = name === "apple";
  const discovered = discovery(provider);
  // Of a fault only what it is: its cause may hold tokens.
  const orNull = (error: Error & { code?: string }) => {
    log.warn({ provider: name, fault: error.code ?? error.name, detail: error.message }, "provider sign-in failed");
    return null;
  };
  const asked = {
    async authorizationUrl(redirectUri: string, { state, nonce, verifier }: Proof, again: boolean) {
      const client = await library();
      const url = client.buildAuthorizationUrl(await discovered(), {
        redirect_uri: redirectUri,
        scope: formPost ? "openid email name" : "openid email profile",
        ...(formPost ? { response_mode: "form_post" } : {}),
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        ...(again ? { prompt: "login", max_age: "0" } : {}),
      });
      return url.href;
    },
    async claims(redirectUri: string, { user, ...answer }: Answer, { state, nonce, verifier }: Proof) {
      const client = await library();
      const url = new URL(redirectUri);
      // Nothing but what is read here: an id_token that came through the browser, say, would be refused.
      for (const part of ["state", "code", "iss"] as const)
        if (answer[part] !== undefined) url.searchParams.set(part, answer[part]);
      const tokens = await client.authorizationCodeGrant(await discovered(), url, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      });
      return claimsOf(tokens.claims() as OpenId.IDToken, user);
    },
  };
  return {
    formPost,
    authorizationUrl: (redirectUri, proof, again) => asked.authorizationUrl(redirectUri, proof, again).catch(orNull),
    claims: (redirectUri, answer, proof) => asked.claims(redirectUri, answer, proof).catch(orNull),
  };
}

/** Asked at first use and kept for an hour; a failure is not kept, and those who wait at the same time share one call. */
function discovery({ issuer, clientId, clientSecret }: Provider): () => Promise<OpenId.Configuration> {
  const ask = async () => {
    const client = await library();
    const insecure = isLoopback(new URL(issuer).hostname) ? [client.allowInsecureRequests] : [];
    return client.discovery(new URL(issuer), clientId, clientSecret, undefined, {
      timeout: CALL_SECONDS,
      [client.customFetch]: cappedFetch,
      execute: [...insecure, client.enableNonRepudiationChecks],
    });
  };
  let kept: { until: number; configuration: Promise<OpenId.Configuration> } | null = null;
  return () => {
    if (kept && kept.until > performance.now()) return kept.configuration;
    const configuration = ask();
    const mine = { until: performance.now() + DISCOVERY_MS, configuration };
    kept = mine;
    configuration.catch(() => {
      if (kept === mine) kept = null;
    });
    return configuration;
  };
}

const isLoopback = (hostname: string) => /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);

/** The whole answer or none: a body that goes on after the cap is cut off with its connection. The library sets the time. */
const cappedFetch: OpenId.CustomFetch = async (url, options) => {
  const response = await fetch(url, options as RequestInit);
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > MOST_BYTES) throw new Error(`${url} answered with more than ${MOST_BYTES} bytes`);
    parts.push(part);
  }
  const empty = response.status === 204 || response.status === 304;
  return new Response(empty ? null : Buffer.concat(parts), response);
};

const text = (value: unknown) => (typeof value === "string" && value.trim() !== "" ? value.trim() : null);

function claimsOf(claims: OpenId.IDToken, user: string | undefined): Claims {
  const given = [claims.given_name, claims.family_name].map(text).filter((part) => part !== null);
  return {
    subject: claims.sub,
    email: text(claims.email),
    emailVerified: VERIFIED.has(claims.email_verified) || VERIFIED.has(claims.xms_edov),
    name: text(claims.name) ?? text(given.join(" ")) ?? nameIn(user),
    authenticatedAt: typeof claims.auth_time === "number" ? claims.auth_time : null,
  };
}
/** Apple sends texts. Microsoft has no email_verified: its claim for an address whose domain is proved is xms_edov. */
const VERIFIED = new Set<unknown>([true, "true", 1, "1"]);

function nameIn(user: string | undefined): string | null {
  try {
    const { firstName, lastName } = JSON.parse(user ?? "").name;
    return text([firstName, lastName].map(text).filter(Boolean).join(" "));
  } catch {
    return null;
  }
}
