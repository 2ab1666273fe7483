// Guessing passwords: counted for the account from wherever it comes, without a stranger being able to keep the owner
// out.
import { expect, test } from "vitest";
import type { Answer } from "../../../../test/answer.ts";
import { password, resetToken, withPassword } from "../../../../test/letters.ts";
import { age } from "../../../../test/recency.ts";
import { challengeFor, codeOf, earlyInStep, withFactor, wrongCode } from "../../../../test/second-factor.ts";
import { asSession, service, sessionHeaders } from "../../../../test/world.ts";
import { parseTrust } from "../../../platform/wire/client-address.ts";
import { newId } from "../../../platform/wire/ids.ts";
import { defaultRates } from "../../../platform/wire/limits/rate-limit.ts";

/** So many wrong ones, and an hour for each to be forgotten. */
const MOST = 3;
const running = service({
  trustProxy: parseTrust("1"),
  rateLimits: { ...defaultRates, password: { requests: MOST, seconds: MOST * 3600 } },
});
let hosts = 0;
/** An address that nobody has used. */
const elsewhere = () => ({ "x-forwarded-for": `198.51.${100 + Math.floor(++hosts / 250)}.${hosts % 250}` });
const login = (email: string, given = password, headers: Record<string, string> = elsewhere(), path = "/auth/login") =>
  running.send("POST", path, { body: { email, password: given }, headers });
const told = ({ status, body }: Answer) => [status, body.code];
const WRONG = [401, "invalid_credentials"];
const HELD = [429, "rate_limited"];
async function useUp(email: string, headers?: Record<string, string>) {
  for (let n = 0; n < MOST; n++) expect(told(await login(email, "wrong", headers))).toEqual(WRONG);
}

test("wrong passwords are counted for the account, whatever address they come from, and then not even the right one is looked at", async () => {
  const { email } = await withPassword(running);
  await useUp(email);
  const held = await login(email);
  expect(told(held)).toEqual(HELD);
  expect(Number(held.headers.get("retry-after"))).toBeGreaterThan(3000);
  expect(told(await login(` ${email.toUpperCase()}`)), "in another spelling").toEqual(HELD);
  expect(told(await login(email, password, elsewhere(), "/mobile/auth/login")), "in an application").toEqual(HELD);
});

test("native sign-ins are counted with those of browsers", async () => {
  const { email } = await withPassword(running);
  for (let n = 0; n < MOST; n++)
    expect(told(await login(email, "wrong", elsewhere(), "/mobile/auth/login"))).toEqual(WRONG);
  expect(told(await login(email))).toEqual(HELD);
});

test("an address without an account is counted and answered alike", async () => {
  const [known, unknown] = [(await withPassword(running)).email, `${newId()}@example.com`];
  const answers = async (email: string) => {
    const all = [];
    for (let n = 0; n <= MOST; n++) {
      const answer = await login(email, "wrong", { ...elsewhere(), "x-correlation-id": "same" });
      all.push([answer.text.replace(/"retry_after":\d+/, ""), answer.trips, answer.cookies, answer.device]);
    }
    return all;
  };
  expect(await answers(unknown)).toEqual(await answers(known));
});

test("many at once are no more than so many", async () => {
  const { email } = await withPassword(running);
  const answers = await Promise.all(Array.from({ length: 12 }, () => login(email, "wrong")));
  expect(answers.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(MOST);
});

test("right passwords use nothing up", async () => {
  const { email } = await withPassword(running);
  for (let n = 0; n < MOST * 2; n++) expect((await login(email)).status).toBe(200);
  await useUp(email);
});

test("a browser that has signed in before goes past what strangers have used up, with a limit of its own", async () => {
  const { email } = await withPassword(running);
  const { device } = await login(email);
  expect(device).toMatch(/^__Host-svc_device=/);
  await useUp(email);
  expect(told(await login(email))).toEqual(HELD);
  const known = () => ({ ...elsewhere(), cookie: device as string });
  expect((await login(email, password, known())).status).toBe(200);
  for (let n = 0; n < MOST; n++) expect(told(await login(email, "wrong", known()))).toEqual(WRONG);
  expect(told(await login(email, password, known()))).toEqual(HELD);
});

test("the mark is of this account: another's, a changed one and one made up are none", async () => {
  const [owner, other] = [await withPassword(running), await withPassword(running)];
  const { device: foreign } = await login(other.email);
  const { device } = await login(owner.email);
  await useUp(owner.email);
  for (const cookie of [foreign, `${device}x`, "__Host-svc_device=made.up.here", `${device}; ${device}`])
    expect(told(await login(owner.email, password, { ...elsewhere(), cookie: cookie as string }))).toEqual(HELD);
});

test("one browser may know several accounts, and is told nothing new where it knows the account", async () => {
  const [one, two] = [await withPassword(running), await withPassword(running)];
  const first = await login(one.email);
  const second = await login(two.email, password, { ...elsewhere(), cookie: first.device as string });
  await useUp(one.email);
  await useUp(two.email);
  for (const { email } of [one, two]) {
    const answer = await login(email, password, { ...elsewhere(), cookie: second.device as string });
    expect([answer.status, answer.device]).toEqual([200, undefined]);
  }
});

test("a browser that is not to be remembered is not known afterwards, nor one that has only guessed, nor one with half of two steps", async () => {
  const { email, userId } = await withPassword(running);
  const body = { email, password, remember_me: false };
  expect((await running.send("POST", "/auth/login", { body, headers: elsewhere() })).device).toBeUndefined();
  expect((await login(email, "wrong")).device).toBeUndefined();
  await withFactor(running, userId);
  const half = await login(email);
  expect([half.body.mfa_required, half.device]).toEqual([true, undefined]);
});

test("a network in which the account is signed in goes past it too, as IPv6 by its /64, with a limit of its own", async () => {
  for (const [at, near, far] of [
    ["203.0.113.7", "203.0.113.7", "203.0.113.8"],
    ["2001:db8:1:2::7", "2001:db8:1:2:ffff::1", "2001:db8:1:3::7"],
  ] as const) {
    const { email } = await withPassword(running);
    await login(email, password, { "x-forwarded-for": at });
    await useUp(email);
    expect(told(await login(email, password, { "x-forwarded-for": far }))).toEqual(HELD);
    expect((await login(email, password, { "x-forwarded-for": near })).status).toBe(200);
    await useUp(email, { "x-forwarded-for": near });
    expect(told(await login(email, password, { "x-forwarded-for": near }))).toEqual(HELD);
  }
});

test("a network counts only while a session from it lives", async () => {
  const { email, userId } = await withPassword(running);
  const home = elsewhere();
  await login(email, password, home);
  await useUp(email);
  await running.sql("update credentials set revoked_at = now() where user_id = $1", [userId]);
  expect(told(await login(email, password, home))).toEqual(HELD);
});

test("who sets a new password with the mailed link signs in with it at once, whatever strangers do", async () => {
  const { email } = await withPassword(running);
  await useUp(email);
  const token = await resetToken(running, email);
  const next = "vellum-lantern-48-quartz";
  const { device, status } = await running.send("POST", "/auth/password/reset", {
    body: { token, new_password: next },
    headers: elsewhere(),
  });
  expect(status).toBe(204);
  expect(told(await login(email, next))).toEqual(HELD);
  expect((await login(email, next, { ...elsewhere(), cookie: device as string })).status).toBe(200);
});

test("a stolen session cannot guess without end, here or there, and what strangers use up at sign-in does not count in it", async () => {
  const person = await withPassword(running);
  await useUp(person.email);
  const attempts = [
    () => person.call("POST", "/auth/reauthenticate", { body: { password: "wrong" } }),
    () =>
      person.call("POST", "/auth/password/change", {
        body: { current_password: "wrong", new_password: "vellum-lantern-48-quartz" },
      }),
    () =>
      person.call("POST", "/me/email-change", {
        body: { email: `${newId()}@example.com`, current_password: "wrong" },
      }),
  ];
  for (const attempt of attempts) expect(told(await attempt())).toEqual(WRONG);
  for (const attempt of attempts) expect(told(await attempt())).toEqual(HELD);
});

test("the owner's own browser goes past what a thief of the session has used up", async () => {
  const person = await withPassword(running);
  const { device } = await login(person.email);
  for (let n = 0; n < MOST; n++) await person.call("POST", "/auth/reauthenticate", { body: { password: "wrong" } });
  await age(running, person.userId);
  const cookie = `${sessionHeaders(person.session).cookie}; ${device}`;
  const proved = await person.call("POST", "/auth/reauthenticate", { body: { password }, headers: { cookie } });
  expect(proved.status, proved.text).toBe(200);
});

test("after 20 wrong codes a browser that has signed in before still gets in with the right one, and cannot guess either", async () => {
  const person = await withPassword(running);
  const { device } = await login(person.email);
  const secret = await withFactor(running, person.userId);
  const close =
    "update second_factors set wrong_codes = 20, closed_until = now() + interval '1 hour' where user_id = $1";
  const verify = async (code: string, cookie = "") =>
    running.send("POST", "/auth/mfa/verify", {
      body: { mfa_token: await challengeFor(running, person.userId), code },
      headers: { ...elsewhere(), ...(cookie ? { cookie } : {}) },
    });
  await running.sql(close, [person.userId]);
  await earlyInStep();
  expect(told(await verify(codeOf(secret)))).toEqual(HELD);
  expect((await verify(codeOf(secret), device)).status).toBe(200);
  await running.sql(close, [person.userId]);
  const old = asSession(running, person.session);
  for (let n = 1; n < MOST; n++) expect(told(await verify(wrongCode(secret), device))).toEqual([401, "invalid_code"]);
  expect(told(await verify(codeOf(secret, 1), device))).toEqual(HELD);
  expect((await old("GET", "/me")).status).toBe(200);
});
