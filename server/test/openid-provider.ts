// Real OpenID providers on loopback, one for each name that the service knows, and a browser that signs in through them
// by HTTP: cookies, login form, redirect or posted form. A test can also take the token endpoint over, to answer as no
// honest provider would.
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { SignJWT } from "jose";
import Provider, { type Configuration } from "oidc-provider";
import type { Config } from "../src/platform/settings/config.ts";
import { newId } from "../src/platform/wire/ids.ts";
import type { Answer } from "./answer.ts";
import type { TestService } from "./world.ts";

export type Name = "google" | "microsoft" | "apple";
interface Profile {
  email?: string;
  email_verified?: unknown;
  name?: string;
  [claim: string]: unknown;
}
const FORM = '<form method="post"><input name="login"><button>Log in</button></form>';
const CLIENT = { id: "svc & friends", secret: "s:e/c@r%t" };

/** Each provider's own, for all test files of a worker: to make one takes a fifth of a second. */
const keys = new Map<Name, KeyObject>();
function keyOf(name: Name): KeyObject {
  const key = keys.get(name) ?? generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  keys.set(name, key);
  return key;
}

class TestProvider {
  readonly name: Name;
  readonly people = new Map<string, Profile>();
  /** Answers in place of the token endpoint: the body of a success. */
  token: (() => Promise<Record<string, unknown>>) | null = null;
  /** Takes any request over. */
  faulty: ((request: IncomingMessage, response: ServerResponse) => boolean) | null = null;
  /** The paths that were asked for by the service itself. */
  asked: string[] = [];
  issuer = "";
  readonly key: KeyObject;
  private readonly server = createServer((request, response) => void this.answer(request, response));
  private provider: Provider | null = null;
  /** By issuer. */
  static readonly started = new Map<string, TestProvider>();

  constructor(name: Name) {
    this.name = name;
    this.key = keyOf(name);
  }
  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    this.issuer = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    this.provider = new Provider(this.issuer, this.configuration());
    TestProvider.started.set(this.issuer, this);
    // The service's port is chosen when it starts: the path must be ours, and the host loopback.
    const callback = new RegExp(`^http://localhost:\\d+/api/v1/auth/providers/${this.name}/callback$`);
    this.provider.Client.prototype.redirectUriAllowed = (uri: string) => callback.test(uri);
    return this;
  }
  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
  get config() {
    return { issuer: this.issuer, clientId: CLIENT.id, clientSecret: CLIENT.secret };
  }
  /** Somebody who has an account there. */
  person(profile: Profile): string {
    const subject = newId();
    this.people.set(subject, profile);
    return subject;
  }
  /** An id_token as this provider would issue it, or not quite. */
  idToken(claims: Record<string, unknown>, key: KeyObject = this.key): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    return new SignJWT({ iss: this.issuer, aud: CLIENT.id, iat: now, exp: now + 300, ...claims })
      .setProtectedHeader({ alg: "RS256", kid: "test" })
      .sign(key);
  }

  private configuration(): Configuration {
    return {
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          redirect_uris: ["https://svc.example/callback"],
          token_endpoint_auth_method: "client_secret_post",
        },
      ],
      jwks: { keys: [{ ...this.key.export({ format: "jwk" }), kid: "test", use: "sig", alg: "RS256" }] },
      cookies: { keys: ["test"] },
      features: { devInteractions: { enabled: false } },
      pkce: { required: () => true },
      scopes: ["openid", "email", "profile", "name"],
      claims: { openid: ["sub"], email: ["email", "email_verified", "xms_edov"], profile: ["name"] },
      conformIdTokenClaims: false,
      interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
      findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub, ...this.people.get(sub) }) }),
      ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    };
  }
  private async answer(request: IncomingMessage, response: ServerResponse) {
    const path = (request.url as string).split("?")[0] as string;
    if (!/^\/(?:auth|interaction)/.test(path)) this.asked.push(path);
    if (this.faulty?.(request, response)) return;
    if (path === "/token" && this.token) {
      const body = JSON.stringify(await this.token());
      return response.writeHead(200, { "content-type": "application/json" }).end(body);
    }
    if (path.startsWith("/interaction/")) return this.logIn(request, response);
    return (this.provider as Provider).callback()(request, response);
  }
  /** The login form: whoever is named in it is let in, and agrees to everything. */
  private async logIn(request: IncomingMessage, response: ServerResponse) {
    const provider = this.provider as Provider;
    if (request.method === "GET") return response.writeHead(200, { "content-type": "text/html" }).end(FORM);
    let form = "";
    for await (const part of request) form += part;
    const accountId = new URLSearchParams(form).get("login");
    const { params } = await provider.interactionDetails(request, response);
    if (accountId === null)
      return provider.interactionFinished(request, response, { error: "access_denied", error_description: "no" });
    const grant = new provider.Grant({ accountId, clientId: params.client_id as string });
    grant.addOIDCScope(params.scope as string);
    const result = { login: { accountId }, consent: { grantId: await grant.save() } };
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  }
}

type TestProviders = Record<Name, TestProvider>;
/** Started before the service, which is configured with them. */
export async function openIdProviders(): Promise<
  TestProviders & { config: Config["providers"]; stop(): Promise<void> }
> {
  const [google, microsoft, apple] = await Promise.all(
    (["google", "microsoft", "apple"] as const).map((name) => new TestProvider(name).start()),
  );
  const all = { google, microsoft, apple } as TestProviders;
  return {
    ...all,
    config: { google: all.google.config, microsoft: all.microsoft.config, apple: all.apple.config },
    stop: async () => void (await Promise.all(Object.values(all).map((provider) => provider.stop()))),
  };
}

// ---- the browser
// -----------------------------------------------------------------------------------------------------------------

const SIGN_IN = /^__Host-svc_signin=([^;]*)/;
/** What a browser holds while it is on its way. */
export interface Away {
  location: URL;
  /** The Cookie header for the way back. */
  cookie: string;
}
export const awayIn = (answer: Answer, location = answer.headers.get("location") as string): Away => ({
  location: new URL(location),
  cookie: answer.cookies.flatMap((line) => (SIGN_IN.test(line) ? [line.split(";")[0] as string] : [])).join("; "),
});

export async function leave(running: TestService, name: Name, returnTo?: string, cookie?: string): Promise<Away> {
  const query = returnTo === undefined ? "" : `?return_to=${encodeURIComponent(returnTo)}`;
  const headers: Record<string, string> = cookie === undefined ? {} : { cookie };
  return awayIn(await running.send("GET", `/auth/providers/${name}/authorize${query}`, { headers }));
}

/** What comes back from the provider once this person has logged in there, or, without one, has refused. */
export async function logIn({ location }: Away, subject: string | null): Promise<Record<string, string>> {
  const cookies = new Map<string, string>();
  const go = async (url: URL, body?: string) => {
    const response = await fetch(url, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
        ...(body === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" }),
      },
      body,
      redirect: "manual",
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) as unknown as [string, string, string];
      cookies.set(name, value);
    }
    const next = response.headers.get("location");
    return { next: next === null ? null : new URL(next, url), text: await response.text() };
  };
  const form = subject === null ? "" : new URLSearchParams({ login: subject }).toString();
  let at = await go(location);
  while (at.next?.origin === location.origin)
    at = at.next.pathname.startsWith("/interaction/") ? await go(at.next, form) : await go(at.next);
  if (at.next) return Object.fromEntries(at.next.searchParams);
  const fields = [...at.text.matchAll(/name="(\w+)" value="([^"]*)"/g)];
  return Object.fromEntries(fields.map(([, name, value]) => [name as string, unescaped(value as string)]));
}
const unescaped = (text: string) =>
  text.replace(/&(?:#x([0-9a-f]+)|(amp|quot|lt|gt|#39));/gi, (_, code, name) =>
    code
      ? String.fromCodePoint(Number.parseInt(code, 16))
      : { amp: "&", quot: '"', lt: "<", gt: ">", "#39": "'" }[name as "amp"],
  );

/** Back at the service, as this provider brings it: by redirect, or by a form of its own. */
export function comeBack(running: TestService, name: Name, sent: Record<string, string>, cookie: string) {
  const path = `/auth/providers/${name}/callback`;
  const form = new URLSearchParams(sent).toString();
  if (name !== "apple") return running.send("GET", `${path}?${form}`, { headers: cookie ? { cookie } : {} });
  const headers: Record<string, string> = {
    "content-type": "application/x-www-form-urlencoded",
    ...(cookie ? { cookie } : {}),
  };
  return running.send("POST", path, { raw: form, headers });
}

/** The mark that a browser of the checks over all operations carries. */
const MARK = { cookie: `__Host-svc_signin=${"m".repeat(43)}` };
export const marked = { headers: MARK };
/**
 * What a provider sends back with somebody new to the browser with that mark; anything, where the service knows no
 * provider.
 */
export async function broughtBack(running: TestService, name: Name): Promise<Record<string, string>> {
  const answer = await running.send("GET", `/auth/providers/${name}/authorize`, { headers: MARK });
  if (answer.status === 404) return { state: "x", code: "y" };
  const away = awayIn(answer);
  const provider = TestProvider.started.get(away.location.origin) as TestProvider;
  return logIn(away, provider.person({ email: `${newId()}@example.com`, email_verified: true }));
}

/** The whole way. */
export async function signInWith(running: TestService, name: Name, subject: string | null, returnTo?: string) {
  const away = await leave(running, name, returnTo);
  return comeBack(running, name, await logIn(away, subject), away.cookie);
}
