// Clients that we did not write, from discovery to revocation: both generations of the official MCP client, and a
// strict OAuth library. The browser's part, signing in and agreeing, is played over HTTP with a session.
import * as next from "@modelcontextprotocol/client";
import * as current from "@modelcontextprotocol/sdk/client/auth.js";
import * as oauth from "oauth4webapi";
import { expect, test } from "vitest";
import { mcpPrincipal } from "../../../test/mcp.ts";
import { answered } from "../../../test/oauth.ts";
import { service, type World, world } from "../../../test/world.ts";

const running = service();
const insecure = { [oauth.allowInsecureRequests]: true };
const redirectUrl = "http://127.0.0.1:40404/callback";
const principalOf = (token: string) => mcpPrincipal(running, token);

/** What a person does in the browser that a client has opened: signs in, reads, agrees. */
async function agree({ owner, workspaceId }: World, url: URL): Promise<URL> {
  const signedOut = await running.send("GET", url.pathname + url.search);
  const returnTo = new URLSearchParams(signedOut.headers.get("location")?.split("?")[1]).get("return_to") as string;
  const page = await owner.call("GET", returnTo);
  const request = new URLSearchParams(page.headers.get("location")?.split("?")[1]).get("request") as string;
  expect((await owner.call("GET", `/oauth/consent?request=${request}`)).status).toBe(200);
  return new URL((await answered(owner, request, workspaceId)).body.redirect_to);
}

/** What a client remembers, and how it opens a browser. */
function memory() {
  // biome-ignore lint/suspicious/noExplicitAny: two libraries with types of their own.
  const kept: Record<string, any> = {};
  const keep = (name: string) => (value: unknown) => {
    kept[name] = value;
  };
  const provider = {
    redirectUrl,
    clientMetadata: {
      client_name: "Official client",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      software_id: "an extension that is ignored",
    },
    state: () => "state-of-the-client",
    clientInformation: () => kept.client,
    saveClientInformation: keep("client"),
    tokens: () => kept.tokens,
    saveTokens: keep("tokens"),
    redirectToAuthorization: keep("url"),
    saveCodeVerifier: keep("verifier"),
    codeVerifier: () => kept.verifier,
    saveDiscoveryState: keep("discovery"),
    discoveryState: () => kept.discovery,
  };
  return { kept, provider };
}

for (const [generation, { auth }] of Object.entries({ current, next })) {
  test(`the official MCP client (${generation}) discovers, registers, authorizes and refreshes`, async () => {
    const place = await world(running);
    const { kept, provider } = memory();
    const serverUrl = `${running.url}/mcp`;
    expect(await auth(provider as never, { serverUrl })).toBe("REDIRECT");
    expect(kept.client).toMatchObject({ client_name: "Official client", token_endpoint_auth_method: "none" });
    expect(kept.client.client_secret).toBeUndefined();
    expect(kept.url.searchParams.get("resource")).toBe(serverUrl);
    const callback = await agree(place, kept.url);
    expect(callback.searchParams.get("state")).toBe("state-of-the-client");
    const [authorizationCode, iss] = ["code", "iss"].map((name) => callback.searchParams.get(name) as string);
    expect(await auth(provider as never, { serverUrl, authorizationCode, iss } as never)).toBe("AUTHORIZED");
    const first = kept.tokens;
    expect(await principalOf(first.access_token)).toMatchObject({
      user_id: place.owner.userId,
      workspace_id: place.workspaceId,
      scopes: ["svc:read", "svc:write"],
    });
    expect(await auth(provider as never, { serverUrl })).toBe("AUTHORIZED");
    expect(kept.tokens.refresh_token).not.toBe(first.refresh_token);
    expect(await principalOf(kept.tokens.access_token)).toBeDefined();
  });
}

test("a strict OAuth library goes the whole way by the metadata alone, and revokes", async () => {
  const place = await world(running);
  const issuer = new URL(running.url);
  const found = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure });
  const server = await oauth.processDiscoveryResponse(issuer, found);
  const resource = new URL(`${running.url}/mcp`);
  const described = await oauth.resourceDiscoveryRequest(resource, insecure);
  expect((await oauth.processResourceDiscoveryResponse(resource, described)).authorization_servers).toEqual([
    running.url,
  ]);
  const registering = await oauth.dynamicClientRegistrationRequest(
    server,
    { redirect_uris: [redirectUrl], token_endpoint_auth_method: "none", scope: "svc:tasks:read svc:read" },
    insecure,
  );
  const client = await oauth.processDynamicClientRegistrationResponse(registering);
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
  const url = new URL(server.authorization_endpoint as string);
  url.search = new URLSearchParams({
    response_type: "code",
    client_id: client.client_id,
    redirect_uri: redirectUrl,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    scope: "svc:tasks:read",
    resource: resource.href,
    state,
  }).toString();
  const parameters = oauth.validateAuthResponse(server, client, await agree(place, url), state);
  const additionalParameters = { resource: resource.href };
  const granting = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    parameters,
    redirectUrl,
    verifier,
    {
      ...insecure,
      additionalParameters,
    },
  );
  const first = await oauth.processAuthorizationCodeResponse(server, client, granting);
  expect(first).toMatchObject({ expires_in: 3600, scope: "svc:tasks:read" });
  const refreshing = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), first.refresh_token as string, {
    ...insecure,
    additionalParameters,
  });
  const second = await oauth.processRefreshTokenResponse(server, client, refreshing);
  expect(await principalOf(second.access_token)).toMatchObject({ scopes: ["svc:tasks:read"] });
  const revoking = await oauth.revocationRequest(
    server,
    client,
    oauth.None(),
    second.refresh_token as string,
    insecure,
  );
  await oauth.processRevocationResponse(revoking);
  for (const token of [first.access_token, second.access_token]) expect(await principalOf(token)).toBeUndefined();
});
