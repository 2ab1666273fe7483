// Native applications: signing in and registering, with and without a second factor, and everything that must not let
// anybody in.
import { expect, test } from "vitest";
import { linkTo } from "../../../test/mailbox.ts";
import { nativeClient, nativeTokens, password } from "../../../test/native.ts";
import { challengeFor, codeOf, withFactor, wrongCode } from "../../../test/second-factor.ts";
import { service, sessionHeaders, world } from "../../../test/world.ts";
import { newId, newSecret } from "../../platform/wire/ids.ts";
import { defaultRates } from "../../platform/wire/limits/rate-limit.ts";

const running = service();
const limited = service({
  rateLimits: { ...defaultRates, sign_in: { requests: 3, seconds: 3600 }, register: { requests: 3, seconds: 3600 } },
});
const { login, refresh, withToken, getsIn, owner } = nativeClient(running);

// ---- signing in
// --------------------------------------------------------------------------------------------------------------------

test("the right password answers with tokens and the account, and sets no cookie", async () => {
  const { email, userId, workspaceId } = await owner();
  const { status, body, cookies, headers } = await login({ email, password, device_name: "Ada's phone" });
  expect([status, cookies, headers.get("cache-control")]).toEqual([200, [], "no-store"]);
  expect(body).toMatchObject({ token_type: "Bearer", expires_in: 900, scope: "svc:read svc:write svc:discuss" });
  expect(body.account).toMatchObject({ id: userId, email, workspace_id: null });
  expect(body.access_token).toMatch(/^svc_nat_/);
  expect(body.refresh_token).toMatch(/^svc_nrt_/);
  expect((await withToken(body.access_token, "GET", "/me")).body).toEqual(body.account);
  expect((await withToken(body.access_token, "GET", `/workspaces/${workspaceId}/members`)).status).toBe(200);
});

test("every failure is the same 401 in status, body and headers", async () => {
  const { email } = await owner();
  const { owner: without } = await world(running);
  const headers = { "x-correlation-id": "same-for-all" };
  const failures = [
    { email: `${newId()}@example.com`, password },
    { email, password: "quartz-lantern-48-velluM" },
    { email, password: "" },
    { email: without.email, password },
    { email: "not an address", password: "\ud800" },
  ];
  const answers = await Promise.all(failures.map((body) => login(body, headers)));
  const shown = ({ text, headers: sent }: (typeof answers)[0]) => [
    text,
    ...[...sent].filter(([name]) => name !== "date"),
  ];
  for (const answer of answers) {
    expect([answer.status, answer.body.code]).toEqual([401, "invalid_credentials"]);
    expect(shown(answer)).toEqual(shown(answers[0] as typeof answer));
  }
});

test("a session cookie or a bearer that comes along means nothing here", async () => {
  const { email, owner: person } = await owner();
  const [tokens] = [await nativeTokens(running, person.userId)];
  for (const headers of [sessionHeaders(person.session), { authorization: `Bearer ${tokens.access}` }]) {
    expect((await login({ email, password: "wrong" }, headers)).body.code).toBe("invalid_credentials");
    expect((await login({ email, password }, headers)).cookies).toEqual([]);
  }
});

test("the 3 sign-ins of a limited address are answered and the fourth is not, whichever endpoint it asks", async () => {
  const body = { email: "nobody@example.com", password: "x" };
  for (let attempt = 0; attempt < 3; attempt++)
    expect((await limited.send("POST", "/mobile/auth/login", { body })).status).toBe(401);
  const held = await limited.send("POST", "/mobile/auth/login", { body });
  expect([held.status, Number(held.headers.get("retry-after")) >= 1]).toEqual([429, true]);
  const verify = { mfa_token: newSecret("mfa"), code: "123456" };
  expect((await limited.send("POST", "/mobile/auth/mfa/verify", { body: verify })).status).toBe(429);
  expect((await limited.send("POST", "/auth/login", { body })).status).toBe(429);
});

test("a device name has 1 to 100 characters and is shown to its owner", async () => {
  const { email, owner: person } = await owner();
  const named = "x".repeat(100);
  expect((await login({ email, password, device_name: named })).status).toBe(200);
  for (const device_name of ["", " ", "x".repeat(101), "a\u0007b"])
    expect((await login({ email, password, device_name })).status).toBe(400);
  const { items } = (await person.call("GET", "/me/mobile-credentials")).body;
  expect(items.map((item: { device_name: string }) => item.device_name)).toEqual([named]);
});

// ---- registering
// ---------------------------------------------------------------------------------------------------------------------

test("a new account gets tokens, a verification letter, and no cookie", async () => {
  const email = `${newId()}@example.com`;
  const body = { email, password, display_name: "Ada", device_name: "Tablet" };
  const answer = await running.send("POST", "/mobile/auth/register", { body });
  expect([answer.status, answer.cookies]).toEqual([201, []]);
  expect(answer.body.account).toMatchObject({ email, email_verified: false, workspace_id: null });
  expect(await getsIn(answer.body.access_token)).toBe(true);
  expect((await refresh({ refresh: answer.body.refresh_token })).status).toBe(200);
  expect((await linkTo(running, email)).pathname).toContain("/auth/continuations/");
});

test("an address that is taken, a stolen password and an unknown invitation are refused as in the browser", async () => {
  const { email } = await owner();
  const send = async (change: object) =>
    (
      await running.send("POST", "/mobile/auth/register", {
        body: { email: `${newId()}@example.com`, password, display_name: "Ada", ...change },
      })
    ).body.code;
  expect(await send({ email })).toBe("email_taken");
  expect(await send({ password: "password1234" })).toBe("password_breached");
  expect(await send({ invitation_token: newSecret("inv") })).toBe("invalid_invitation");
  for (const wrong of ["x".repeat(11), "x".repeat(129)])
    expect(await send({ password: wrong })).toBe("invalid_request");
});

test("registrations are limited by their own class", async () => {
  const body = { email: "taken", password, display_name: "Ada" };
  const statuses = [];
  for (let attempt = 0; attempt < 4; attempt++)
    statuses.push((await limited.send("POST", "/mobile/auth/register", { body })).status);
  expect(statuses).toEqual([400, 400, 400, 429]);
});

// ---- second factor
// -------------------------------------------------------------------------------------------------------------------

const verify = (mfa_token: string, code: string, path = "/mobile/auth/mfa/verify") =>
  running.send("POST", path, { body: { mfa_token, code } });

test("an account with a second factor gets a challenge, and tokens only for the code", async () => {
  const { email, userId, owner: person } = await owner();
  const secret = await withFactor(running, userId);
  const { body, cookies } = await login({ email, password, device_name: "Ada's phone" });
  expect(body).toEqual({ mfa_required: true, mfa_token: expect.any(String), expires_at: expect.any(String) });
  expect(cookies).toEqual([]);
  const wrong = await verify(body.mfa_token, wrongCode(secret));
  expect([wrong.status, wrong.body.code]).toEqual([401, "invalid_code"]);
  const done = await verify(body.mfa_token, codeOf(secret));
  expect([done.status, done.cookies]).toEqual([200, []]);
  expect(await getsIn(done.body.access_token)).toBe(true);
  const { items } = (await person.call("GET", "/me/mobile-credentials")).body;
  expect(items[0]).toMatchObject({ device_name: "Ada's phone" });
});

test("a challenge is good once, also when 50 come at once with the right code", async () => {
  const { userId } = await owner();
  const secret = await withFactor(running, userId);
  const token = await challengeFor(running, userId, "native");
  const code = codeOf(secret);
  const answers = await Promise.all(Array.from({ length: 50 }, () => verify(token, code)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  const refused = answers.filter(({ status }) => status !== 200 && status !== 503);
  expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([401]));
});

test("after five wrong codes the right one comes too late, and so it does after five minutes", async () => {
  const { userId } = await owner();
  const secret = await withFactor(running, userId);
  const tried = await challengeFor(running, userId, "native");
  for (let attempt = 0; attempt < 5; attempt++)
    expect((await verify(tried, wrongCode(secret))).body.code).toBe("invalid_code");
  expect((await verify(tried, codeOf(secret))).body.code).toBe("invalid_challenge");
  const late = await challengeFor(running, userId, "native");
  await running.sql("update sign_in_challenges set expires_at = now() where user_id = $1", [userId]);
  expect((await verify(late, codeOf(secret))).body.code).toBe("invalid_challenge");
});

test("a browser's challenge is nothing to a native application, nor the reverse", async () => {
  const { userId } = await owner();
  const secret = await withFactor(running, userId);
  const [ofBrowser, ofNative] = [await challengeFor(running, userId), await challengeFor(running, userId, "native")];
  expect((await verify(ofBrowser, codeOf(secret))).body.code).toBe("invalid_challenge");
  const asBrowser = await verify(ofNative, codeOf(secret), "/auth/mfa/verify");
  expect([asBrowser.body.code, asBrowser.cookies]).toEqual(["invalid_challenge", []]);
  for (const token of [newSecret("mfa"), newSecret("nrt"), "x", ""])
    expect((await verify(token, codeOf(secret))).body.code).toBe("invalid_challenge");
});

test("no secret of a family is kept as it is", async () => {
  const { userId } = await owner();
  const tokens = await nativeTokens(running, userId);
  const kept = await running.sql<{ row: string }>(
    `select to_jsonb(c)::text as row from credentials c where grant_id = $1
     union all select to_jsonb(r)::text from oauth_refresh_tokens r where grant_id = $1`,
    [tokens.grantId],
  );
  for (const secret of [tokens.access, tokens.refresh as string]) expect(JSON.stringify(kept)).not.toContain(secret);
});
