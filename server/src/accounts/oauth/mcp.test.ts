// MCP clients: what can be registered, whom their tokens serve and where, and how they end.
import { mcpScopes, offeredScopes } from "@svc/contract/accounts/oauth/scopes.ts";
import { operations } from "@svc/contract/operations.ts";
import { describe, expect, test } from "vitest";
import { mcpPrincipal } from "../../../test/mcp.ts";
import {
  asked,
  authorizePath,
  cli,
  codeFor,
  form,
  newVerifier,
  redeemed,
  refreshed,
  registered,
  tokensFor,
} from "../../../test/oauth.ts";
import { service, world } from "../../../test/world.ts";
import { newSecret } from "../../platform/wire/ids.ts";
import { defaultRates } from "../../platform/wire/limits/rate-limit.ts";

const running = service();
const limited = service({ rateLimits: { ...defaultRates, register_client: { requests: 3, seconds: 600 } } });
const callback = "http://127.0.0.1:33418/callback";
const minimal = { redirect_uris: [callback], token_endpoint_auth_method: "none" };
const register = (changes: Record<string, unknown>) =>
  running.send("POST", "/oauth/register", { body: { ...minimal, ...changes } });
const principalOf = (token: string, resource = `${running.url}/mcp`) => mcpPrincipal(running, token, resource);

describe("registering", () => {
  test("answers with what was registered, and no secret", async () => {
    const { status, body } = await register({
      client_name: "A client",
      application_type: "native",
      grant_types: ["authorization_code"],
      response_types: ["code"],
      scope: "svc:tasks:read svc:read",
      client_uri: "https://example.com",
      logo_uri: 7,
      software_statement: "ignored",
    });
    expect([status, Object.keys(body).sort()]).toEqual([
      201,
      [
        "application_type",
        "client_id",
        "client_name",
        "grant_types",
        "redirect_uris",
        "response_types",
        "scope",
        "token_endpoint_auth_method",
      ],
    ]);
    expect(body).toMatchObject({
      client_name: "A client",
      redirect_uris: [callback],
      token_endpoint_auth_method: "none",
      application_type: "native",
      grant_types: ["authorization_code"],
      response_types: ["code"],
      scope: "svc:tasks:read svc:read",
    });
  });

  test("fills in what was left out", async () => {
    const { body } = await register({});
    expect(body).toMatchObject({
      client_name: "Unnamed MCP client",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
    });
    expect(body.scope.split(" ").length).toBe(37);
  });

  const uri = (length: number) => `${callback}/${"a".repeat(length - callback.length - 1)}`;
  const uris = (count: number) => Array.from({ length: count }, (_, at) => `${callback}/${at}`);
  const atTheBound: [string, Record<string, unknown>][] = [
    ["20 redirect URIs", { redirect_uris: uris(20) }],
    ["a redirect URI of 2048 characters", { redirect_uris: [uri(2048)] }],
    ["a name of 88 characters", { client_name: "n".repeat(88) }],
    ["both grant types", { grant_types: ["refresh_token", "authorization_code"] }],
    ["localhost and IPv6", { redirect_uris: ["http://localhost/cb", "http://[::1]:1/cb", "http://127.0.0.1"] }],
  ];
  for (const [what, changes] of atTheBound)
    test(`takes ${what}`, async () => expect((await register(changes)).status).toBe(201));

  const metadata = "invalid_client_metadata";
  const refused: [string, Record<string, unknown>, string][] = [
    ["21 redirect URIs", { redirect_uris: uris(21) }, metadata],
    ["no redirect URI", { redirect_uris: [] }, metadata],
    ["no redirect URIs at all", { redirect_uris: undefined }, metadata],
    ["the same redirect URI twice", { redirect_uris: [callback, callback] }, metadata],
    ["a redirect URI of 2049 characters", { redirect_uris: [uri(2049)] }, metadata],
    ["a name of 89 characters", { client_name: "n".repeat(89) }, metadata],
    ["a name with a control character", { client_name: "a\u0007b" }, metadata],
    ["a name that turns the text around it", { client_name: "a\u202eb" }, metadata],
    ["a name with what nobody sees", { client_name: "a\u200bb" }, metadata],
    ["three grant types", { grant_types: ["refresh_token", "authorization_code", "implicit"] }, metadata],
    ["the same grant type twice", { grant_types: ["authorization_code", "authorization_code"] }, metadata],
    ["another grant type", { grant_types: ["client_credentials"] }, metadata],
    ["refresh tokens alone", { grant_types: ["refresh_token"] }, metadata],
    ["two response types", { response_types: ["code", "code"] }, metadata],
    ["another response type", { response_types: ["token"] }, metadata],
    ["a secret", { token_endpoint_auth_method: "client_secret_basic" }, metadata],
    ["no way to authenticate", { token_endpoint_auth_method: undefined }, metadata],
    ["a web application", { application_type: "web" }, metadata],
    ["an unknown scope", { scope: "svc:read svc:everything" }, metadata],
    ...[
      "https://example.com/callback",
      "http://example.com/callback",
      "https://127.0.0.1/callback",
      "http://127.0.0.1.example.com/callback",
      "http://127.0.0.2/callback",
      "http://user@127.0.0.1/callback",
      "http://127.0.0.1@example.com/",
      "http://127.0.0.1\\@example.com/",
      "http://127.0.0.1/callback#x",
      "http://127.0.0.1/%zz",
      "http://127.0.0.1:99999/callback",
      "http://LOCALHOST/callback",
      "http://localhost./callback",
      "http://0.0.0.0/callback",
      "com.example.app:/callback",
      "javascript:alert(1)",
      "127.0.0.1/callback",
      "",
    ].map((wrong): [string, Record<string, unknown>, string] => [
      `the redirect URI "${wrong}"`,
      { redirect_uris: [callback, wrong] },
      "invalid_redirect_uri",
    ]),
  ];
  for (const [what, changes, error] of refused)
    test(`refuses ${what}`, async () => {
      const answer = await register(changes);
      expect([answer.status, answer.body.error]).toEqual([400, error]);
      const member = `/body/${Object.keys(changes)[0]}`;
      const description = answer.body.error_description as string;
      expect(description).toContain(error === metadata ? member : `${member}/1 `);
      expect(description).toContain("https address");
      expect(description).toContain("Client ID Metadata Document");
      expect(description).toContain("reviewed registration");
    });

  test("too often is 429 with Retry-After, in the envelope of OAuth", async () => {
    const again = () => limited.send("POST", "/oauth/register", { body: minimal });
    for (let count = 0; count < 3; count++) expect((await again()).status).toBe(201);
    const held = await again();
    expect([held.status, held.body.error]).toEqual([429, "temporarily_unavailable"]);
    expect(Number(held.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  test("grants nothing: the client's id opens no door", async () => {
    const client = await registered(running);
    const answer = await form(running, "/oauth/token", { grant_type: "client_credentials", client_id: client.id });
    expect(answer.body.error).toBe("unsupported_grant_type");
  });
});

describe("authorizing", () => {
  test("a client asks for no more than it has registered for", async () => {
    const place = await world(running);
    const client = await registered(running, { scope: "svc:tasks:read svc:tasks:write" });
    expect((await tokensFor(running, place, client)).scope).toBe("svc:tasks:read svc:tasks:write");
    expect((await tokensFor(running, place, client, { scope: "svc:tasks:read" })).scope).toBe("svc:tasks:read");
    const path = `/oauth/authorize?response_type=code&client_id=${client.id}&redirect_uri=${encodeURIComponent(callback)}&code_challenge=${"a".repeat(43)}&code_challenge_method=S256&scope=svc:read`;
    expect((await place.owner.call("GET", path)).headers.get("location")).toContain("error=invalid_scope");
  });

  test("a person is asked for the scopes that open a tool, and a request with none of them ends at the client", async () => {
    const place = await world(running);
    const client = await registered(running);
    const request = await asked(place.owner, client, newVerifier(), { scope: mcpScopes.join(" ") });
    const { scopes } = (await place.owner.call("GET", `/oauth/consent?request=${request}`)).body;
    const named = scopes.map(({ scope }: { scope: string }) => scope);
    expect(named).toEqual(mcpScopes.filter((scope) => offeredScopes.includes(scope)));
    const granted = await tokensFor(running, place, client, { scope: mcpScopes.join(" ") });
    expect(granted.scope.split(" ")).toEqual(named);
    const some = await tokensFor(running, place, client, { scope: "svc:agents:read svc:tasks:read" });
    expect(some.scope).toBe("svc:tasks:read");
    const path = authorizePath(client, newVerifier(), { scope: "svc:agents:read svc:discuss" });
    const location = (await place.owner.call("GET", path)).headers.get("location") as string;
    const { searchParams } = new URL(location);
    expect([searchParams.get("error"), searchParams.get("error_description")]).toEqual([
      "invalid_scope",
      "no tool needs these scopes: ask for svc:read or svc:write",
    ]);
  });

  test("a client that has not registered for refresh tokens gets none", async () => {
    const place = await world(running);
    const client = await registered(running, { grant_types: ["authorization_code"] });
    const tokens = await tokensFor(running, place, client);
    expect(tokens.refresh_token).toBeUndefined();
    expect(await principalOf(tokens.access_token)).toBeDefined();
  });

  test("the resource is this service's /mcp or nothing", async () => {
    const place = await world(running);
    const client = await registered(running);
    const tokens = await tokensFor(running, place, client, { resource: `${running.url}/mcp` });
    for (const resource of [running.url, `${running.url}/mcp/`, `${running.url}/api/v1`, "https://other.example/mcp"]) {
      const code = await codeFor(place, client);
      expect((await redeemed(running, code, { resource })).body.error).toBe("invalid_target");
      expect((await refreshed(running, client, tokens.refresh_token, { resource })).body.error).toBe("invalid_target");
    }
  });
});

test("an MCP token is refused by every operation of the API, and a developer token speaks for nobody at /mcp", async () => {
  const place = await world(running);
  const { access_token, refresh_token } = await tokensFor(running, place, await registered(running));
  const pat = await place.token();
  const body = { workspace_id: place.workspaceId, scopes: ["svc:read"] };
  const exchanged = (await place.owner.bearer(pat, "POST", "/cli/mcp/token", { body })).body.access_token;
  const signedIn = [...operations.values()].filter(({ auth }) => !auth.includes("P"));
  expect(signedIn.length).toBeGreaterThan(40);
  for (const operation of signedIn) {
    const path = operation.path
      .replace(/\{workspace_id\}/g, place.workspaceId)
      .replace(/\{\w+\}/g, () => crypto.randomUUID());
    for (const token of [access_token, exchanged, refresh_token]) {
      const answer = await place.owner.bearer(token, operation.method, path);
      expect([operation.id, answer.status]).toEqual([operation.id, 401]);
    }
  }
  expect(await principalOf(access_token)).toBeDefined();
  expect(await principalOf(access_token, `${running.url}/api/v1`), "bound to its audience").toBeUndefined();
  const developer = await tokensFor(running, place, cli);
  for (const token of [developer.access_token, pat, refresh_token]) expect(await principalOf(token)).toBeUndefined();
});

describe("revoking", () => {
  const revoke = (fields: Record<string, string | undefined>) => form(running, "/oauth/revoke", fields);

  test("an access token or a refresh token ends the whole family", async () => {
    const place = await world(running);
    const client = await registered(running);
    for (const kind of ["access_token", "refresh_token"] as const) {
      const tokens = await tokensFor(running, place, client);
      const answer = await revoke({ token: tokens[kind], client_id: client.id, token_type_hint: "whatever" });
      expect([answer.status, answer.text]).toEqual([200, ""]);
      expect(await principalOf(tokens.access_token)).toBeUndefined();
      expect((await refreshed(running, client, tokens.refresh_token)).body.error).toBe("invalid_grant");
      expect((await revoke({ token: tokens[kind], client_id: client.id })).status, "again").toBe(200);
    }
  });

  test("is for the client's own tokens; an unknown one is no fault", async () => {
    const place = await world(running);
    const [client, other] = [await registered(running), await registered(running)];
    const tokens = await tokensFor(running, place, client);
    for (const token of [tokens.access_token, tokens.refresh_token])
      expect((await revoke({ token, client_id: other.id })).body.error).toBe("unauthorized_client");
    const developer = await tokensFor(running, place, cli);
    for (const token of [
      newSecret("mat"),
      newSecret("mrt"),
      "x",
      developer.access_token,
      developer.refresh_token,
      place.owner.session,
    ])
      expect((await revoke({ token, client_id: client.id })).status).toBe(200);
    expect((await revoke({ token: tokens.access_token })).body.error).toBe("invalid_client");
    expect((await revoke({ client_id: client.id })).body.error).toBe("invalid_request");
    expect(await principalOf(tokens.access_token)).toBeDefined();
    expect((await place.owner.bearer(developer.access_token, "GET", "/dev/workspace")).status).toBe(200);
    expect((await place.owner.call("GET", "/me")).status).toBe(200);
  });
});

describe("exchanging a token for an MCP token", () => {
  const exchange = async (
    place: Awaited<ReturnType<typeof world>>,
    token: string,
    body: Record<string, unknown> = {},
  ) =>
    place.owner.bearer(token, "POST", "/cli/mcp/token", {
      body: { workspace_id: place.workspaceId, scopes: ["svc:read"], ...body },
    });

  test("a personal token and a developer token are taken, and it ends with them", async () => {
    const place = await world(running);
    const pat = (await place.owner.call("POST", "/me/api-tokens", { body: { name: "x", scopes: ["svc:read"] } })).body;
    const developer = await tokensFor(running, place, cli, { scope: "svc:read" });
    const [ofPat, ofDeveloper] = [await exchange(place, pat.token), await exchange(place, developer.access_token)];
    expect(ofPat.status, ofPat.text).toBe(201);
    expect(ofPat.body).toMatchObject({
      token_type: "Bearer",
      scope: "svc:read",
      access_token: expect.stringMatching(/^svc_mat_/),
    });
    expect(ofPat.body.refresh_token).toBeUndefined();
    expect(ofPat.body.expires_in).toBeGreaterThan(3590);
    expect(ofPat.body.expires_in).toBeLessThanOrEqual(3600);
    expect(ofDeveloper.body.expires_in, "no longer than its parent").toBeLessThanOrEqual(900);
    for (const { body } of [ofPat, ofDeveloper])
      expect(await principalOf(body.access_token)).toMatchObject({
        workspace_id: place.workspaceId,
        scopes: ["svc:read"],
      });
    await place.owner.call("DELETE", `/me/api-tokens/${pat.id}`);
    await place.owner.bearer(developer.access_token, "POST", "/dev/oauth/revoke");
    for (const { body } of [ofPat, ofDeveloper]) expect(await principalOf(body.access_token)).toBeUndefined();
  });

  test("it ends when its parent expires, and can be revoked on its own", async () => {
    const place = await world(running);
    const pat = await place.token(["svc:read"]);
    const [first, second] = [(await exchange(place, pat)).body, (await exchange(place, pat)).body];
    expect((await form(running, "/oauth/revoke", { token: first.access_token, client_id: "svc-cli" })).status).toBe(
      200,
    );
    expect(await principalOf(first.access_token)).toBeUndefined();
    expect(await principalOf(second.access_token)).toBeDefined();
    await running.sql("update credentials set expires_at = now() where user_id = $1 and kind = 'personal'", [
      place.owner.userId,
    ]);
    expect(await principalOf(second.access_token)).toBeUndefined();
  });

  test("scopes only narrow: one or two, all of them the parent's", async () => {
    const place = await world(running);
    const pat = await place.token(["svc:read", "svc:discuss"]);
    expect((await exchange(place, pat, { scopes: ["svc:discuss", "svc:read"] })).status).toBe(201);
    const wider = await exchange(place, pat, { scopes: ["svc:read", "svc:write"] });
    expect([wider.status, wider.body.code, wider.body.required_scopes]).toEqual([
      403,
      "insufficient_scope",
      ["svc:read", "svc:write"],
    ]);
    for (const scopes of [[], ["svc:read", "svc:write", "svc:discuss"], ["svc:read", "svc:read"], ["svc:tasks:read"]])
      expect((await exchange(place, pat, { scopes })).status).toBe(400);
  });

  test("the Workspace is the parent's own, and its person still a member", async () => {
    const place = await world(running);
    const other = await world(running);
    const person = await place.member("viewer");
    const pat = await place.token(["svc:read"], person);
    const foreign = await exchange(place, pat, { workspace_id: other.workspaceId });
    expect([foreign.status, foreign.body.code]).toEqual([403, "workspace_access_denied"]);
    expect((await exchange(place, pat)).status).toBe(201);
    await running.sql("update memberships set state = 'suspended' where user_id = $1", [person.userId]);
    expect((await exchange(place, pat)).status).toBe(404);
  });
});
