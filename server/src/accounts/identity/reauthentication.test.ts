// Proving again who is signed in: with what, how strongly, and what it does to the session, to its secret and to the
// account's others.
import { afterAll, describe, expect, test } from "vitest";
import type { Answer } from "../../../test/answer.ts";
import { newAuthenticator } from "../../../test/authenticator.ts";
import { many, password, withPassword } from "../../../test/letters.ts";
import { lettersTo } from "../../../test/mailbox.ts";
import { type Away, awayIn, comeBack, logIn, type Name, openIdProviders } from "../../../test/openid-provider.ts";
import { overlapping } from "../../../test/overlap.ts";
import { age, holding } from "../../../test/recency.ts";
import { codeOf, earlyInStep, withFactor, wrongCode } from "../../../test/second-factor.ts";
import { asSession, insertCredential, type Person, service, sessionHeaders, world } from "../../../test/world.ts";
import { newId, newSecret } from "../../platform/wire/ids.ts";

const openId = await openIdProviders();
afterAll(() => openId.stop());
const running = service({ providers: openId.config });
const PATH = "/auth/reauthenticate";
const NIL = "00000000-0000-0000-0000-000000000000";
const prove = ({ call }: Person, body: object) => call("POST", PATH, { body });
const options = async ({ call }: Person) => (await call("POST", `${PATH}/options`)).body;
const refusal = ({ status, body, cookies }: Answer) => [status, body.code, cookies];
const currentSession = async ({ call }: Person) =>
  (await call("GET", "/me/sessions")).body.items.find(({ current }: { current: boolean }) => current);
const newToken = ({ call }: Person) =>
  call("POST", "/me/api-tokens", { body: { name: "script", scopes: ["svc:read"] } });
const isRecent = async (person: Person) => (await newToken(person)).status === 201;
const sessions = async ({ userId }: Person) =>
  (await running.sql("select 1 from credentials where user_id = $1 and kind = 'session'", [userId])).length;

async function old(): Promise<Person & { workspaceId: string }> {
  const person = await withPassword(running);
  await age(running, person.userId);
  return person;
}

describe("the session", () => {
  test("stays the same one, in its Workspace and with its age, under a new secret; the former one is dead and clears nothing", async () => {
    const person = await old();
    const before = await currentSession(person);
    const [life] = await running.sql<{ expires_at: Date }>("select expires_at from credentials where user_id = $1", [
      person.userId,
    ]);
    const answer = await prove(person, { password });
    expect(answer.status).toBe(200);
    expect(answer.trips).toBeLessThanOrEqual(5);
    const minutes = (Date.parse(answer.body.recent_until) - Date.now()) / 60_000;
    expect(Math.round(minutes)).toBe(15);
    const again = holding(running, person, answer);
    expect(again.session).not.toBe(person.session);
    const after = await currentSession(again);
    expect([after.id, after.created_at]).toEqual([before.id, before.created_at]);
    expect((await again.call("GET", "/me")).body.workspace_id).toBe(person.workspaceId);
    expect(await sessions(person)).toBe(1);
    expect(refusal(await person.call("GET", "/me"))).toEqual([401, "authentication_required", []]);
    expect(
      await running.sql("select expires_at from credentials where user_id = $1 and kind = 'session'", [person.userId]),
    ).toEqual([life]);
    const events = await running.sql<{ type: string }>(
      "select type from domain_events where user_id = $1 order by id",
      [person.userId],
      NIL,
    );
    expect(events.map(({ type }) => type)).toEqual(["account.reauthenticated"]);
  });

  test("whoever stole its secret does not get to use what the owner proves", async () => {
    const person = await old();
    const thief = { ...person };
    const owner = holding(running, person, await prove(person, { password }));
    expect((await newToken(thief)).status).toBe(401);
    expect(await isRecent(owner)).toBe(true);
  });

  test("the account's other sessions are not renewed, and none ends", async () => {
    const person = await old();
    const secret = newSecret("ses");
    await insertCredential(running, "session", secret, person.userId, person.workspaceId, []);
    await age(running, person.userId);
    const other = { ...person, session: secret, call: asSession(running, secret) };
    await prove(person, { password });
    expect((await other.call("GET", "/me")).status).toBe(200);
    expect(await isRecent(other)).toBe(false);
  });

  test("cookies that end with the browser stay such", async () => {
    const person = await old();
    await running.sql("update credentials set remembered = false where user_id = $1", [person.userId]);
    const { cookies } = await prove(person, { password });
    expect(cookies).toHaveLength(2);
    for (const cookie of cookies) expect(cookie).not.toContain("Max-Age");
  });

  test("of many proofs with one secret exactly one renews it", async () => {
    const person = await old();
    const answers = await many(4, () => prove(person, { password }));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
  });

  test("one that ended meanwhile is not renewed, nor one whose password was changed meanwhile", async () => {
    const [ended, changed] = [await old(), await old()];
    const end = "update credentials set revoked_at = now() where user_id = $1";
    expect((await overlapping(running, [end, ended.userId], 1, () => prove(ended, { password }))).status).toBe(401);
    const change = "update users set password_hash = 'x' where id = $1";
    const answer = await overlapping(running, [change, changed.userId], 1, () => prove(changed, { password }));
    expect(refusal(answer)).toEqual([401, "invalid_credentials", []]);
    expect(await isRecent(changed)).toBe(false);
  });

  test("no bearer has one to renew, and a browser needs its CSRF token", async () => {
    const person = await old();
    const token = newSecret("pat");
    await insertCredential(running, "personal", token, person.userId, person.workspaceId, ["svc:read", "svc:write"]);
    expect((await person.bearer(token, "POST", PATH, { body: { password } })).status).not.toBe(200);
    const { cookie } = sessionHeaders(person.session);
    const bare = await running.send("POST", PATH, { body: { password }, headers: { cookie } });
    expect(bare.body.code).toBe("invalid_csrf_token");
  });
});

describe("a proof", () => {
  test("is exactly one: none, two, or half a passkey is 400", async () => {
    const person = await old();
    for (const body of [{}, { password, code: "123456" }, { ceremony_token: "x" }, { password, ceremony_token: "x" }]) {
      const answer = await prove(person, body);
      expect([answer.status, answer.body.errors?.[0]?.pointer]).toEqual([400, "/body"]);
    }
  });

  test("with a wrong password is 401 and changes nothing; an account without one has none to prove", async () => {
    const person = await old();
    for (const wrong of ["", ` ${password}`, "x".repeat(2000)])
      expect(refusal(await prove(person, { password: wrong }))).toEqual([401, "invalid_credentials", []]);
    expect(await isRecent(person)).toBe(false);
    const { owner } = await world(running);
    expect(refusal(await prove(owner, { password }))).toEqual([409, "password_not_set", []]);
    expect(refusal(await prove(owner, { code: "123456" }))).toEqual([409, "mfa_not_enabled", []]);
  });

  test("of an account with a second factor is its code; the password alone is not even looked at", async () => {
    const person = await old();
    const codes = ["7K2M-Q9TX-4B8D-HW3N"];
    const secret = await withFactor(running, person.userId, { recoveryCodes: codes });
    await earlyInStep();
    expect((await options(person)).methods).toEqual(["code"]);
    expect(refusal(await prove(person, { password }))).toEqual([403, "second_factor_required", []]);
    expect(refusal(await prove(person, { password: "wrong" }))).toEqual([403, "second_factor_required", []]);
    expect(refusal(await prove(person, { code: wrongCode(secret) }))).toEqual([401, "invalid_code", []]);
    const answer = await prove(person, { code: codeOf(secret) });
    expect(answer.status, answer.text).toBe(200);
    const again = holding(running, person, answer);
    expect(await isRecent(again)).toBe(true);
    expect(refusal(await prove(again, { code: codeOf(secret) })), "a code is good once").toEqual([
      401,
      "invalid_code",
      [],
    ]);
    const recovered = await prove(again, { code: codes[0] });
    expect(recovered.status).toBe(200);
    const letters = (await lettersTo(running, person.email)).map(({ subject }) => subject);
    expect(letters.filter((subject) => /recovery code/i.test(subject))).toHaveLength(1);
  });

  test("with wrong codes counts for the account as at sign-in: after 20 it takes none for an hour", async () => {
    const person = await old();
    const secret = await withFactor(running, person.userId);
    await running.sql("update second_factors set wrong_codes = 19 where user_id = $1", [person.userId]);
    expect((await prove(person, { code: wrongCode(secret) })).status).toBe(401);
    const closed = await prove(person, { code: codeOf(secret) });
    expect([closed.status, closed.body.code]).toEqual([429, "rate_limited"]);
    expect(Number(closed.headers.get("retry-after"))).toBeGreaterThan(3500);
  });
});

describe("a passkey", () => {
  async function withPasskey() {
    const person = await old();
    const authenticator = newAuthenticator({ origin: running.url });
    await authenticator.plant(running, person.userId);
    return { person, authenticator };
  }

  test("proves who is there, also where there is a second factor; the browser is told which ones are meant", async () => {
    const { person, authenticator } = await withPasskey();
    await withFactor(running, person.userId);
    const { methods, passkey } = await options(person);
    expect(methods).toEqual(["code", "passkey"]);
    expect(passkey.options.allowCredentials.map(({ id }: { id: string }) => id)).toEqual([authenticator.id]);
    const { ceremony_token } = passkey;
    const response = authenticator.assert(passkey.options, person.userId);
    const answer = await prove(person, { ceremony_token, response });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.trips).toBeLessThanOrEqual(5);
    expect(await isRecent(holding(running, person, answer))).toBe(true);
  });

  test("of somebody else, a ceremony of somebody else, of a sign-in, a used one and a bad answer are refused alike", async () => {
    const { person, authenticator } = await withPasskey();
    const other = await withPasskey();
    const begin = async (who = person) => (await options(who)).passkey;
    const login = (await running.send("POST", "/auth/passkeys/login/options")).body;
    const own = await begin();
    const foreign = await begin(other.person);
    const mine = (at: typeof own, lies = {}) => ({
      ceremony_token: at.ceremony_token,
      response: authenticator.assert(at.options, person.userId, lies),
    });
    const stranger = await begin();
    const attempts = [
      mine(foreign),
      mine(login),
      {
        ceremony_token: stranger.ceremony_token,
        response: other.authenticator.assert(stranger.options, other.person.userId),
      },
      mine(own, { verified: false }),
      mine(own),
    ];
    for (const body of attempts) expect(refusal(await prove(person, body))).toEqual([401, "invalid_credentials", []]);
    expect(await isRecent(person)).toBe(false);
    // What proves somebody who is signed in signs nobody in.
    const at = await begin();
    const entered = await running.send("POST", "/auth/passkeys/login/verify", { body: mine(at) });
    expect(entered.status).toBe(401);
    expect((await prove(person, mine(at))).status).toBe(200);
  });

  test("that was copied is disabled for ever, here too", async () => {
    const { person, authenticator } = await withPasskey();
    await running.sql("update passkeys set counter = 1000 where user_id = $1", [person.userId]);
    const { passkey } = await options(person);
    const { ceremony_token } = passkey;
    const response = authenticator.assert(passkey.options, person.userId);
    expect((await prove(person, { ceremony_token, response })).status).toBe(401);
    expect((await person.call("GET", "/auth/passkeys")).body.items[0].disabled).toBe(true);
    expect((await options(person)).methods).toEqual(["password"]);
  });
});

describe("a provider", () => {
  const locationOf = (answer: Answer) => answer.headers.get("location");
  const UNCONFIRMED = "/confirmed?error=authentication_failed";
  /** Somebody who has nothing but an identity of this provider. */
  async function withIdentity(name: Name = "google") {
    const { owner } = await world(running);
    const subject = openId[name].person({ email: `${newId()}@example.com`, email_verified: true });
    await running.sql("insert into identities (id, user_id, provider, subject) values ($1, $2, $3, $4)", [
      newId(),
      owner.userId,
      name,
      subject,
    ]);
    await age(running, owner.userId);
    return { person: owner, subject };
  }
  async function begin(person: Person, provider: Name): Promise<Away> {
    const answer = await person.call("POST", `${PATH}/provider`, { body: { provider } });
    expect(answer.status, answer.text).toBe(200);
    return awayIn(answer, answer.body.authorization_url);
  }
  const cookiesOf = (person: Person, name: Name, away: Away) =>
    name === "apple" ? away.cookie : `${away.cookie}; ${sessionHeaders(person.session).cookie}`;
  const back = async (person: Person, name: Name, away: Away, subject: string | null) =>
    comeBack(running, name, await logIn(away, subject), cookiesOf(person, name, away));

  for (const name of ["google", "microsoft", "apple"] as const)
    test(`${name} is asked for its own sign-in again, and renews the same session of an account that has nothing else`, async () => {
      const { person, subject } = await withIdentity(name);
      expect(await options(person)).toMatchObject({ methods: ["provider"], providers: [name], passkey: null });
      const before = await currentSession(person);
      const away = await begin(person, name);
      expect(Object.fromEntries(away.location.searchParams)).toMatchObject({ prompt: "login", max_age: "0" });
      const answer = await back(person, name, away, subject);
      expect([answer.status, locationOf(answer)]).toEqual([302, "/confirmed"]);
      const again = holding(running, person, answer);
      expect((await currentSession(again)).id).toBe(before.id);
      expect(await sessions(person)).toBe(1);
      expect(await isRecent(again)).toBe(true);
    });

  test("says who it is: another identity, one that refuses and one that asked for nothing renew nothing", async () => {
    const { person, subject } = await withIdentity();
    const other = await withIdentity();
    const stranger = openId.google.person({ email: person.email, email_verified: true });
    for (const who of [other.subject, stranger, null]) {
      const answer = await back(person, "google", await begin(person, "google"), who);
      expect([answer.status, locationOf(answer), answer.cookies]).toEqual([302, UNCONFIRMED, []]);
    }
    // Signed in there an hour ago, and passed through.
    const away = await begin(person, "google");
    const answer = await logIn(away, subject);
    const claims = { sub: subject, nonce: away.location.searchParams.get("nonce") };
    openId.google.token = async () => ({
      access_token: "x",
      token_type: "Bearer",
      id_token: await openId.google.idToken({ ...claims, auth_time: Math.floor(Date.now() / 1000) - 3600 }),
    });
    const stale = await comeBack(running, "google", answer, cookiesOf(person, "google", away));
    openId.google.token = null;
    expect(locationOf(stale)).toBe(UNCONFIRMED);
    expect(await isRecent(person)).toBe(false);
    expect(await isRecent(other.person)).toBe(false);
  });

  test("must bring back the browser that left: not signed out, not as somebody else, not in another session", async () => {
    const { person, subject } = await withIdentity();
    const { owner: other } = await world(running);
    const secret = newSecret("ses");
    await insertCredential(running, "session", secret, person.userId, null, []);
    await age(running, person.userId);
    const cookies = (session: string) => sessionHeaders(session).cookie;
    for (const brought of [
      (away: Away) => away.cookie,
      (away: Away) => `${away.cookie}; ${cookies(other.session)}`,
      (away: Away) => `${away.cookie}; ${cookies(secret)}`,
      () => cookies(person.session),
    ]) {
      const away = await begin(person, "google");
      const answer = await comeBack(running, "google", await logIn(away, subject), brought(away));
      expect(locationOf(answer)).toMatch(/error=authentication_failed$/);
      expect(answer.cookies).toEqual([]);
    }
    expect(await isRecent(person)).toBe(false);
    expect(await isRecent({ ...person, call: asSession(running, secret) })).toBe(false);
  });

  test("is not enough where there is a second factor, whenever that was set up; one that is not linked does not exist", async () => {
    const { person, subject } = await withIdentity();
    const away = await begin(person, "google");
    await withFactor(running, person.userId);
    expect(locationOf(await back(person, "google", away, subject))).toBe(UNCONFIRMED);
    expect(await options(person)).toMatchObject({ methods: ["code"], providers: [] });
    const attempt = (provider: Name) => person.call("POST", `${PATH}/provider`, { body: { provider } });
    expect((await attempt("google")).body.code).toBe("second_factor_required");
    expect((await attempt("microsoft")).status).toBe(404);
  });
});
