// People at one address: what somebody there gets wrong never keeps anybody else out, and whoever guesses gets no
// further for it.
import { describe, expect, test } from "vitest";
import type { Answer } from "../../../test/answer.ts";
import { forgot, password, resetToken, withPassword } from "../../../test/letters.ts";
import { nativeTokens, refreshRequest } from "../../../test/native.ts";
import { challengeFor, codeOf, earlyInStep, withFactor } from "../../../test/second-factor.ts";
import { newKey, type Person, service, world } from "../../../test/world.ts";
import { newId, newSecret } from "../../platform/wire/ids.ts";
import { defaultRates } from "../../platform/wire/limits/rate-limit.ts";

const MOST = 3;
const few = { requests: MOST, seconds: 3600 };
const running = service({
  trustProxy: { hops: 1 },
  rateLimits: { ...defaultRates, sign_in: few, register: few, token: few },
});
let offices = 0;
/** An address that nobody else has. */
const office = () => ({ "x-forwarded-for": `198.51.100.${++offices}` });
type Headers = Record<string, string>;

const login = (email: string, headers: Headers, given = password, path = "/auth/login") =>
  running.send("POST", path, { body: { email, password: given }, headers, once: true });
const stranger = () => `${newId()}@example.com`;
const guess = (headers: Headers) => login(stranger(), headers);
const told = ({ status, body }: Answer) => [status, body?.code];
const WRONG = [401, "invalid_credentials"];
const HELD = [429, "rate_limited"];
/** Somebody there has been wrong as often as one may. */
async function failing(): Promise<Headers> {
  const headers = office();
  for (let n = 0; n < MOST; n++) expect(told(await guess(headers))).toEqual(WRONG);
  expect(told(await guess(headers))).toEqual(HELD);
  return headers;
}

describe("a right password", () => {
  test("is let in where others have failed too often, in browsers and native applications; a wrong one is told no more than that", async () => {
    const headers = await failing();
    const { email } = await withPassword(running);
    expect((await login(email, headers)).status).toBe(200);
    expect((await login(email, headers, password, "/mobile/auth/login")).status).toBe(200);
    const same = { ...headers, "x-correlation-id": "same" };
    const wrong = await login(email, same, "wrong");
    expect(told(wrong)).toEqual(HELD);
    expect(Number(wrong.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(wrong.headers.get("ratelimit-policy")).toBe('"sign_in";q=3;w=3600');
    const { email: unknown } = await withPassword(running);
    expect([wrong.trips, wrong.cookies]).toEqual([(await login(unknown, same, "wrong")).trips, []]);
    expect(told(await guess(office()))).toEqual(WRONG);
  });

  test("uses nothing up: a whole office signs in at once, and then still may be wrong as often as anybody", async () => {
    const headers = office();
    const people = await Promise.all(Array.from({ length: MOST * 2 }, () => withPassword(running)));
    const answers = await Promise.all(people.map(({ email }) => login(email, headers)));
    expect(answers.map(({ status }) => status)).toEqual(people.map(() => 200));
    expect((await login((people[0] as Person).email, headers)).headers.get("x-ratelimit-remaining")).toBe(String(MOST));
    for (let n = 0; n < MOST; n++) expect(told(await guess(headers))).toEqual(WRONG);
    expect(told(await guess(headers))).toEqual(HELD);
  });

  test("is let in in the middle of many wrong ones", async () => {
    const headers = await failing();
    const { email } = await withPassword(running);
    const wrong = Array.from({ length: 4 }, () => guess(headers));
    const right = login(email, headers);
    const answers = await Promise.all([...wrong, ...Array.from({ length: 3 }, () => guess(headers))]);
    expect((await right).status).toBe(200);
    expect(answers.map(told)).toEqual(answers.map(() => HELD));
  });

  test("of somebody who is known there does not wait behind a flood of wrong ones, which has an end of its own", async () => {
    const headers = await failing();
    const [known, here] = [await withPassword(running), await withPassword(running)];
    const { device } = await login(known.email, office());
    await login(here.email, headers);
    let answered = 0;
    // More than may wait.
    const flood = Array.from({ length: 60 }, () => guess(headers).finally(() => answered++));
    await Promise.race(flood);
    expect((await login(known.email, { ...headers, cookie: device as string })).status, "a known browser").toBe(200);
    expect((await login(here.email, headers)).status, "signed in there").toBe(200);
    expect(answered).toBeLessThan(flood.length);
    const statuses = (await Promise.all(flood)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([429, 503]));
    expect((await login((await withPassword(running)).email, headers)).status, "once it is over").toBe(200);
  });

  test("has a limit of its own for each account, which nobody without the password uses up", async () => {
    const [one, other] = [await withPassword(running), await withPassword(running)];
    for (let n = 0; n < 2 * MOST; n++) await login(one.email, office(), "wrong");
    for (let n = 0; n < MOST; n++) expect((await login(one.email, office())).status).toBe(200);
    expect(told(await login(one.email, office()))).toEqual(HELD);
    expect((await login(other.email, office())).status).toBe(200);
  });
});

describe("whatever else lets somebody in goes on where others have failed too often", () => {
  test("a code of the second factor", async () => {
    const headers = await failing();
    const { userId } = await withPassword(running);
    const secret = await withFactor(running, userId);
    await earlyInStep();
    const body = { mfa_token: await challengeFor(running, userId), code: codeOf(secret) };
    expect((await running.send("POST", "/auth/mfa/verify", { body, headers })).status).toBe(200);
    expect(told(await running.send("POST", "/auth/mfa/verify", { body, headers }))).toEqual(HELD);
  });

  test("a link that was mailed", async () => {
    const headers = await failing();
    const { email } = await withPassword(running);
    const body = { token: await resetToken(running, email), new_password: "vellum-lantern-48-quartz" };
    expect((await running.send("POST", "/auth/password/reset", { body, headers })).status).toBe(204);
    expect(told(await running.send("POST", "/auth/password/reset", { body, headers }))).toEqual(HELD);
  });

  test("a refresh token, with a limit of its own for each person", async () => {
    const headers = { ...office(), "content-type": "application/x-www-form-urlencoded" };
    const refresh = (fields: Headers) =>
      running.send("POST", "/mobile/oauth/token", { raw: new URLSearchParams(fields).toString(), headers });
    const made = async () => refreshRequest(await nativeTokens(running, (await withPassword(running)).userId));
    const unknown = () => refresh({ ...refreshRequest({ refresh: newSecret("nrt") }) });
    for (let n = 0; n < MOST; n++) expect((await unknown()).body.error).toBe("invalid_grant");
    expect((await unknown()).status).toBe(429);
    let fields = await made();
    for (let n = 0; n < MOST; n++) {
      const { status, body } = await refresh(fields);
      expect(status).toBe(200);
      fields = { ...fields, refresh_token: body.refresh_token };
    }
    expect((await refresh(fields)).status, "of one person").toBe(429);
    expect((await refresh(await made())).status, "of another").toBe(200);
  });
});

describe("registering", () => {
  const register = (headers: Headers, body: object = {}) =>
    running.send("POST", "/auth/register", {
      body: { email: stranger(), password, display_name: "Ada", ...body },
      headers,
    });

  test("works where others have failed too often, up to as many accounts as one address may make", async () => {
    const headers = office();
    for (let n = 0; n < MOST; n++) expect((await register(headers, { password: "short" })).status).toBe(400);
    expect(told(await register(headers, { password: "short" }))).toEqual(HELD);
    for (let n = 0; n < MOST; n++) expect((await register(headers)).status).toBe(201);
    expect(told(await register(headers))).toEqual(HELD);
    expect((await register(office())).status).toBe(201);
  });

  test("with an invitation goes past that, and an address that is taken or an invitation that is none makes no account", async () => {
    const headers = office();
    const { owner, workspaceId } = await world(running);
    for (let n = 0; n < MOST; n++) expect((await register(headers)).status).toBe(201);
    const email = stranger();
    const body = { email, role: "member" };
    const made = await owner.call("POST", `/workspaces/${workspaceId}/invitations`, { body, key: newKey() });
    const invitation_token = made.body.token;
    expect(told(await register(headers, { email: stranger(), invitation_token }))).toEqual([400, "invalid_invitation"]);
    expect((await register(headers, { email, invitation_token })).status).toBe(201);
    expect(told(await register(headers, { email }))).toEqual([409, "email_taken"]);
  });
});

test("what makes the service write to somebody counts for the address, whether it finds anybody or not", async () => {
  const limited = { headers: office() };
  const statuses: number[] = [];
  for (let n = 0; n <= defaultRates.mail.requests; n++)
    statuses.push((await forgot(running, stranger(), limited.headers)).status);
  expect(statuses).toEqual([...Array(defaultRates.mail.requests).fill(202), 429]);
});
