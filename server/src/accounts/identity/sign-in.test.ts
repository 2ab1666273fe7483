// Signing in to an account with a second factor: the challenge, its end, and everything that must not get past it.
import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { many, resetToken } from "../../../test/letters.ts";
import { lettersTo } from "../../../test/mailbox.ts";
import { overlapping } from "../../../test/overlap.ts";
import { challengeFor, codeOf, earlyInStep, withFactor, wrongCode } from "../../../test/second-factor.ts";
import { asSession, service, testConfig, world } from "../../../test/world.ts";
import { NIL, newId, newSecret, sha256 } from "../../platform/wire/ids.ts";
import { createLog } from "../../platform/wire/log.ts";
import { secretBox } from "../../platform/wire/secret-box.ts";
import { serve } from "../../server.ts";
import { hashPassword } from "./passwords/password.ts";
import { factorRow } from "./sign-in.ts";

const running = service();
const password = "quartz-lantern-48-vellum";
const hash = hashPassword(password);

async function protectedAccount({ recoveryCodes = [] as string[] } = {}) {
  const { owner, workspaceId } = await world(running);
  await running.sql("update users set password_hash = $2 where id = $1", [owner.userId, await hash]);
  const secret = await withFactor(running, owner.userId, { recoveryCodes });
  return { ...owner, workspaceId, secret, challenge: () => challengeFor(running, owner.userId) };
}
const login = (body: object, headers = {}) => running.send("POST", "/auth/login", { body, headers });
const verify = (mfa_token: string, code: string, more: object = {}) =>
  running.send("POST", "/auth/mfa/verify", { body: { mfa_token, code, ...more } });
const secretIn = (cookies: string[]) => cookies[0]?.match(/^__Host-svc_session=([^;]+)/)?.[1] as string;
const refusal = ({ status, body }: { status: number; body: { code?: string } }) => [status, body?.code];
/** One after another: as many at once would wait for connections. */
async function made(count: number, challenge: () => Promise<string>): Promise<string[]> {
  const tokens: string[] = [];
  while (tokens.length < count) tokens.push(await challenge());
  return tokens;
}
/** Ends the challenges' age, or the wait of a closed factor, without waiting. */
const challengesOf = (userId: string, change: string) =>
  running.sql(`update sign_in_challenges set ${change} where user_id = $1`, [userId]);
const factorOf = (userId: string, change: string) =>
  running.sql(`update second_factors set ${change} where user_id = $1`, [userId]);

test("the right password answers with a challenge of five minutes, and with no cookies", async () => {
  const { email, userId } = await protectedAccount();
  const answer = await login({ email, password });
  expect(answer.status).toBe(200);
  expect(Object.keys(answer.body).sort()).toEqual(["expires_at", "mfa_required", "mfa_token"]);
  expect(answer.body).toMatchObject({ mfa_required: true, mfa_token: expect.stringMatching(/^svc_mfa_/) });
  expect([answer.cookies, answer.trips <= 5]).toEqual([[], true]);
  const [{ left } = { left: 0 }] = await running.sql<{ left: number }>(
    "select extract(epoch from $1::timestamptz - now())::float8 as left",
    [answer.body.expires_at],
  );
  expect(left).toBeGreaterThan(290);
  expect(left).toBeLessThanOrEqual(300);
  const sessions = await running.sql("select id from credentials where user_id = $1", [userId]);
  expect(sessions).toHaveLength(1);
});

test("a code of the authenticator completes it: the account, both cookies, a session in its Workspace", async () => {
  const { email, userId, workspaceId, secret } = await protectedAccount();
  const { mfa_token } = (await login({ email, password })).body;
  const answer = await verify(mfa_token, codeOf(secret), { remember_me: true });
  expect([answer.status, answer.cookies.length, answer.trips <= 5]).toEqual([200, 2, true]);
  expect(answer.body).toMatchObject({ id: userId, email, mfa_enabled: true, workspace_id: workspaceId });
  for (const cookie of answer.cookies) expect(cookie).toMatch(/; Max-Age=2592000$/);
  const me = asSession(running, secretIn(answer.cookies));
  expect((await me("GET", `/workspaces/${workspaceId}/members`)).status).toBe(200);
  const events = await running.sql<{ type: string }>(
    "select type from domain_events where user_id = $1 order by id",
    [userId],
    NIL,
  );
  expect(events.map(({ type }) => type)).toEqual(["account.sign_in_challenged", "account.signed_in"]);
});

test("the code of the step before and after is taken, of two away it is not", async () => {
  const { challenge, secret, userId } = await protectedAccount();
  for (const steps of [-3, 3])
    expect(refusal(await verify(await challenge(), codeOf(secret, steps)))).toEqual([401, "invalid_code"]);
  await earlyInStep();
  expect((await verify(await challenge(), codeOf(secret, -1))).status).toBe(200);
  expect((await verify(await challenge(), codeOf(secret, 1))).status).toBe(200);
  await factorOf(userId, "last_step = null");
  expect((await verify(await challenge(), codeOf(secret).replace(/(...)/, "$1 "))).status).toBe(200);
});

test("the value of remember_me that was given with the password decides", async () => {
  const { email, secret, userId } = await protectedAccount();
  const { mfa_token } = (await login({ email, password, remember_me: false })).body;
  const answer = await verify(mfa_token, codeOf(secret), { remember_me: true });
  for (const cookie of answer.cookies) expect(cookie).not.toContain("Max-Age");
  const [session] = await running.sql<{ hours: number }>(
    `select round(extract(epoch from expires_at - now()) / 3600)::int as hours from credentials
      where user_id = $1 and not remembered`,
    [userId],
  );
  expect(session?.hours).toBe(48);
});

test("with a wrong password an account with a factor answers exactly as an address that nobody has", async () => {
  const { email } = await protectedAccount();
  const headers = { "x-correlation-id": "same-for-all" };
  const wrong = { password: "quartz-lantern-48-velluM" };
  const [known, unknown] = [
    await login({ email, ...wrong }, headers),
    await login({ email: `${newId()}@example.com`, ...wrong }, headers),
  ];
  const shown = (answer: typeof known) => [...answer.headers].filter(([name]) => name !== "date");
  expect(refusal(known)).toEqual([401, "invalid_credentials"]);
  expect([known.text, known.trips, shown(known)]).toEqual([unknown.text, unknown.trips, shown(unknown)]);
});

test("a challenge is completed once", async () => {
  const { challenge, secret, userId } = await protectedAccount();
  const token = await challenge();
  expect((await verify(token, codeOf(secret))).status).toBe(200);
  await factorOf(userId, "last_step = null");
  expect(refusal(await verify(token, codeOf(secret)))).toEqual([401, "invalid_challenge"]);
});

test("of 50 verifications of one challenge at once, one succeeds", async () => {
  const { challenge, secret } = await protectedAccount();
  const token = await challenge();
  const answers = await many(50, () => verify(token, codeOf(secret)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  for (const answer of answers) if (answer.status !== 200) expect(answer.status).toBe(401);
});

// As many as may be wrong before the factor is closed.
test("of 20 challenges that get the same code at once, one is completed", async () => {
  const { challenge, secret, userId } = await protectedAccount();
  const tokens = await made(20, challenge);
  const code = codeOf(secret);
  const answers = await many(20, (at) => verify(tokens[at] as string, code));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(new Set(answers.filter(({ status }) => status !== 200).map(({ body }) => body.code))).toEqual(
    new Set(["invalid_code"]),
  );
  const sessions = await running.sql("select id from credentials where user_id = $1", [userId]);
  expect(sessions).toHaveLength(2);
});

test("a code is never accepted twice, and neither is one of an earlier step", async () => {
  const { challenge, secret, userId } = await protectedAccount();
  const code = codeOf(secret);
  expect((await verify(await challenge(), code)).status).toBe(200);
  const token = await challenge();
  expect(refusal(await verify(token, code))).toEqual([401, "invalid_code"]);
  expect(refusal(await verify(token, codeOf(secret, -1)))).toEqual([401, "invalid_code"]);
  const [counted] = await running.sql("select wrong_codes from second_factors where user_id = $1", [userId]);
  expect(counted).toEqual({ wrong_codes: 2 });
  expect((await verify(token, codeOf(secret, 1))).status).toBe(200);
});

test("four wrong codes leave the challenge open", async () => {
  const { challenge, secret } = await protectedAccount();
  const token = await challenge();
  for (let n = 0; n < 4; n++) expect(refusal(await verify(token, wrongCode(secret)))).toEqual([401, "invalid_code"]);
  expect((await verify(token, codeOf(secret))).status).toBe(200);
});

test("five wrong codes end it: the sixth attempt finds no challenge, even with the right code", async () => {
  const { challenge, secret, email } = await protectedAccount();
  const token = await challenge();
  for (let n = 0; n < 5; n++) expect(refusal(await verify(token, wrongCode(secret)))).toEqual([401, "invalid_code"]);
  expect(refusal(await verify(token, codeOf(secret)))).toEqual([401, "invalid_challenge"]);
  const letters = await lettersTo(running, email);
  expect(letters.map(({ subject }) => subject)).toEqual(["Wrong codes for your account"]);
  expect(letters[0]?.text).toContain("5 wrong codes");
});

test("of 50 wrong codes at once five are looked at", async () => {
  const { challenge, secret, userId } = await protectedAccount();
  const token = await challenge();
  const answers = await many(50, () => verify(token, wrongCode(secret)));
  expect(answers.filter(({ body }) => body.code === "invalid_code")).toHaveLength(5);
  expect(answers.filter(({ body }) => body.code === "invalid_challenge")).toHaveLength(45);
  const [factor] = await running.sql<{ wrong_codes: number }>(
    "select wrong_codes from second_factors where user_id = $1",
    [userId],
  );
  expect(factor?.wrong_codes).toBe(5);
});

test("a challenge ends after five minutes, by the database's clock", async () => {
  const { challenge, secret, userId } = await protectedAccount();
  const [late, inTime] = [await challenge(), await challenge()];
  await challengesOf(userId, "expires_at = now()");
  expect(refusal(await verify(late, codeOf(secret)))).toEqual([401, "invalid_challenge"]);
  await challengesOf(userId, "expires_at = now() + interval '5 seconds'");
  expect((await verify(inTime, codeOf(secret))).status).toBe(200);
});

test("challenges that ended a day ago go when new ones come, and no others do", async () => {
  const { challenge, userId } = await protectedAccount();
  const [recent] = await Promise.all([challenge(), challenge(), challenge(), challenge()]);
  const ended = "expires_at = now() - case token_hash when $2 then interval '23 hours' else interval '25 hours' end";
  await running.sql(`update sign_in_challenges set ${ended} where user_id = $1`, [userId, sha256(recent)]);
  await challenge();
  await challenge();
  const left = await running.sql<{ token_hash: Buffer }>(
    "select token_hash from sign_in_challenges where user_id = $1 and expires_at < now()",
    [userId],
  );
  expect(left.map(({ token_hash }) => token_hash)).toEqual([sha256(recent)]);
});

test("a challenge dies with the password that it was started with", async () => {
  const { email, secret, userId } = await protectedAccount();
  const { mfa_token } = (await login({ email, password })).body;
  const other = await hashPassword("another-lantern-77-quill");
  await running.sql("update users set password_hash = $2 where id = $1", [userId, other]);
  for (const code of [wrongCode(secret), codeOf(secret)])
    expect(refusal(await verify(mfa_token, code))).toEqual([401, "invalid_challenge"]);
});

test("a password reset does not remove the factor", async () => {
  const { email, userId } = await protectedAccount();
  await running.sql("update users set email_verified_at = now(), email_proved_at = now() where id = $1", [userId]);
  const new_password = "another-lantern-77-quill";
  const body = { token: await resetToken(running, email), new_password };
  expect((await running.send("POST", "/auth/password/reset", { body })).status).toBe(204);
  expect((await login({ email, password: new_password })).body.mfa_required).toBe(true);
});

test("a challenge dies with the factor that it asks for", async () => {
  const { owner } = await world(running);
  await withFactor(running, owner.userId);
  const token = await challengeFor(running, owner.userId);
  await running.sql("delete from second_factors where user_id = $1", [owner.userId]);
  expect(refusal(await verify(token, "123456"))).toEqual([401, "invalid_challenge"]);
});

test("what is no token of an open challenge is refused alike, whatever it is", async () => {
  const { session, secret, userId } = await protectedAccount();
  const native = await challengeFor(running, userId, "native");
  for (const token of [newSecret("mfa"), newSecret("ses"), session, "x", "svc_mfa_", native, `${native} `, "\u0000"])
    expect(refusal(await verify(token, codeOf(secret)))).toEqual([401, "invalid_challenge"]);
});

test("the codes of one account do not complete the challenge of another", async () => {
  const recoveryCodes = ["7K2M-Q9TX-4B8D-HW3N"];
  const [mallory, victim] = [await protectedAccount({ recoveryCodes }), await protectedAccount()];
  const token = await victim.challenge();
  for (const code of [codeOf(mallory.secret), recoveryCodes[0] as string])
    expect(refusal(await verify(token, code))).toEqual([401, "invalid_code"]);
  const [counted] = await running.sql("select wrong_codes from second_factors where user_id = $1", [victim.userId]);
  expect(counted).toEqual({ wrong_codes: 2 });
  expect((await verify(token, codeOf(victim.secret))).body.id).toBe(victim.userId);
});

test("a recovery code lets in once, however it is spelled, and its owner is told", async () => {
  const { challenge, email } = await protectedAccount({
    recoveryCodes: ["7K2M-Q9TX-4B8D-HW3N", "P6RC-0VJ5-ZE1G-YS8A"],
  });
  const answer = await verify(await challenge(), " 7k2m q9tx 4b8dhw3n ");
  expect([answer.status, answer.cookies.length, answer.trips <= 5]).toEqual([200, 2, true]);
  expect(refusal(await verify(await challenge(), "7K2M-Q9TX-4B8D-HW3N"))).toEqual([401, "invalid_code"]);
  const [letter, ...more] = await lettersTo(running, email);
  expect([letter?.subject, more]).toEqual(["A recovery code was used", []]);
  expect(letter?.text).toContain("One is left");
  expect(letter?.text).not.toMatch(/7K2M|https?:/i);
});

test("a factor whose key was lost and retired has no right code: it is refused like a wrong one, and a recovery code lets in", async () => {
  const account = await protectedAccount({ recoveryCodes: ["7K2M-Q9TX-4B8D-HW3N"] });
  const lost = secretBox([{ id: "lost", key: randomBytes(32) }]).seal(account.secret, factorRow(account.userId));
  await running.sql("update second_factors set secret_sealed = $2 where user_id = $1", [account.userId, lost]);
  expect(refusal(await verify(await account.challenge(), codeOf(account.secret)))).toEqual([401, "invalid_code"]);
  expect((await verify(await account.challenge(), "7K2M-Q9TX-4B8D-HW3N")).status).toBe(200);
});

test("of 50 challenges that get one recovery code at once, one is completed", async () => {
  const { challenge } = await protectedAccount({ recoveryCodes: ["7K2M-Q9TX-4B8D-HW3N"] });
  const tokens = await made(50, challenge);
  const answers = await many(50, (at) => verify(tokens[at] as string, "7K2M-Q9TX-4B8D-HW3N"));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ body }) => body.code === "invalid_code")).toHaveLength(49);
});

test("guessing over many challenges ends after 20 wrong codes: even the right one then waits an hour", async () => {
  const { challenge, secret, userId, email } = await protectedAccount({ recoveryCodes: ["7K2M-Q9TX-4B8D-HW3N"] });
  for (let n = 0; n < 4; n++) {
    const token = await challenge();
    for (let m = 0; m < 5; m++) expect(refusal(await verify(token, wrongCode(secret)))).toEqual([401, "invalid_code"]);
  }
  const closed = await verify(await challenge(), codeOf(secret));
  expect(refusal(closed)).toEqual([429, "rate_limited"]);
  expect(closed.body.retry_after).toBeGreaterThan(3590);
  expect(closed.body.retry_after).toBeLessThanOrEqual(3600);
  expect(closed.headers.get("retry-after")).toBe(String(closed.body.retry_after));
  expect((await lettersTo(running, email)).map(({ text }) => /\d+ wrong codes/.exec(text)?.[0])).toEqual([
    "5 wrong codes",
    "20 wrong codes",
  ]);
  await factorOf(userId, "closed_until = now()");
  expect((await verify(await challenge(), codeOf(secret))).status).toBe(200);
});

test("a right code starts the count anew; 19 wrong ones close nothing", async () => {
  const { challenge, secret, userId } = await protectedAccount();
  await factorOf(userId, "wrong_codes = 19");
  expect((await verify(await challenge(), codeOf(secret))).status).toBe(200);
  const [factor] = await running.sql("select wrong_codes, closed_until from second_factors where user_id = $1", [
    userId,
  ]);
  expect(factor).toEqual({ wrong_codes: 0, closed_until: null });
});

test("each further 20 wrong codes close it for twice as long, for a day at most", async () => {
  const { challenge, secret, userId } = await protectedAccount();
  const hours = async (before: number) => {
    await factorOf(userId, `wrong_codes = ${before - 1}, closed_until = null`);
    expect(refusal(await verify(await challenge(), wrongCode(secret)))).toEqual([401, "invalid_code"]);
    const [row] = await running.sql<{ hours: number | null }>(
      `select round(extract(epoch from closed_until - now()) / 3600)::int as hours from second_factors
        where user_id = $1`,
      [userId],
    );
    return row?.hours;
  };
  expect(await hours(19)).toBeNull();
  expect([await hours(20), await hours(40), await hours(80), await hours(100), await hours(120)]).toEqual([
    1, 2, 8, 16, 24,
  ]);
  expect(await hours(2_000_000)).toBe(24);
});

test("while codes are refused for too many wrong ones, a recovery code still lets in and opens it again", async () => {
  const { challenge, secret, userId } = await protectedAccount({ recoveryCodes: ["7K2M-Q9TX-4B8D-HW3N"] });
  await factorOf(userId, "wrong_codes = 20, closed_until = now() + interval '1 hour'");
  expect(refusal(await verify(await challenge(), codeOf(secret)))).toEqual([429, "rate_limited"]);
  expect((await verify(await challenge(), "7K2M-Q9TX-4B8D-HW3N")).status).toBe(200);
  expect((await verify(await challenge(), codeOf(secret))).status).toBe(200);
});

test("100 guesses over 20 challenges at once close it, and the right one among them is too late", async () => {
  const { challenge, secret } = await protectedAccount();
  const tokens = await made(20, challenge);
  await many(100, (at) => verify(tokens[at % 20] as string, wrongCode(secret)));
  expect(refusal(await verify(await challenge(), codeOf(secret)))).toEqual([429, "rate_limited"]);
});

test("a right code that was checked just before the factor was closed comes too late", async () => {
  const { challenge, secret, userId } = await protectedAccount();
  const token = await challenge();
  const close = "update second_factors set closed_until = now() + interval '1 hour' where user_id = $1";
  const answer = await overlapping(running, [close, userId], 1, () => verify(token, codeOf(secret)));
  expect([...refusal(answer), answer.cookies]).toEqual([401, "invalid_code", []]);
});

test("a restart forgets neither the challenge nor the wrong codes", async () => {
  const { challenge, secret, userId } = await protectedAccount();
  const token = await challenge();
  for (let n = 0; n < 3; n++) await verify(token, wrongCode(secret));
  await factorOf(userId, "wrong_codes = 18");
  const restarted = await serve(testConfig, running.databaseUrl, { log: createLog("silent", { write() {} }) });
  try {
    const send = async (mfa_token: string, code: string) => {
      const answer = await fetch(`${restarted.url.replace("localhost", "127.0.0.1")}/api/v1/auth/mfa/verify`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ mfa_token, code }),
      });
      return ((await answer.json()) as { code: string }).code;
    };
    expect(await send(token, wrongCode(secret))).toBe("invalid_code");
    expect(await send(token, wrongCode(secret))).toBe("invalid_code");
    expect(await send(token, codeOf(secret))).toBe("invalid_challenge");
    expect(await send(await challenge(), codeOf(secret))).toBe("rate_limited");
  } finally {
    await restarted.close();
  }
});

test("a factor that was only set up is not asked for", async () => {
  const { owner } = await world(running);
  await running.sql("update users set password_hash = $2 where id = $1", [owner.userId, await hash]);
  await withFactor(running, owner.userId, { confirmed: false });
  expect((await login({ email: owner.email, password })).cookies).toHaveLength(2);
});

test("a factor that is turned on while its owner signs in is asked for", async () => {
  const { owner } = await world(running);
  await running.sql("update users set password_hash = $2 where id = $1", [owner.userId, await hash]);
  const change = "update users set mfa_enabled_at = now() where id = $1";
  const answer = await overlapping(running, [change, owner.userId], 1, () => login({ email: owner.email, password }));
  expect([answer.body.mfa_required, answer.cookies]).toEqual([true, []]);
});

test("a password that is changed while the code is checked ends the sign-in", async () => {
  const { challenge, secret, userId } = await protectedAccount();
  const token = await challenge();
  const change = "update users set password_hash = 'another' where id = $1";
  const answer = await overlapping(running, [change, userId], 1, () => verify(token, codeOf(secret)));
  expect(refusal(answer)).toEqual([401, "invalid_challenge"]);
});
