// Attacks on the authorization server, for every family where it matters: none may succeed.
import { expect, test } from "vitest";
import {
  authorizePath,
  challengeOf,
  cli,
  codeFor,
  type Fields,
  form,
  newVerifier,
  type OAuthClient,
  redeemed,
  refreshed,
  registered,
  type Tokens,
  tokenPath,
  tokensFor,
} from "../../../test/oauth.ts";
import { service, type World, world } from "../../../test/world.ts";
import { newSecret } from "../../platform/wire/ids.ts";

const running = service();
const mobile: OAuthClient = { family: "native", id: "svc-mobile", redirectUri: "svc://oauth/callback" };

/** The parameters that a client is sent, or the error that is shown instead. */
async function asking({ owner }: World, client: OAuthClient, changes: Fields) {
  const answer = await owner.call("GET", authorizePath(client, newVerifier(), changes));
  const location = answer.headers.get("location");
  return {
    shown: answer.body?.error as string | undefined,
    location,
    sent: location?.startsWith("http") ? new URL(location).searchParams : null,
  };
}
const isLive = async ({ owner }: World, { access_token }: Tokens) =>
  (await owner.bearer(access_token, "GET", "/dev/workspace")).status === 200;
const errorOf = async (answer: Promise<{ status: number; body: { error?: string } }>) => {
  const { status, body } = await answer;
  return status === 200 ? "let in" : body.error;
};

test("a code is good once: its replay is refused and ends everything that it made", async () => {
  const place = await world(running);
  const code = await codeFor(place, cli);
  const { body } = await redeemed(running, code);
  const later = (await refreshed(running, cli, body.refresh_token)).body;
  expect(await isLive(place, body)).toBe(true);
  expect(await errorOf(redeemed(running, code))).toBe("invalid_grant");
  expect(await isLive(place, body)).toBe(false);
  expect(await isLive(place, later)).toBe(false);
  expect(await errorOf(refreshed(running, cli, later.refresh_token))).toBe("invalid_grant");
  const events = await running.sql<{ type: string }>(
    "select type from domain_events where type = 'oauth_grant.replayed'",
  );
  expect(events.length).toBeGreaterThan(0);
});

test("of fifty redemptions of one code at once, at most one is let in, and what it was given is dead afterwards", async () => {
  const place = await world(running);
  const code = await codeFor(place, cli);
  const answers = await Promise.all(Array.from({ length: 50 }, () => redeemed(running, code)));
  const won = answers.filter(({ status }) => status === 200);
  expect(won.length).toBe(1);
  expect(answers.filter(({ body }) => body.error === "invalid_grant").length).toBe(49);
  expect(await isLive(place, won[0]?.body)).toBe(false);
  expect(await errorOf(refreshed(running, cli, won[0]?.body.refresh_token))).toBe("invalid_grant");
});

test("whoever has a code but not its verifier can neither use it, nor use it up, nor end what it made", async () => {
  const place = await world(running);
  const code = await codeFor(place, cli);
  const wrong: [Fields, string][] = [
    [{ code_verifier: newVerifier() }, "invalid_grant"],
    [{ code_verifier: undefined }, "invalid_request"],
    [{ code_verifier: "" }, "invalid_request"],
    [{ code_verifier: challengeOf(code.verifier) }, "invalid_grant"],
    [{ code_verifier: code.verifier.slice(0, 42) }, "invalid_grant"],
    [{ code_verifier: `${code.verifier}${"a".repeat(86)}` }, "invalid_grant"],
    [{ redirect_uri: "http://127.0.0.1:49153/callback" }, "invalid_grant"],
    [{ redirect_uri: undefined }, "invalid_request"],
    [{ client_id: "svc-ide-a" }, "invalid_grant"],
    [{ client_id: undefined }, "invalid_client"],
    [{ code: `${code.code}x` }, "invalid_grant"],
    [{ code: undefined }, "invalid_request"],
    [{ resource: `${running.url}/mcp` }, "invalid_target"],
    [{ grant_type: "password" }, "unsupported_grant_type"],
    [{ grant_type: undefined }, "invalid_request"],
  ];
  for (const [changes, error] of wrong)
    expect(await errorOf(redeemed(running, code, changes)), JSON.stringify(changes)).toBe(error);
  const { body } = await redeemed(running, code, { code_verifier: code.verifier });
  for (const [changes, error] of wrong) expect(await errorOf(redeemed(running, code, changes))).toBe(error);
  expect(await isLive(place, body)).toBe(true);
});

test("a verifier has 43 to 128 characters", async () => {
  const place = await world(running);
  for (const length of [43, 128]) {
    const verifier = "~".repeat(length);
    const code = await codeFor(place, cli, { code_challenge: challengeOf(verifier) });
    expect((await redeemed(running, { ...code, verifier })).status).toBe(200);
  }
  for (const length of [42, 129]) {
    const verifier = "~".repeat(length);
    const code = await codeFor(place, cli, { code_challenge: challengeOf(verifier) });
    expect(await errorOf(redeemed(running, { ...code, verifier }))).toBe("invalid_grant");
  }
});

test("a code lives five minutes", async () => {
  const place = await world(running);
  const code = await codeFor(place, cli);
  const older = (by: string) =>
    running.sql(
      `update oauth_codes c set expires_at = c.expires_at - $1::interval from oauth_grants g
        where g.id = c.grant_id and g.user_id = $2 and c.used_at is null`,
      [by, place.owner.userId],
    );
  await older("4 minutes 50 seconds");
  expect((await redeemed(running, code)).status).toBe(200);
  const late = await codeFor(place, cli);
  await older("5 minutes");
  expect(await errorOf(redeemed(running, late))).toBe("invalid_grant");
});

test("a request without S256 PKCE, or with other faults, goes back to the client with its state and the issuer", async () => {
  const place = await world(running);
  const faults: [Fields, string][] = [
    [{ code_challenge: undefined }, "invalid_request"],
    [{ code_challenge: "" }, "invalid_request"],
    [{ code_challenge_method: undefined }, "invalid_request"],
    [{ code_challenge_method: "plain" }, "invalid_request"],
    [{ code_challenge_method: "s256" }, "invalid_request"],
    [{ code_challenge: "a".repeat(42) }, "invalid_request"],
    [{ code_challenge: "a".repeat(44) }, "invalid_request"],
    [{ code_challenge: `${"a".repeat(42)}=` }, "invalid_request"],
    [{ response_type: undefined }, "invalid_request"],
    [{ response_type: "token" }, "unsupported_response_type"],
    [{ response_type: "code id_token" }, "unsupported_response_type"],
    [{ scope: "svc:read svc:tasks:read" }, "invalid_scope"],
    [{ scope: "svc:admin" }, "invalid_scope"],
    [{ resource: `${running.url}/mcp` }, "invalid_target"],
    [{ resource: "https://elsewhere.example" }, "invalid_target"],
  ];
  for (const [changes, error] of faults) {
    const { sent, location } = await asking(place, cli, changes);
    expect(location, JSON.stringify(changes)).toMatch(/^http:\/\/127\.0\.0\.1:49152\/callback\?/);
    expect([sent?.get("error"), sent?.get("state"), sent?.get("iss"), sent?.get("code")]).toEqual([
      error,
      "opaque",
      running.url,
      null,
    ]);
  }
});

test("state is kept as it is up to 512 characters, and a longer one is refused here", async () => {
  const place = await world(running);
  for (const state of ["x".repeat(512), "ü&=?#/+ %"]) {
    const { sent } = await asking(place, cli, { state, response_type: "token" });
    expect(sent?.get("state")).toBe(state);
  }
  expect((await asking(place, cli, { state: "x".repeat(513) })).shown).toBe("invalid_request");
  expect((await asking(place, cli, { state: undefined, response_type: "token" })).sent?.has("state")).toBe(false);
});

test("no redirect URI but the registered one is ever sent to; only the port of a loopback address is free", async () => {
  const place = await world(running);
  const mcp = await registered(running, { redirect_uris: ["http://localhost:8000/cb?x=1", "http://[::1]/cb"] });
  const accepted: [OAuthClient, string][] = [
    [cli, "http://127.0.0.1/callback"],
    [cli, "http://127.0.0.1:1/callback"],
    [cli, "http://127.0.0.1:65535/callback"],
    [mcp, "http://localhost:9999/cb?x=1"],
    [mcp, "http://[::1]:9999/cb"],
    [mobile, "svc://oauth/callback"],
  ];
  for (const [client, redirect_uri] of accepted)
    expect((await asking(place, client, { redirect_uri })).location, redirect_uri).toMatch(/^\/consent\?/);
  const tricks: [OAuthClient, string][] = [
    ...[
      "https://127.0.0.1:49152/callback",
      "http://127.0.0.1.example.com/callback",
      "http://127.0.0.1:49152.example.com/callback",
      "http://127.0.0.2:49152/callback",
      "http://localhost:49152/callback",
      "http://[::1]:49152/callback",
      "http://0.0.0.0:49152/callback",
      "http://2130706433:49152/callback",
      "http://0x7f.0.0.1:49152/callback",
      "http://127.1:49152/callback",
      "http://127.0.0.1.:49152/callback",
      "http://127.0.0.1:0/callback",
      "http://127.0.0.1:65536/callback",
      "http://127.0.0.1:049152/callback",
      "http://127.0.0.1:/callback",
      "http://127.0.0.1:49152/Callback",
      "http://127.0.0.1:49152/callback/",
      "http://127.0.0.1:49152/callback/../evil",
      "http://127.0.0.1:49152//callback",
      "http://127.0.0.1:49152/%63allback",
      "http://127.0.0.1:49152/callback%2f",
      "http://127.0.0.1:49152/callback?x=1",
      "http://127.0.0.1:49152/callback#fragment",
      "http://127.0.0.1:49152/callback#",
      "http://user@127.0.0.1:49152/callback",
      "http://127.0.0.1:49152@example.com/callback",
      "http://127.0.0.1\\@example.com/callback",
      "http://127.0.0.1:49152\\.example.com/callback",
      "HTTP://127.0.0.1:49152/callback",
      "http://127.0.0.1:49152/callback ",
      " http://127.0.0.1:49152/callback",
      "http:/127.0.0.1:49152/callback",
      "//127.0.0.1:49152/callback",
      "/callback",
      "javascript:alert(1)",
      "svc://oauth/callback",
    ].map((uri): [OAuthClient, string] => [cli, uri]),
    [mcp, "http://LOCALHOST:8000/cb?x=1"],
    [mcp, "http://localhost.:8000/cb?x=1"],
    [mcp, "http://localhost:8000/cb"],
    [mcp, "http://localhost:8000/cb?x=1&y=2"],
    [mcp, "http://localhost:8000/cb?x=%31"],
    [mcp, "http://127.0.0.1:8000/cb?x=1"],
    [mcp, "http://[0:0:0:0:0:0:0:1]/cb"],
    [mobile, "svc://oauth:8080/callback"],
    [mobile, "SVC://oauth/callback"],
    [mobile, "svc://oauth/callback/"],
    [mobile, "svc:/oauth/callback"],
  ];
  for (const [client, redirect_uri] of tricks) {
    const { shown, location } = await asking(place, client, { redirect_uri });
    expect([redirect_uri, shown, location]).toEqual([redirect_uri, "invalid_redirect_uri", null]);
  }
  expect((await asking(place, cli, { redirect_uri: undefined })).shown).toBe("invalid_request");
  expect((await asking(place, cli, { client_id: "svc-cli2" })).shown).toBe("unauthorized_client");
  expect((await asking(place, cli, { client_id: undefined })).shown).toBe("invalid_request");
  const twice = await place.owner.call("GET", `${authorizePath(cli, newVerifier())}&redirect_uri=http://evil.example`);
  expect([twice.status, twice.headers.get("location")]).toEqual([400, null]);
});

test("a refresh token is good once: its replay is refused and ends the whole family", async () => {
  const place = await world(running);
  const first = await tokensFor(running, place, cli);
  const second = (await refreshed(running, cli, first.refresh_token)).body;
  const bystander = await tokensFor(running, place, cli);
  expect([await isLive(place, first), await isLive(place, second)]).toEqual([true, true]);
  expect(await errorOf(refreshed(running, cli, first.refresh_token))).toBe("invalid_grant");
  expect([await isLive(place, first), await isLive(place, second)]).toEqual([false, false]);
  expect(await errorOf(refreshed(running, cli, second.refresh_token))).toBe("invalid_grant");
  expect(await isLive(place, bystander)).toBe(true);
});

test("of fifty uses of one refresh token at once, one is let in and then the family is dead", async () => {
  const place = await world(running);
  const { refresh_token } = await tokensFor(running, place, cli);
  const answers = await Promise.all(Array.from({ length: 50 }, () => refreshed(running, cli, refresh_token)));
  const won = answers.filter(({ status }) => status === 200);
  expect(won.length).toBe(1);
  expect(await isLive(place, won[0]?.body)).toBe(false);
  const live = "select id from credentials where user_id = $1 and kind = 'developer' and revoked_at is null";
  expect(await running.sql(live, [place.owner.userId])).toEqual([]);
});

test("a refresh token lives 30 days from its last rotation, an access token 15 minutes, an MCP one an hour", async () => {
  const place = await world(running);
  const tokens = await tokensFor(running, place, cli);
  const mcp = await tokensFor(running, place, await registered(running));
  expect([tokens.expires_in, mcp.expires_in]).toEqual([900, 3600]);
  const lifetimes = await running.sql<{ days: number }>(
    `select extract(epoch from r.expires_at - now()) / 86400 as days from oauth_refresh_tokens r
      join oauth_grants g on g.id = r.grant_id where g.user_id = $1`,
    [place.owner.userId],
  );
  for (const { days } of lifetimes) expect(Math.round(Number(days) * 100) / 100).toBe(30);
  await running.sql(
    `update oauth_refresh_tokens r set expires_at = now() from oauth_grants g
      where g.id = r.grant_id and g.user_id = $1`,
    [place.owner.userId],
  );
  expect(await errorOf(refreshed(running, cli, tokens.refresh_token))).toBe("invalid_grant");
  await running.sql("update credentials set expires_at = now() where user_id = $1 and kind = 'developer'", [
    place.owner.userId,
  ]);
  expect(await isLive(place, tokens)).toBe(false);
});

test("scopes only ever narrow, and a narrowed access token leaves the grant as it was", async () => {
  const place = await world(running);
  const { refresh_token, scope } = await tokensFor(running, place, cli, { scope: "svc:write svc:read svc:read" });
  expect(scope).toBe("svc:write svc:read");
  const wider = await refreshed(running, cli, refresh_token, { scope: "svc:read svc:discuss" });
  expect(wider.body.error).toBe("invalid_scope");
  const narrow = (await refreshed(running, cli, refresh_token, { scope: "svc:read" })).body;
  expect(narrow.scope).toBe("svc:read");
  const written = await place.owner.bearer(narrow.access_token, "POST", `/projects/${crypto.randomUUID()}/tasks`, {
    body: { title: "x" },
  });
  expect(written.body.code).toBe("insufficient_scope");
  expect((await refreshed(running, cli, narrow.refresh_token)).body.scope).toBe("svc:write svc:read");
  expect((await tokensFor(running, place, cli)).scope).toBe("svc:read svc:write svc:discuss");
});

test("no family takes another's codes or refresh tokens, and none takes an access token or another secret for one", async () => {
  const place = await world(running);
  const clients = [cli, mobile, await registered(running)];
  for (const client of clients) {
    const others = clients.filter((other) => other !== client);
    const code = await codeFor(place, client);
    for (const other of others) {
      const stolen = { ...code, client: { ...client, family: other.family } };
      expect(await errorOf(redeemed(running, stolen)), `${client.family} at ${other.family}`).toBe("invalid_grant");
      expect(await errorOf(redeemed(running, stolen, { client_id: other.id }))).toBe("invalid_grant");
    }
    const { body } = await redeemed(running, code);
    for (const other of others)
      for (const client_id of [client.id, other.id])
        expect(await errorOf(refreshed(running, other, body.refresh_token, { client_id }))).toBe("invalid_grant");
    for (const token of [body.access_token, place.owner.session, newSecret("pat"), "", "x"])
      expect(await errorOf(refreshed(running, client, token))).toMatch(/^invalid_(?:grant|request)$/);
    const next = await refreshed(running, client, body.refresh_token);
    expect(next.status, "none of this has ended the family").toBe(200);
  }
});

test("a form that is not a form, or has a field twice, is refused in the envelope of OAuth", async () => {
  const json = await running.send("POST", tokenPath(cli), { body: { grant_type: "refresh_token" } });
  expect([json.status, json.body.error]).toEqual([415, "invalid_request"]);
  const twice = await running.send("POST", tokenPath(cli), {
    raw: "grant_type=refresh_token&grant_type=refresh_token",
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  expect([twice.status, twice.body.error]).toEqual([400, "invalid_request"]);
  const unknown = await form(running, tokenPath(cli), {
    grant_type: "refresh_token",
    client_id: "svc-cli",
    refresh_token: newSecret("drt"),
    audience: "x",
  });
  expect([unknown.status, unknown.body.error], "what is not known is ignored").toEqual([400, "invalid_grant"]);
});
