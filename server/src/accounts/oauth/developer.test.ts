// Developer clients end to end: a client library that we did not write, and then the rules of the credential that it is
// given.
import * as oauth from "oauth4webapi";
import { expect, test } from "vitest";
import {
  answered,
  asked,
  authorizePath,
  cli,
  codeFor,
  newVerifier,
  redeemed,
  refreshed,
  tokensFor,
} from "../../../test/oauth.ts";
import { insertCredential, service, sessionHeaders, world } from "../../../test/world.ts";
import { newSecret } from "../../platform/wire/ids.ts";

const running = service();
const insecure = { [oauth.allowInsecureRequests]: true };

/** Another Workspace that this person belongs to. */
async function alsoMemberOf(userId: string) {
  const { workspaceId, member } = await world(running);
  const stand = await member("member");
  const change = "update memberships set user_id = $1 where workspace_id = $2 and user_id = $3";
  await running.sql(change, [userId, workspaceId, stand.userId]);
  return workspaceId;
}

test("an independent client signs in through the browser, calls, refreshes, and is refused after revoking", async () => {
  const { owner, workspaceId } = await world(running);
  const base = `${running.url}/api/v1`;
  const server: oauth.AuthorizationServer = {
    issuer: running.url,
    authorization_endpoint: `${base}/dev/oauth/authorize`,
    token_endpoint: `${base}/dev/oauth/token`,
    authorization_response_iss_parameter_supported: true,
  };
  const client: oauth.Client = { client_id: "svc-cli" };
  const redirectUri = "http://127.0.0.1:50123/callback";
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const url = new URL(server.authorization_endpoint as string);
  for (const [name, value] of Object.entries({
    response_type: "code",
    client_id: "svc-cli",
    redirect_uri: redirectUri,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    scope: "svc:read svc:write",
    state,
  }))
    url.searchParams.set(name, value);
  const page = await owner.call("GET", url.pathname + url.search);
  const request = new URLSearchParams(page.headers.get("location")?.split("?")[1]).get("request") as string;
  const { body } = await answered(owner, request, workspaceId);

  const parameters = oauth.validateAuthResponse(server, client, new URL(body.redirect_to), state);
  const granting = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    parameters,
    redirectUri,
    verifier,
    insecure,
  );
  const first = await oauth.processAuthorizationCodeResponse(server, client, granting);
  expect(first).toMatchObject({ token_type: "bearer", expires_in: 900, scope: "svc:read svc:write" });
  expect((await owner.bearer(first.access_token, "GET", `/workspaces/${workspaceId}/projects`)).status).toBe(200);

  const refreshing = await oauth.refreshTokenGrantRequest(
    server,
    client,
    oauth.None(),
    first.refresh_token as string,
    insecure,
  );
  const second = await oauth.processRefreshTokenResponse(server, client, refreshing);
  expect(second.refresh_token).not.toBe(first.refresh_token);
  expect((await owner.bearer(second.access_token, "POST", "/dev/oauth/revoke")).status).toBe(204);
  for (const token of [first.access_token, second.access_token])
    expect((await owner.bearer(token, "GET", "/dev/workspace")).body.code).toBe("invalid_token");
  const late = await oauth.refreshTokenGrantRequest(
    server,
    client,
    oauth.None(),
    second.refresh_token as string,
    insecure,
  );
  await expect(oauth.processRefreshTokenResponse(server, client, late)).rejects.toMatchObject({
    error: "invalid_grant",
  });
});

test("a browser without a session is sent to sign in and back, an API caller gets 401", async () => {
  const path = authorizePath(cli, newVerifier());
  const browser = await fetch(`${running.url}/api/v1${path}`, {
    headers: { accept: "text/html,*/*" },
    redirect: "manual",
  });
  expect(browser.status).toBe(302);
  const [page, query] = (browser.headers.get("location") as string).split("?return_to=") as [string, string];
  expect([page, decodeURIComponent(query)]).toEqual(["/login", `/api/v1${path}`]);
  const dead = { ...sessionHeaders(newSecret("ses")), accept: "text/html" };
  const again = await fetch(`${running.url}/api/v1${path}`, { headers: dead, redirect: "manual" });
  expect(again.headers.get("location")).toMatch(/^\/login\?return_to=/);
  expect(again.headers.getSetCookie().every((cookie) => cookie.includes("Max-Age=0"))).toBe(true);
  expect((await running.send("GET", path)).status).toBe(401);
});

test("a browser is shown a fault of the client or the redirect URI on a page, and nothing is sent there", async () => {
  const { owner } = await world(running);
  const shown = async (changes: Record<string, string>) =>
    (
      await owner.call("GET", authorizePath(cli, newVerifier(), changes), { headers: { accept: "text/html" } })
    ).headers.get("location");
  expect(await shown({ client_id: "svc-unknown" })).toBe("/error?error=unauthorized_client");
  expect(await shown({ redirect_uri: "http://127.0.0.1.example.com/callback" })).toBe(
    "/error?error=invalid_redirect_uri",
  );
});

test("an IDE client has its own id, and a code of one client is no good to another", async () => {
  const place = await world(running);
  for (const id of ["svc-ide-a", "svc-ide-b"]) {
    const code = await codeFor(place, { ...cli, id });
    expect((await redeemed(running, code, { client_id: "svc-cli" })).body.error).toBe("invalid_grant");
    const { status, body } = await redeemed(running, code);
    expect(status).toBe(200);
    expect((await refreshed(running, cli, body.refresh_token)).body.error).toBe("invalid_grant");
    expect((await refreshed(running, { ...cli, id }, body.refresh_token)).status).toBe(200);
  }
});

test("a developer token reads its Workspace, and lists those that it can be moved to", async () => {
  const { owner, workspaceId } = await world(running);
  const other = await alsoMemberOf(owner.userId);
  const archived = await alsoMemberOf(owner.userId);
  await running.sql("update workspaces set archived_at = now() where id = $1", [archived]);
  const { access_token } = await tokensFor(running, { owner, workspaceId }, cli, { scope: "svc:discuss" });
  const here = await owner.bearer(access_token, "GET", "/dev/workspace");
  expect(here.body).toMatchObject({ id: workspaceId, role: "owner" });
  expect(here.trips).toBeLessThanOrEqual(2);
  const { body } = await owner.bearer(access_token, "GET", "/dev/workspaces");
  expect(body.items.map(({ id }: { id: string }) => id).sort()).toEqual([workspaceId, other].sort());
});

test("moving to another Workspace answers with a new pair, and the old one is dead", async () => {
  const { owner, workspaceId } = await world(running);
  const other = await alsoMemberOf(owner.userId);
  const old = await tokensFor(running, { owner, workspaceId }, cli, { scope: "svc:read" });
  const moved = await owner.bearer(old.access_token, "PUT", "/dev/workspace", { body: { workspace_id: other } });
  expect(moved.status, moved.text).toBe(200);
  expect(moved.trips).toBeLessThanOrEqual(5);
  expect(moved.body).toMatchObject({ workspace_id: other, scope: "svc:read", expires_in: 900 });
  const get = (token: string, id: string) => owner.bearer(token, "GET", `/workspaces/${id}/projects`);
  expect((await get(moved.body.access_token, other)).status).toBe(200);
  expect((await get(moved.body.access_token, workspaceId)).status).toBe(404);
  expect((await get(old.access_token, workspaceId)).status).toBe(401);
  expect((await refreshed(running, cli, old.refresh_token)).body.error).toBe("invalid_grant");
  const next = await refreshed(running, cli, moved.body.refresh_token);
  expect(next.status, "an ended refresh token does not end the family").toBe(200);
  expect((await get(next.body.access_token, other)).status).toBe(200);
});

test("a token is not moved to a Workspace that is foreign, archived or left", async () => {
  const { owner, workspaceId } = await world(running);
  const [archived, suspended] = [await alsoMemberOf(owner.userId), await alsoMemberOf(owner.userId)];
  await running.sql("update workspaces set archived_at = now() where id = $1", [archived]);
  await running.sql("update memberships set state = 'suspended' where workspace_id = $1 and user_id = $2", [
    suspended,
    owner.userId,
  ]);
  const { access_token } = await tokensFor(running, { owner, workspaceId }, cli);
  const foreign = (await world(running)).workspaceId;
  for (const workspace_id of [archived, suspended, foreign, crypto.randomUUID()]) {
    const answer = await owner.bearer(access_token, "PUT", "/dev/workspace", { body: { workspace_id } });
    expect([answer.status, answer.body.code]).toEqual([403, "workspace_access_denied"]);
  }
  expect((await owner.bearer(access_token, "GET", "/dev/workspace")).status).toBe(200);
});

test("of twenty moves at once with one token, one wins and its tokens are the only live ones", async () => {
  const { owner, workspaceId } = await world(running);
  const other = await alsoMemberOf(owner.userId);
  const { access_token } = await tokensFor(running, { owner, workspaceId }, cli);
  const answers = await Promise.all(
    Array.from({ length: 20 }, () =>
      owner.bearer(access_token, "PUT", "/dev/workspace", { body: { workspace_id: other } }),
    ),
  );
  const won = answers.filter(({ status }) => status === 200);
  expect(won.length).toBe(1);
  expect(answers.filter(({ status }) => status === 401).length).toBe(19);
  expect((await owner.bearer(won[0]?.body.access_token, "GET", "/dev/workspace")).body.id).toBe(other);
});

test("no other kind of credential reads or moves a developer's Workspace", async () => {
  const { owner, workspaceId, token } = await world(running);
  const native = newSecret("nat");
  await insertCredential(running, "native", native, owner.userId, null, []);
  for (const bearer of [await token(), native])
    for (const [method, path] of [
      ["GET", "/dev/workspace"],
      ["GET", "/dev/workspaces"],
      ["PUT", "/dev/workspace"],
      ["POST", "/dev/oauth/revoke"],
    ] as const)
      expect(
        (
          await owner.bearer(bearer, method, path, {
            body: method === "PUT" ? { workspace_id: workspaceId } : undefined,
          })
        ).status,
      ).toBe(403);
  expect((await owner.call("GET", "/dev/workspace")).status).toBe(403);
});

test("a member who is suspended cannot redeem or refresh, and can again when reinstated", async () => {
  const { member, workspaceId } = await world(running);
  const owner = await member("member");
  const tokens = await tokensFor(running, { owner, workspaceId }, cli);
  const code = await codeFor({ owner, workspaceId }, cli);
  const become = (state: string) =>
    running.sql("update memberships set state = $1 where workspace_id = $2 and user_id = $3", [
      state,
      workspaceId,
      owner.userId,
    ]);
  for (const state of ["suspended", "removed"]) {
    await become(state);
    expect((await redeemed(running, code)).body.error).toBe("invalid_grant");
    expect((await refreshed(running, cli, tokens.refresh_token)).body.error).toBe("invalid_grant");
    expect((await owner.bearer(tokens.access_token, "GET", "/dev/workspace")).status).toBe(404);
  }
  await become("active");
  expect((await redeemed(running, code)).status).toBe(200);
  expect((await refreshed(running, cli, tokens.refresh_token)).status).toBe(200);
});

test("an archived Workspace gives no tokens", async () => {
  const place = await world(running);
  const { refresh_token } = await tokensFor(running, place, cli);
  const code = await codeFor(place, cli);
  await running.sql("update workspaces set archived_at = now() where id = $1", [place.workspaceId]);
  expect((await redeemed(running, code)).body.error).toBe("invalid_grant");
  expect((await refreshed(running, cli, refresh_token)).body.error).toBe("invalid_grant");
  const verifier = newVerifier();
  const answer = await answered(place.owner, await asked(place.owner, cli, verifier), place.workspaceId);
  expect(answer.body.code).toBe("workspace_access_denied");
});

test("a personal or developer token of any scope is told its Workspace, while its person is a member; a session is not", async () => {
  const place = await world(running);
  const viewer = await place.member("viewer");
  const path = "/me/token-workspace";
  const { access_token } = await tokensFor(running, { owner: viewer, workspaceId: place.workspaceId }, cli);
  const personal = await place.token(["svc:discuss"]);
  const [one, other] = [
    await place.owner.bearer(personal, "GET", path),
    await viewer.bearer(access_token, "GET", path),
  ];
  expect(one.body).toEqual({
    workspace_id: place.workspaceId,
    slug: expect.any(String),
    name: expect.any(String),
    role: "owner",
  });
  expect(other.body).toEqual({ ...one.body, role: "viewer" });
  expect((await place.owner.call("GET", path)).status).toBe(403);
  const leave = "update memberships set state = 'suspended' where workspace_id = $1 and user_id = $2";
  await running.sql(leave, [place.workspaceId, viewer.userId]);
  expect((await viewer.bearer(access_token, "GET", path)).status).toBe(404);
});
