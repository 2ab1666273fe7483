// Limits that protect accounts hold over all processes: two services on one database allow no more attempts than one.
import { expect, test } from "vitest";
import type { Answer } from "../../../../test/answer.ts";
import { password, withPassword } from "../../../../test/letters.ts";
import { challengeFor, codeOf, earlyInStep, withFactor, wrongCode } from "../../../../test/second-factor.ts";
import { service, type TestService } from "../../../../test/world.ts";
import { SWEEP_ATTEMPTS } from "../../../platform/database/attempt-limits.ts";
import { parseTrust } from "../../../platform/wire/client-address.ts";
import { newId, newSecret } from "../../../platform/wire/ids.ts";
import { defaultRates } from "../../../platform/wire/limits/rate-limit.ts";

const MOST = 4;
const hours = { requests: MOST, seconds: MOST * 3600 };
const config = {
  trustProxy: parseTrust("1"),
  rateLimits: { ...defaultRates, password: hours, mail: hours, sign_in: hours },
};
const one = service(config);
const two = service(config, {}, async () => one.databaseUrl);
/** By turns. */
const either = (n: number) => (n % 2 === 0 ? one : two);

let hosts = 0;
const elsewhere = () => ({ "x-forwarded-for": `198.51.100.${++hosts}` });
const login = (at: TestService, email: string, given = password, headers: Record<string, string> = elsewhere()) =>
  at.send("POST", "/auth/login", { body: { email, password: given }, headers });
const told = ({ status, body }: Answer) => [status, body?.code];
const WRONG = [401, "invalid_credentials"];
const HELD = [429, "rate_limited"];

test("wrong passwords of an account count together, and then neither service looks at the right one", async () => {
  const { email } = await withPassword(one);
  for (let n = 0; n < MOST; n++) expect(told(await login(either(n), email, "wrong"))).toEqual(WRONG);
  for (const at of [one, two]) {
    const held = await login(at, email);
    expect(told(held)).toEqual(HELD);
    expect(Number(held.headers.get("retry-after"))).toBeGreaterThan(3000);
  }
});

test("an address without an account is counted alike, with as many round-trips", async () => {
  const [known, unknown] = [(await withPassword(one)).email, `${newId()}@example.com`];
  const answers = async (email: string) => {
    const all = [];
    for (let n = 0; n <= MOST; n++) {
      const answer = await login(either(n), email, "wrong");
      all.push([...told(answer), answer.trips]);
    }
    return all;
  };
  expect(await answers(unknown)).toEqual(await answers(known));
});

test("many at once, on both, are no more than so many", async () => {
  const { email } = await withPassword(one);
  const answers = await Promise.all(Array.from({ length: 6 * MOST }, (_, n) => login(either(n), email, "wrong")));
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(MOST);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]));
});

test("right passwords use nothing up on either, and cost two round-trips more than without limits", async () => {
  const { email } = await withPassword(one);
  for (let n = 0; n < MOST; n++) {
    const answer = await login(either(n), email);
    expect(answer.status).toBe(200);
    expect(answer.trips).toBeLessThanOrEqual(6);
  }
  for (let n = 0; n < MOST; n++) expect(told(await login(either(n), email, "wrong"))).toEqual(WRONG);
});

test("codes of a known browser, while the second factor is closed, count together", async () => {
  const person = await withPassword(one);
  const { device } = await login(one, person.email);
  const secret = await withFactor(one, person.userId);
  await one.sql(
    "update second_factors set wrong_codes = 20, closed_until = now() + interval '1 hour' where user_id = $1",
    [person.userId],
  );
  const verify = async (at: TestService, code: string) =>
    at.send("POST", "/auth/mfa/verify", {
      body: { mfa_token: await challengeFor(one, person.userId), code },
      headers: { ...elsewhere(), cookie: device as string },
    });
  await earlyInStep();
  for (let n = 0; n < MOST; n++)
    expect(told(await verify(either(n), wrongCode(secret)))).toEqual([401, "invalid_code"]);
  for (const at of [one, two]) expect(told(await verify(at, codeOf(secret)))).toEqual(HELD);
});

test("letters with a link to reset a password, asked for at an address, count together", async () => {
  const { email } = await withPassword(one);
  const headers = elsewhere();
  const ask = (at: TestService, from = headers) =>
    at.send("POST", "/auth/password/forgot", { body: { email }, headers: from });
  for (let n = 0; n < MOST; n++) expect((await ask(either(n))).status).toBe(202);
  for (const at of [one, two]) expect(told(await ask(at))).toEqual(HELD);
  expect((await ask(two, elsewhere())).status).toBe(202);
});

test("what fails at an address counts together, and refuses nobody who is right there", async () => {
  const headers = elsewhere();
  const { email } = await withPassword(one);
  const fail = (at: TestService) =>
    at.send("POST", "/auth/mfa/verify", { body: { mfa_token: newSecret("mfa"), code: "123456" }, headers });
  for (let n = 0; n < MOST; n++) expect(told(await fail(either(n)))).toEqual([401, "invalid_challenge"]);
  for (const at of [one, two]) expect(told(await fail(at))).toEqual(HELD);
  for (const at of [one, two]) expect((await login(at, email, password, headers)).status).toBe(200);
});

test("a count is swept when its window has passed, and not before; it names nobody", async () => {
  const { email } = await withPassword(one);
  await login(one, email, "wrong");
  const rows = () => one.asOwner<{ key: Buffer }>("select key from attempt_limits");
  expect(JSON.stringify((await rows()).map(({ key }) => key.toString("latin1")))).not.toContain(email);
  await one.asOwner(SWEEP_ATTEMPTS);
  expect((await rows()).length).toBeGreaterThan(0);
  await one.asOwner("update attempt_limits set full_at = now() - interval '1 second'");
  await one.asOwner(SWEEP_ATTEMPTS);
  expect(await rows()).toEqual([]);
});
