// The tokens of native applications: refreshing, the way through the system's browser, and everything that ends them.
import * as oauth from "oauth4webapi";
import { expect, test } from "vitest";
import { linkTo } from "../../../test/mailbox.ts";
import {
  CALLBACK,
  nativeClient,
  nativeRequest,
  nativeTokens,
  password,
  pkce,
  refreshRequest,
  sendForm,
} from "../../../test/native.ts";
import { overlapping } from "../../../test/overlap.ts";
import { bytesTo } from "../../../test/socket.ts";
import { insertCredential, type Person, service, sessionHeaders } from "../../../test/world.ts";
import { NIL, newId, newSecret } from "../../platform/wire/ids.ts";

const running = service();
const { login, refresh, withToken, getsIn, owner } = nativeClient(running);

// ---- tokens
// --------------------------------------------------------------------------------------------------------------------------

test("a refresh token is exchanged for the next one, and the access token of before lives on to its end", async () => {
  const { userId } = await owner();
  const first = await nativeTokens(running, userId);
  const { status, body, cookies } = await refresh(first);
  expect([status, cookies]).toEqual([200, []]);
  expect(body).toMatchObject({ token_type: "Bearer", expires_in: 900 });
  expect(new Set([first.access, first.refresh, body.access_token, body.refresh_token]).size).toBe(4);
  expect([await getsIn(first.access), await getsIn(body.access_token)]).toEqual([true, true]);
  const lifetimes = await running.sql<{ seconds: string }>(
    `select extract(epoch from expires_at - created_at)::int::text as seconds from credentials
     where user_id = $1 and kind = 'native'
     union select extract(epoch from expires_at - now())::int::text from oauth_refresh_tokens r
     join oauth_grants g on g.id = r.grant_id
       where g.user_id = $1 and used_at is null order by 1`,
    [userId],
  );
  expect(lifetimes.map(({ seconds }) => Math.ceil(Number(seconds) / 60) * 60)).toEqual([60 * 24 * 60 * 60, 900]);
});

test("a refresh token that comes a second time ends the whole family at once", async () => {
  const { userId } = await owner();
  const [stolen, other] = [await nativeTokens(running, userId), await nativeTokens(running, userId)];
  const next = (await refresh(stolen)).body;
  const replay = await refresh(stolen);
  expect([replay.status, replay.body.error]).toEqual([400, "invalid_grant"]);
  expect([await getsIn(stolen.access), await getsIn(next.access_token)]).toEqual([false, false]);
  expect((await refresh({ refresh: next.refresh_token })).body.error).toBe("invalid_grant");
  expect(await getsIn(other.access), "another family").toBe(true);
});

test("of 50 at once with one refresh token at most one is answered, and then the family is dead", async () => {
  const { userId } = await owner();
  const tokens = await nativeTokens(running, userId);
  const answers = await Promise.all(Array.from({ length: 50 }, () => refresh(tokens)));
  const won = answers.filter(({ status }) => status === 200);
  expect(won).toHaveLength(1);
  // A busy machine answers some of them 503, which is neither.
  const refused = answers.filter(({ status }) => status !== 200 && status !== 503);
  expect(new Set(refused.map(({ body }) => body.error))).toEqual(new Set(["invalid_grant"]));
  for (const token of [tokens.access, won[0]?.body.access_token]) expect(await getsIn(token)).toBe(false);
  expect((await refresh({ refresh: won[0]?.body.refresh_token })).body.error).toBe("invalid_grant");
});

test("an expired refresh token is refused and ends nothing; an expired access token is refused", async () => {
  const { userId } = await owner();
  const tokens = await nativeTokens(running, userId);
  await running.sql("update oauth_refresh_tokens set expires_at = now() where grant_id = $1", [tokens.grantId]);
  expect((await refresh(tokens)).body.error).toBe("invalid_grant");
  expect(await getsIn(tokens.access)).toBe(true);
  await running.sql("update credentials set expires_at = now() where grant_id = $1", [tokens.grantId]);
  expect((await withToken(tokens.access, "GET", "/me")).body.code).toBe("invalid_token");
});

test("a refresh can narrow what the next access token holds, and never widen it", async () => {
  const { userId } = await owner();
  const tokens = await nativeTokens(running, userId);
  const wide = await sendForm(running, "/mobile/oauth/token", {
    ...refreshRequest(tokens),
    scope: "svc:read svc:admin",
  });
  expect(wide.body.error).toBe("invalid_scope");
  const narrow = await sendForm(running, "/mobile/oauth/token", { ...refreshRequest(tokens), scope: "svc:read" });
  expect(narrow.body.scope).toBe("svc:read");
});

test("tokens of other kinds and families are nothing to this endpoint, and these nothing to the others'", async () => {
  const { userId, workspaceId, owner: person } = await owner();
  const tokens = await nativeTokens(running, userId);
  for (const kind of ["drt", "mrt", "nat", "dat", "pat", "ses", "mfa", "inv"] as const)
    expect((await refresh({ refresh: newSecret(kind) })).body.error, kind).toBe("invalid_grant");
  for (const secret of [tokens.access, person.session, "x", `${tokens.refresh}x`])
    expect((await refresh({ refresh: secret })).body.error).toBe("invalid_grant");
  const developer = newSecret("drt");
  const grant = (await running.sql<{ id: string }>(
    `insert into oauth_grants (id, family, client_id, client_name, user_id, workspace_id, scopes)
     values ($1, 'developer', 'svc-cli', 'CLI', $2, $3, '{svc:read}') returning id`,
    [newId(), userId, workspaceId],
  )) as [{ id: string }];
  await running.sql(
    `insert into oauth_refresh_tokens (token_hash, grant_id, expires_at)
      values (sha256($1::bytea), $2, now() + interval '1 day')`,
    [developer, grant[0].id],
  );
  for (const client_id of ["svc-mobile", "svc-cli"])
    expect(
      (
        await sendForm(running, "/mobile/oauth/token", {
          grant_type: "refresh_token",
          client_id,
          refresh_token: developer,
        })
      ).body.error,
    ).toBe("invalid_grant");
  for (const path of ["/dev/oauth/token", "/oauth/token"])
    for (const client_id of ["svc-mobile", "svc-cli"])
      expect((await sendForm(running, path, { ...refreshRequest(tokens), client_id })).body.error, path).toMatch(
        /^invalid_(?:grant|client)$/,
      );
  expect((await refresh(tokens)).status, "none of that has used it up").toBe(200);
});

test("another client id, another grant type and another audience are refused", async () => {
  const { userId } = await owner();
  const tokens = await nativeTokens(running, userId);
  const send = async (change: Record<string, string>) =>
    (await sendForm(running, "/mobile/oauth/token", { ...refreshRequest(tokens), ...change })).body.error;
  expect(await send({ client_id: "svc-cli" })).toBe("invalid_grant");
  expect(await send({ client_id: "" })).toBe("invalid_client");
  expect(await send({ grant_type: "password" })).toBe("unsupported_grant_type");
  expect(await send({ grant_type: "" })).toBe("invalid_request");
  expect(await send({ resource: "https://elsewhere.example.com/api" })).toBe("invalid_target");
  expect(await send({ resource: `${running.url}/mcp` })).toBe("invalid_target");
  expect(await send({ resource: `${running.url}/api/v1` })).toBe(undefined);
});

// ---- in the system's browser
// -----------------------------------------------------------------------------------------------------------

const authorize = (query: Record<string, string>, headers: Record<string, string> = {}) =>
  running.send("GET", `/mobile/oauth/authorize?${new URLSearchParams(query)}`, { headers });

/** Approves in the browser, and gives what the application is called back with. */
async function approved(person: Person, query: Record<string, string>) {
  const asked = await authorize(query, { cookie: `__Host-svc_session=${person.session}` });
  expect(asked.status).toBe(302);
  const request = new URL(asked.headers.get("location") as string, running.url).searchParams.get("request");
  const answer = await person.call("POST", "/oauth/consent", {
    body: { request, decision: "approve" },
  });
  return new URL(answer.body.redirect_to);
}

test("a browser without a session goes to sign in and comes back, one with a session to the question", async () => {
  const { owner: person } = await owner();
  const asked = await authorize(nativeRequest());
  const location = new URL(asked.headers.get("location") as string, running.url);
  expect([asked.status, location.pathname, asked.cookies]).toEqual([302, "/login", []]);
  expect(location.searchParams.get("return_to")).toMatch(/^\/api\/v1\/mobile\/oauth\/authorize\?response_type=code/);
  const known = await authorize(nativeRequest(), { cookie: `__Host-svc_session=${person.session}` });
  expect(new URL(known.headers.get("location") as string, running.url).pathname).toBe("/consent");
});

test("a dead or malformed session counts as nobody: the browser goes to sign in", async () => {
  const { owner: person, userId } = await owner();
  await running.sql("update credentials set revoked_at = now() where user_id = $1", [userId]);
  for (const cookie of [person.session, newSecret("ses"), newSecret("pat"), "x"]) {
    const asked = await authorize(nativeRequest(), { cookie: `__Host-svc_session=${cookie}` });
    expect([asked.status, asked.headers.get("location")?.split("?")[0]], cookie).toEqual([302, "/login"]);
  }
});

test("the code that follows the person's consent is exchanged for tokens, once, with the verifier", async () => {
  const { owner: person } = await owner();
  const { verifier, challenge } = pkce();
  const back = await approved(person, nativeRequest(challenge));
  expect(`${back.protocol}//${back.host}${back.pathname}`).toBe(CALLBACK);
  expect([back.searchParams.get("state"), back.searchParams.get("iss")]).toEqual(["as it was sent", running.url]);
  const code = back.searchParams.get("code") as string;
  const redeem = (code_verifier: string, change = {}) =>
    sendForm(running, "/mobile/oauth/token", {
      grant_type: "authorization_code",
      client_id: "svc-mobile",
      redirect_uri: CALLBACK,
      code,
      code_verifier,
      ...change,
    });
  expect((await redeem(pkce().verifier)).body.error).toBe("invalid_grant");
  expect((await redeem(verifier, { redirect_uri: "svc://oauth/other" })).body.error).toBe("invalid_grant");
  expect(
    (
      await sendForm(running, "/dev/oauth/token", {
        grant_type: "authorization_code",
        client_id: "svc-mobile",
        redirect_uri: CALLBACK,
        code,
        code_verifier: verifier,
      })
    ).body.error,
  ).toBe("invalid_grant");
  const { status, body, cookies } = await redeem(verifier);
  expect([status, cookies]).toEqual([200, []]);
  expect(await getsIn(body.access_token)).toBe(true);
  expect((await redeem(verifier)).body.error).toBe("invalid_grant");
  expect(await getsIn(body.access_token), "a code that comes twice ends its family").toBe(false);
});

test("an independent OAuth client gets through, checks what it is given, and refreshes", async () => {
  const { owner: person } = await owner();
  const token_endpoint = `${running.url.replace("localhost", "127.0.0.1")}/api/v1/mobile/oauth/token`;
  const server = { issuer: running.url, token_endpoint, authorization_response_iss_parameter_supported: true };
  const client = { client_id: "svc-mobile" };
  const insecure = { [oauth.allowInsecureRequests]: true };
  const verifier = oauth.generateRandomCodeVerifier();
  const request = nativeRequest(await oauth.calculatePKCECodeChallenge(verifier));
  const back = oauth.validateAuthResponse(server, client, await approved(person, request), request.state);
  const redeemed = await oauth.processAuthorizationCodeResponse(
    server,
    client,
    await oauth.authorizationCodeGrantRequest(server, client, oauth.None(), back, CALLBACK, verifier, insecure),
  );
  const refreshed = await oauth.processRefreshTokenResponse(
    server,
    client,
    await oauth.refreshTokenGrantRequest(server, client, oauth.None(), redeemed.refresh_token as string, insecure),
  );
  expect(refreshed.token_type).toBe("bearer");
  expect(await getsIn(refreshed.access_token)).toBe(true);
});

test("a request of another client, to another place or without PKCE leads nowhere", async () => {
  const { owner: person } = await owner();
  const headers = { cookie: `__Host-svc_session=${person.session}` };
  const shown = async (change: Record<string, string>) =>
    (await authorize({ ...nativeRequest(), ...change }, headers)).body?.error;
  expect(await shown({ client_id: "svc-cli" })).toBe("unauthorized_client");
  for (const redirect_uri of [
    "svc://oauth/callback/",
    "svc://oauth/callback?x=1",
    "svc://oauth/callback#x",
    "SVC://oauth/callback",
    "svc:/oauth/callback",
    "svc://evil@oauth/callback",
    "svc://oauth/../callback",
    "svc://oauth%2fcallback",
    "svcx://oauth/callback",
    "https://evil.example.com/callback",
    "http://127.0.0.1/callback",
  ])
    expect(await shown({ redirect_uri }), redirect_uri).toBe("invalid_redirect_uri");
  const unproved: Record<string, string>[] = [
    { code_challenge: "" },
    { code_challenge_method: "plain" },
    { code_challenge_method: "" },
    { code_challenge: "x".repeat(42) },
    { code_challenge: "x".repeat(44) },
  ];
  for (const change of unproved) {
    const answer = await authorize({ ...nativeRequest(), ...change }, headers);
    const location = new URL(answer.headers.get("location") as string);
    expect([location.protocol, location.searchParams.get("error")], JSON.stringify(change)).toEqual([
      "svc:",
      "invalid_request",
    ]);
  }
});

// ---- out again
// -----------------------------------------------------------------------------------------------------------------------

test("signing out ends the family of the calling token, with the answer, and no other", async () => {
  const { userId } = await owner();
  const [leaving, other] = [await nativeTokens(running, userId), await nativeTokens(running, userId)];
  const next = (await refresh(leaving)).body;
  const answer = await withToken(next.access_token, "POST", "/mobile/oauth/revoke");
  expect([answer.status, answer.cookies]).toEqual([204, []]);
  for (const token of [leaving.access, next.access_token]) expect(await getsIn(token)).toBe(false);
  expect((await refresh({ refresh: next.refresh_token })).body.error).toBe("invalid_grant");
  expect(await getsIn(other.access)).toBe(true);
  const again = await withToken(next.access_token, "POST", "/mobile/oauth/revoke");
  expect([again.status, again.body.code]).toEqual([401, "invalid_token"]);
});

test("a password reset ends every native family, also one that is being refreshed at that moment", async () => {
  const { email, userId } = await owner();
  const families = await Promise.all(Array.from({ length: 8 }, () => nativeTokens(running, userId)));
  await running.send("POST", "/auth/password/forgot", { body: { email } });
  const token = (await linkTo(running, email)).searchParams.get("token");
  const reset = () =>
    running.send("POST", "/auth/password/reset", { body: { token, new_password: "vellum-lantern-48-quartz" } });
  const [done, ...refreshed] = await Promise.all([reset(), ...families.map(refresh)]);
  expect(done.status).toBeLessThan(300);
  const late = await Promise.all(
    refreshed.filter(({ status }) => status === 200).map(({ body }) => getsIn(body.access_token)),
  );
  expect(late.filter(Boolean)).toEqual([]);
  for (const { access } of families) expect(await getsIn(access)).toBe(false);
});

test("a password reset also ends a token that was being issued while it waited for the family", async () => {
  const { email, userId } = await owner();
  const tokens = await nativeTokens(running, userId);
  await running.send("POST", "/auth/password/forgot", { body: { email } });
  const token = (await linkTo(running, email)).searchParams.get("token");
  const issued = newSecret("nat");
  const rotating = `
    with g as (update oauth_grants set last_used_at = now() where id = $1 returning *)
    insert into credentials (id, kind, secret_hash, user_id, grant_id, expires_at)
    select $2, 'native', sha256($3::bytea), user_id, id, now() + interval '15 minutes' from g`;
  const body = { token, new_password: "vellum-lantern-48-quartz" };
  await overlapping(running, [rotating, tokens.grantId, newId(), issued], 1, () =>
    running.send("POST", "/auth/password/reset", { body }),
  );
  expect(await getsIn(issued)).toBe(false);
});

test("a consent that waited for the end of its session grants nothing", async () => {
  const { owner: person, userId } = await owner();
  const asked = await authorize(nativeRequest(), { cookie: `__Host-svc_session=${person.session}` });
  const request = new URL(asked.headers.get("location") as string, running.url).searchParams.get("request");
  const resetting = `
    with changed as (update users set updated_at = now() where id = $1)
    update credentials set revoked_at = now() where user_id = $1`;
  const answer = await overlapping(running, [resetting, userId], 1, () =>
    person.call("POST", "/oauth/consent", { body: { request, decision: "approve" } }),
  );
  expect([answer.status, answer.body.code]).toEqual([401, "authentication_required"]);
  expect(await running.sql("select from oauth_grants where user_id = $1", [userId])).toEqual([]);
});

test("a suspended member's token opens nothing in that Workspace, and still the account", async () => {
  const { member, workspaceId } = await owner();
  const person = await member("admin");
  const { access } = await nativeTokens(running, person.userId);
  const members = () => withToken(access, "GET", `/workspaces/${workspaceId}/members`);
  expect((await members()).status).toBe(200);
  await running.sql("update memberships set state = 'suspended' where user_id = $1", [person.userId]);
  expect((await members()).status).toBe(404);
  expect(await getsIn(access)).toBe(true);
});

test("a token reaches every Workspace of its person that the request names, and no other", async () => {
  const [first, second] = [await owner(), await owner()];
  const { access } = await nativeTokens(running, first.userId);
  const named = (workspaceId: string) =>
    withToken(access, "GET", "/workspaces", { headers: { "x-svc-workspace-id": workspaceId } });
  expect((await named(first.workspaceId)).status).toBe(200);
  expect((await withToken(access, "GET", `/workspaces/${second.workspaceId}/members`)).status).toBe(404);
});

test("a bad bearer beside a good cookie, and a good bearer that comes twice, are refused", async () => {
  const { owner: person, userId } = await owner();
  const { access } = await nativeTokens(running, userId);
  const beside = await running.send("GET", "/me", {
    headers: { ...sessionHeaders(person.session), authorization: `Bearer ${newSecret("nat")}` },
  });
  expect([beside.status, beside.body.code]).toEqual([401, "invalid_token"]);
  const both = await running.send("POST", "/mobile/oauth/revoke", {
    headers: { ...sessionHeaders(person.session), authorization: `Bearer ${newSecret("nat")}` },
  });
  expect([both.status, await getsIn(access)]).toEqual([401, true]);
  const line = `Authorization: Bearer ${access}\r\n`;
  const sent = (lines: string) =>
    bytesTo(running.url, `GET /api/v1/me HTTP/1.1\r\nHost: svc\r\nConnection: close\r\n${lines}\r\n`);
  expect([(await sent(line)).status, (await sent(line + line)).status]).toEqual([200, 401]);
});

test("signing in, refreshing and signing out are recorded with the account", async () => {
  const { email, userId } = await owner();
  const { body } = await login({ email, password });
  const next = (await refresh({ refresh: body.refresh_token })).body;
  await withToken(next.access_token, "POST", "/mobile/oauth/revoke");
  const events = await running.sql<{ type: string }>(
    "select type from domain_events where user_id = $1 order by occurred_at, id",
    [userId],
    NIL,
  );
  expect(events.map(({ type }) => type)).toEqual([
    "account.signed_in",
    "oauth_grant.created",
    "oauth_grant.refreshed",
    "oauth_grant.revoked",
  ]);
});

test("a token that only the wrong kind of row has is refused", async () => {
  const { userId } = await owner();
  const disguised = newSecret("nat");
  await insertCredential(running, "personal", disguised, userId, null, ["svc:read"]);
  expect((await withToken(disguised, "GET", "/me")).body.code).toBe("invalid_token");
});
