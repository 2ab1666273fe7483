// An OAuth client of any family, played by hand: what a browser and a client send, one step at a time, so that a test
// can spoil any of them.
import { createHash, randomBytes } from "node:crypto";
import { expect } from "vitest";
import type { Answer } from "./answer.ts";
import type { Person, TestService, World } from "./world.ts";

export const newVerifier = () => randomBytes(32).toString("base64url");
export const challengeOf = (verifier: string) => createHash("sha256").update(verifier).digest("base64url");

export type Fields = Record<string, string | undefined>;
/** Those that have a value, as a query or a form. */
const encoded = (fields: Fields) =>
  new URLSearchParams(
    Object.entries(fields).filter((pair): pair is [string, string] => pair[1] !== undefined),
  ).toString();

export const form = (running: TestService, path: string, fields: Fields, headers: Record<string, string> = {}) =>
  running.send("POST", path, {
    raw: encoded(fields),
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
  });

const endpoints = { developer: "/dev/oauth", native: "/mobile/oauth", mcp: "/oauth" } as const;
export type Family = keyof typeof endpoints;

export interface OAuthClient {
  family: Family;
  id: string;
  redirectUri: string;
}
export const cli: OAuthClient = { family: "developer", id: "svc-cli", redirectUri: "http://127.0.0.1:49152/callback" };

/** An MCP client that has just registered. */
export async function registered(running: TestService, changes: Record<string, unknown> = {}): Promise<OAuthClient> {
  const redirectUri = "http://127.0.0.1:33418/callback";
  const body = { redirect_uris: [redirectUri], token_endpoint_auth_method: "none", client_name: "Test", ...changes };
  const answer = await running.send("POST", "/oauth/register", { body });
  expect(answer.status, answer.text).toBe(201);
  return { family: "mcp", id: answer.body.client_id, redirectUri };
}

export const tokenPath = (client: OAuthClient) => `${endpoints[client.family]}/token`;
export const authorizePath = (client: OAuthClient, verifier: string, changes: Fields = {}) =>
  `${endpoints[client.family]}/authorize?${encoded({
    response_type: "code",
    client_id: client.id,
    redirect_uri: client.redirectUri,
    code_challenge: challengeOf(verifier),
    code_challenge_method: "S256",
    state: "opaque",
    ...changes,
  })}`;

const queryOf = (location: string | null) => new URL(location ?? "", "http://nowhere").searchParams;

/** What the consent page is given for this request. */
export async function asked(
  person: Person,
  client: OAuthClient,
  verifier: string,
  changes: Fields = {},
): Promise<string> {
  const answer = await person.call("GET", authorizePath(client, verifier, changes));
  expect(answer.headers.get("location") ?? answer.text).toMatch(/^\/consent\?request=/);
  return queryOf(answer.headers.get("location")).get("request") as string;
}

export const answered = (
  person: Person,
  request: string,
  workspaceId?: string,
  decision = "approve",
): Promise<Answer> => person.call("POST", "/oauth/consent", { body: { request, decision, workspace_id: workspaceId } });

export interface Code {
  code: string;
  verifier: string;
  client: OAuthClient;
}
/** A code that the person has agreed to. */
export async function codeFor(
  { owner, workspaceId }: Pick<World, "owner" | "workspaceId">,
  client: OAuthClient,
  changes: Fields = {},
): Promise<Code> {
  const verifier = newVerifier();
  const request = await asked(owner, client, verifier, changes);
  const answer = await answered(owner, request, client.family === "native" ? undefined : workspaceId);
  expect(answer.status, answer.text).toBe(201);
  return { code: queryOf(answer.body.redirect_to).get("code") as string, verifier, client };
}

export const redeemed = (running: TestService, { code, verifier, client }: Code, changes: Fields = {}) =>
  form(running, tokenPath(client), {
    grant_type: "authorization_code",
    client_id: client.id,
    code,
    redirect_uri: client.redirectUri,
    code_verifier: verifier,
    ...changes,
  });

export const refreshed = (running: TestService, client: OAuthClient, token: string, changes: Fields = {}) =>
  form(running, tokenPath(client), {
    grant_type: "refresh_token",
    client_id: client.id,
    refresh_token: token,
    ...changes,
  });

export interface Tokens {
  access_token: string;
  refresh_token: string;
  scope: string;
  expires_in: number;
}
/** Through the whole flow. */
export async function tokensFor(
  running: TestService,
  place: Pick<World, "owner" | "workspaceId">,
  client: OAuthClient,
  changes: Fields = {},
): Promise<Tokens> {
  const answer = await redeemed(running, await codeFor(place, client, changes));
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}
