// Signing in with a passkey: what gets in, and everything that does not.
import { expect, test } from "vitest";
import { beginLogin, type Lies, newAuthenticator, type SoftwareAuthenticator } from "../../../test/authenticator.ts";
import { lettersTo } from "../../../test/mailbox.ts";
import { asSession, type Person, service, sessionHeaders, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();

interface Holder {
  workspaceId: string;
  owner: Person;
  authenticator: SoftwareAuthenticator;
  passkeyId: string;
}
async function holder(counts?: number): Promise<Holder> {
  const { workspaceId, owner } = await world(running);
  const authenticator = newAuthenticator({ origin: running.url, counts });
  return { workspaceId, owner, authenticator, passkeyId: await authenticator.plant(running, owner.userId) };
}

const verify = (body: object) => running.send("POST", "/auth/passkeys/login/verify", { body });
async function signIn({ owner, authenticator }: Holder, lies: Lies = {}, more: object = {}) {
  const { ceremony_token, options } = await beginLogin(running);
  return verify({ ceremony_token, response: authenticator.assert(options, owner.userId, lies), ...more });
}
const refused = { status: 401, body: { code: "invalid_credentials" }, cookies: [] };
const row = async (passkeyId: string) =>
  (
    await running.sql<{ counter: string; disabled: boolean; used: boolean; revision: string }>(
      `select counter::text, disabled_at is not null as disabled, last_used_at is not null as used, revision::text
        from passkeys where id = $1`,
      [passkeyId],
    )
  )[0];

test("the options name this service and nobody's passkeys, and ask for the user to be verified", async () => {
  const { ceremony_token, options } = await beginLogin(running);
  const { challenge, ...rest } = options as { challenge: string };
  expect(Buffer.from(challenge, "base64url").length).toBe(32);
  expect(ceremony_token).not.toBe(challenge);
  expect(rest).toEqual({ rpId: "localhost", timeout: 300_000, userVerification: "required", allowCredentials: [] });
});

test("a passkey signs its owner in, to the Workspace that a password would have led to", async () => {
  const { workspaceId, owner, ...key } = await holder();
  const { status, body, cookies } = await signIn({ workspaceId, owner, ...key });
  expect([status, body.id, body.workspace_id]).toEqual([200, owner.userId, workspaceId]);
  expect(cookies.map((cookie) => cookie.split("=")[0])).toEqual(["__Host-svc_session", "__Host-svc_csrf"]);
  const secret = /__Host-svc_session=([^;]+)/.exec(cookies.join())?.[1] as string;
  expect((await asSession(running, secret)("GET", "/me")).body.id).toBe(owner.userId);
  expect(await row(key.passkeyId)).toEqual({ counter: "1", disabled: false, used: true, revision: "1" });
});

test("it asks for no second factor", async () => {
  const person = await holder();
  await running.sql("update users set mfa_enabled_at = now() where id = $1", [person.owner.userId]);
  expect((await signIn(person)).body.mfa_enabled).toBe(true);
});

test("a session that is not to be remembered has cookies without expiry and 48 hours", async () => {
  const person = await holder();
  const { cookies } = await signIn(person, {}, { remember_me: false });
  expect(cookies.join()).not.toMatch(/max-age/i);
  const [{ hours } = { hours: 0 }] = await running.sql<{ hours: number }>(
    `select round(extract(epoch from expires_at - created_at) / 3600)::int as hours from credentials
      where user_id = $1 and not remembered`,
    [person.owner.userId],
  );
  expect(hours).toBe(48);
});

const otherKey = () => newAuthenticator({ origin: running.url });
const bad: Record<string, () => Lies> = {
  "another origin": () => ({ origin: "https://svc.example.com" }),
  "another port of the same host": () => ({ origin: "http://localhost:1" }),
  "another relying party": () => ({ rpId: "example.com" }),
  "another challenge": () => ({ challenge: Buffer.alloc(32).toString("base64url") }),
  "the other kind of ceremony": () => ({ type: "webauthn.create" }),
  "a user who was not verified": () => ({ verified: false }),
  "a user who was not there": () => ({ present: false }),
  "a page of somebody else around it": () => ({ crossOrigin: true }),
  "a page of somebody else around it, by name": () => ({ crossOrigin: true, topOrigin: "https://evil.example.com" }),
  "a signature of another key": () => {
    const challenge = Buffer.alloc(32).toString("base64url");
    return { signature: otherKey().assert({ challenge }, newId()).response.signature };
  },
  "a signature that is none": () => ({ signature: "AAAA" }),
  "another user's handle": () => ({ userHandle: Buffer.alloc(16).toString("base64url") }),
  "no user's handle": () => ({ userHandle: null }),
  "a credential that nobody has": () => ({ id: otherKey().id }),
};
for (const [what, lies] of Object.entries(bad))
  test(`an answer with ${what} is refused, and uses its ceremony up`, async () => {
    const person = await holder();
    const { ceremony_token, options } = await beginLogin(running);
    const { authenticator, owner } = person;
    const response = authenticator.assert(options, owner.userId, lies());
    expect(await verify({ ceremony_token, response })).toMatchObject(refused);
    expect(await verify({ ceremony_token, response: authenticator.assert(options, owner.userId) })).toMatchObject(
      refused,
    );
    expect(await row(person.passkeyId)).toMatchObject({ counter: "0", disabled: false });
    expect((await signIn(person)).status, "and the passkey still works").toBe(200);
  });

test("a ceremony is good for one answer, of 50 at once too", async () => {
  const { owner, authenticator } = await holder();
  const { ceremony_token, options } = await beginLogin(running);
  const response = authenticator.assert(options, owner.userId);
  const answers = await Promise.all(Array.from({ length: 50 }, () => verify({ ceremony_token, response })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(49).fill(401)]);
  const [{ sessions } = {}] = await running.sql<{ sessions: number }>(
    "select count(*)::int as sessions from credentials where user_id = $1",
    [owner.userId],
  );
  expect(sessions, "the one of the test, and one more").toBe(2);
  expect(await verify({ ceremony_token, response })).toMatchObject(refused);
});

const move = (seconds: number) =>
  running.sql("update passkey_ceremonies set expires_at = now() + make_interval(secs => $1)", [seconds]);
test("a ceremony lasts five minutes: a second too late is refused, a second before is not", async () => {
  const person = await holder();
  const [{ seconds } = {}] = await (async () => {
    await beginLogin(running);
    return running.sql<{ seconds: number }>(
      "select round(max(extract(epoch from expires_at - now())))::int as seconds from passkey_ceremonies",
    );
  })();
  expect(seconds).toBe(300);
  const late = await beginLogin(running);
  await move(-1);
  const { authenticator, owner } = person;
  const answered = ({ ceremony_token, options }: typeof late) =>
    verify({ ceremony_token, response: authenticator.assert(options, owner.userId) });
  expect(await answered(late)).toMatchObject(refused);
  const early = await beginLogin(running);
  await move(1);
  expect((await answered(early)).status).toBe(200);
});

test("ceremonies that have ended are taken away by those that begin", async () => {
  for (let begun = 0; begun < 4; begun++) await beginLogin(running);
  await move(-1);
  const count = async () =>
    (await running.sql<{ count: number }>("select count(*)::int as count from passkey_ceremonies"))[0]?.count as number;
  const before = await count();
  await beginLogin(running);
  expect(await count()).toBe(before - 1);
});

test("a ceremony of a registration signs nobody in", async () => {
  const { owner, authenticator } = await holder();
  const { ceremony_token, options } = (await owner.call("POST", "/auth/passkeys/register/options")).body;
  const response = authenticator.assert(options, owner.userId);
  expect(await verify({ ceremony_token, response })).toMatchObject(refused);
});

test("a counter that goes back disables the passkey for ever, and its owner is told", async () => {
  const person = await holder();
  const { owner, passkeyId } = person;
  expect((await signIn(person, { counter: 7 })).status).toBe(200);
  expect(await signIn(person, { counter: 6 })).toMatchObject(refused);
  expect(await row(passkeyId)).toMatchObject({ counter: "7", disabled: true, revision: "2" });
  expect(await signIn(person, { counter: 8 }), "even with a counter that would have been good").toMatchObject(refused);
  const letters = await lettersTo(running, owner.email);
  expect(letters.map(({ subject }) => subject)).toEqual(["A passkey of your account was disabled"]);
  expect(letters[0]?.text).toContain('"Key"');
  const [listed] = (await owner.call("GET", "/auth/passkeys")).body.items;
  expect(listed).toMatchObject({ id: passkeyId, disabled: true });
  const [event] = await running.sql<{ type: string; user_id: string }>(
    "select type, user_id from domain_events where resource_id = $1",
    [passkeyId],
  );
  expect(event).toEqual({ type: "passkey.disabled", user_id: owner.userId });
});

test("a counter that stands still is a copy as well", async () => {
  const person = await holder();
  expect((await signIn(person, { counter: 7 })).status).toBe(200);
  expect(await signIn(person, { counter: 7 })).toMatchObject(refused);
  expect(await row(person.passkeyId)).toMatchObject({ disabled: true });
});

test("a counter that falls back to 0 is a copy as well", async () => {
  const person = await holder();
  expect((await signIn(person, { counter: 1 })).status).toBe(200);
  expect(await signIn(person, { counter: 0 })).toMatchObject(refused);
  expect(await row(person.passkeyId)).toMatchObject({ disabled: true });
});

test("a wrong signature with an old counter disables nothing: anybody could send it", async () => {
  const person = await holder();
  expect((await signIn(person, { counter: 7 })).status).toBe(200);
  expect(await signIn(person, { counter: 1, signature: "AAAA" })).toMatchObject(refused);
  expect(await row(person.passkeyId)).toMatchObject({ disabled: false });
});

test("of 20 uses of one counter at once, one gets in and the copy is found", async () => {
  const person = await holder();
  const answers = await Promise.all(Array.from({ length: 20 }, () => signIn(person, { counter: 3 })));
  expect(answers.filter(({ status }) => status === 200).length).toBe(1);
  expect(await row(person.passkeyId)).toMatchObject({ counter: "3", disabled: true });
  expect((await lettersTo(running, person.owner.email)).length).toBe(1);
});

test("an authenticator without a counter signs in again and again", async () => {
  const person = await holder(0);
  for (let time = 0; time < 3; time++) expect((await signIn(person)).status).toBe(200);
  expect(await row(person.passkeyId)).toMatchObject({ counter: "0", disabled: false });
});

test("the highest counter that there is can be reached", async () => {
  const person = await holder();
  expect((await signIn(person, { counter: 4_294_967_295 })).status).toBe(200);
});

test("that a passkey was copied to other devices by its owner is noticed, and changes its revision once", async () => {
  const person = await holder();
  await running.sql("update passkeys set backup_eligible = true where id = $1", [person.passkeyId]);
  for (let time = 0; time < 2; time++) await signIn(person, { backupEligible: true, backedUp: true });
  const [listed] = (await person.owner.call("GET", "/auth/passkeys")).body.items;
  expect(listed).toMatchObject({ backup_state: true, revision: "2" });
});

test("a passkey that was removed signs nobody in", async () => {
  const person = await holder();
  await running.sql("delete from passkeys where id = $1", [person.passkeyId]);
  expect(await signIn(person)).toMatchObject(refused);
});

test("whoever is signed in already gets a session of the passkey's owner, and keeps nothing of the old one", async () => {
  const [person, other] = [await holder(), await world(running)];
  const { ceremony_token, options } = await beginLogin(running);
  const body = { ceremony_token, response: person.authenticator.assert(options, person.owner.userId) };
  const headers = sessionHeaders(other.owner.session);
  const answer = await running.send("POST", "/auth/passkeys/login/verify", { body, headers });
  expect(answer.body.id).toBe(person.owner.userId);
  expect(answer.cookies.join()).not.toContain(other.owner.session);
});
