// Client of the OpenID providers for sign-in: authorization code with PKCE, state and nonce, and an id_token whose
// signature is always verified. Connects to the configured issuers only, with limits on time and size, and never inside
// a transaction.
import type * as OpenId from "openid-client";
import type { Config, SignInProvider } from "../settings/config.ts";
import type { Log } from "../wire/log.ts";

/** Values that identify one sign-in; the provider sees the hash of the verifier first and the verifier last. */
export interface SignInSecrets {
  state: string;
  nonce: string;
  verifier: string;
}
export interface Claims {
  subject: string;
  email: string | null;
  /** Whether the provider has verified the address. */
  emailVerified: boolean;
  name: string | null;
  /** Time of the last authentication at the provider, in seconds; null if the provider does not report it. */
  authenticatedAt: number | null;
}
/**
 * Parameters of the callback. `user` is the form field in which Apple sends the name, unsigned and at the first sign-in
 * only.
 */
export interface OpenidCallback {
  state: string;
  code?: string;
  error?: string;
  iss?: string;
  user?: string;
}
export interface OpenIdProvider {
  /** Set if the provider calls back with a form post from its site to ours, not with a query. */
  readonly formPost: boolean;
  /**
   * Null if the provider cannot be reached. `again` requests a new authentication even if the browser has a session
   * there.
   */
  authorizationUrl(redirectUri: string, proof: SignInSecrets, again: boolean): Promise<string | null>;
  /** Exchanges the code of the callback; null if anything about it is wrong. The reason is logged. */
  claims(redirectUri: string, answer: OpenidCallback, proof: SignInSecrets): Promise<Claims | null>;
}
export type ProviderName = keyof Config["providers"];
export type Providers = Partial<Record<ProviderName, OpenIdProvider>>;

/**
 * Time limit of each call: discovery, token and keys are requested at most once each in a request, and together stay
 * below its ten seconds.
 */
const CALL_SECONDS = 2.5;
const MOST_BYTES = 256 * 1024;
const DISCOVERY_MS = 60 * 60 * 1000;

/** Loads the library with the first sign-in. */
const library = () => import("openid-client");

export const openProviders = (providers: Config["providers"], log: Pick<Log, "warn">): Providers =>
  Object.fromEntries(Object.entries(providers).map(([name, provider]) => [name, open(name, provider, log)]));

function open(name: string, provider: SignInProvider, log: Pick<Log, "warn">): OpenIdProvider {
  const formPost = name === "apple";
  const discovered = discovery(provider);
  // Logs only the code and message of an error: its cause may contain tokens.
  const orNull = (error: Error & { code?: string }) => {
    log.warn({ provider: name, fault: error.code ?? error.name, detail: error.message }, "provider sign-in failed");
    return null;
  };
  const asked = {
    async authorizationUrl(redirectUri: string, { state, nonce, verifier }: SignInSecrets, again: boolean) {
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
    async claims(redirectUri: string, { user, ...answer }: OpenidCallback, { state, nonce, verifier }: SignInSecrets) {
      const client = await library();
      const url = new URL(redirectUri);
      // Passes on only the parameters read here: the library refuses, for example, an id_token that came through the
      // browser.
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

/** Discovers at first use and caches for an hour; failures are not cached, and concurrent callers share one request. */
function discovery({ issuer, clientId, clientSecret }: SignInProvider): () => Promise<OpenId.Configuration> {
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

/**
 * Reads the whole response or none: a body above the limit is cut off with its connection. The library sets the time
 * limit.
 */
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
/**
 * Apple sends strings. Microsoft has no email_verified: xms_edov is its claim for an address with a verified domain.
 */
const VERIFIED = new Set<unknown>([true, "true", 1, "1"]);

function nameIn(user: string | undefined): string | null {
  try {
    const { firstName, lastName } = JSON.parse(user ?? "").name;
    return text([firstName, lastName].map(text).filter(Boolean).join(" "));
  } catch {
    return null;
  }
}
