// Whose an address is: the mailbox alone says so, or a provider. What an answer has shown to somebody else proves
// nothing, so an account that was opened with it ends when the owner of the address comes, with everything that was
// left in it as a way in.
import { afterAll, describe, expect, test } from "vitest";
import type { Answer } from "../../../test/answer.ts";
import { beginLogin, newAuthenticator } from "../../../test/authenticator.ts";
import { forgot, tokenTo } from "../../../test/letters.ts";
import { lettersTo, linkTo } from "../../../test/mailbox.ts";
import { registered, tokensFor } from "../../../test/oauth.ts";
import { awayIn, comeBack, logIn, openIdProviders, signInWith } from "../../../test/openid-provider.ts";
import { accept, invite, newAddress, resend } from "../../../test/people.ts";
import { codeOf } from "../../../test/second-factor.ts";
import { asSession, newKey, type Person, service, type World, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const openId = await openIdProviders();
afterAll(() => openId.stop());
const running = service({ providers: openId.config });
const password = "quartz-lantern-48-vellum";
const next = "vellum-lantern-48-quartz";

const sessionIn = (answer: Answer) => /__Host-svc_session=([^;]+)/.exec(answer.cookies.join())?.[1] as string;
const account = async (call: ReturnType<typeof asSession>) => (await call("GET", "/me")).body;
/** In the newest invitation to this address. */
const mailedToken = async (email: string) =>
  (await lettersTo(running, email))
    .flatMap(({ text }) => /invitation\?token=(\w+)/.exec(text)?.[1] ?? [])
    .at(-1) as string;
const register = (email: string, token?: string, path = "/auth/register") =>
  running.send("POST", path, { body: { email, password, display_name: "Ada", invitation_token: token } });
const login = (email: string, given = password) =>
  running.send("POST", "/auth/login", { body: { email, password: given } });
const byProvider = (email: string) =>
  signInWith(running, "google", openId.google.person({ email, email_verified: true }));
/** Somebody who has just got in, as a person to call with. */
async function entered(answer: Answer, email: string): Promise<Person> {
  expect(answer.status, answer.text).toBeLessThan(400);
  const session = sessionIn(answer);
  const call = asSession(running, session);
  return { userId: (await account(call)).id, actorId: "", email, session, origin: running.url, call, bearer: bearerOf };
}
const bearerOf = (token: string, method: string, path: string, options = {}) =>
  running.send(method, path, { ...options, headers: { authorization: `Bearer ${token}` } });
/** A Workspace whose owner invites an address, with both tokens: the one of the answer and the one of the mail. */
async function inviting(email: string, role = "admin") {
  const place = await world(running);
  const { token, id } = (await invite(place.owner, place, { email, role })).body as { token: string; id: string };
  return { ...place, id, answered: token, mailed: await mailedToken(email) };
}

/**
 * Everything by which somebody can come back to an account, made through the API; `lives` tells what of it still works.
 */
async function settle(person: Person, place: World, given = password) {
  const { call, userId, email } = person;
  const { workspaceId } = place;
  const authenticator = newAuthenticator({ origin: running.url });
  const ceremony = (await call("POST", "/auth/passkeys/register/options")).body;
  const attested = { ...ceremony, name: "Key", response: authenticator.attest(ceremony.options) };
  const { ceremony_token, name, response } = attested;
  const kept = await call("POST", "/auth/passkeys/register/verify", { body: { ceremony_token, name, response } });
  expect(kept.status, kept.text).toBe(201);
  const token = (await call("POST", "/me/api-tokens", { body: { name: "Script", scopes: ["svc:read"] } })).body.token;
  const client = await registered(running);
  const granted = await tokensFor(running, { owner: person, workspaceId }, client);
  const native = await running.send("POST", "/mobile/auth/login", { body: { email, password: given } });
  const service = await call("POST", `/workspaces/${workspaceId}/mcp-service-credentials`, {
    body: { name: "Nightly", scopes: ["svc:read"] },
  });
  expect(service.status, service.text).toBe(201);
  await running.sql(
    `insert into integration_identities (id, user_id, provider_key, external_id, name)
      values ($1, $2, 'github', $3, 'theirs')`,
    [newId(), userId, userId],
  );
  const hook = { name: "Theirs", url: "https://hooks.example.com/theirs", actions: ["task.created"] };
  const endpoint = await call("POST", `/workspaces/${workspaceId}/webhook-endpoints`, { body: hook });
  expect(endpoint.status, endpoint.text).toBe(201);
  const journey = await call("POST", "/me/identities", { body: { provider: "apple" } });
  const away = awayIn(journey, journey.body.authorization_url);
  const stranger = openId.apple.person({ email: newAddress(), email_verified: true });
  await comeBack(running, "apple", await logIn(away, stranger), away.cookie);
  const { secret } = (await call("POST", "/auth/mfa/totp/setup")).body;
  const confirmed = await call("POST", "/auth/mfa/totp/confirm", { body: { code: codeOf(secret) } });
  expect(confirmed.status, confirmed.text).toBe(201);
  const friend = (await world(running)).owner;
  const let_in = (await invite(person, place, { email: friend.email, role: "admin" })).body.token;
  const projects = `/workspaces/${workspaceId}/projects`;
  const passkey = async () => {
    const { ceremony_token: login, options } = await beginLogin(running);
    const body = { ceremony_token: login, response: authenticator.assert(options, userId) };
    return (await running.send("POST", "/auth/passkeys/login/verify", { body })).status;
  };
  return {
    lives: async () => ({
      password: (await login(email, given)).status,
      session: (await call("GET", "/me")).status,
      passkey: await passkey(),
      apiToken: (await bearerOf(token, "GET", projects)).status,
      refresh: (
        await running.send("POST", "/oauth/token", {
          raw: new URLSearchParams({
            grant_type: "refresh_token",
            client_id: client.id,
            refresh_token: granted.refresh_token,
          }).toString(),
          headers: { "content-type": "application/x-www-form-urlencoded" },
        })
      ).status,
      native: (await bearerOf(native.body.access_token, "GET", "/me")).status,
      identity: (await signInWith(running, "apple", stranger)).headers.get("location")?.split(/[#?]/)[0],
      serviceCredential: (
        await running.sql("select from credentials where id = $1 and revoked_at is null", [service.body.id])
      ).length,
      invitation: (await accept(friend, let_in)).status,
      linkedAccount: (await running.sql("select from integration_identities where user_id = $1", [userId])).length,
      webhookEndpoint: (
        await running.sql(
          "select from webhook_endpoints where id = $1 and deleted_at is null",
          [endpoint.body.id],
          workspaceId,
        )
      ).length,
      secondFactor: (await running.sql("select from second_factors where user_id = $1", [userId])).length,
      recoveryCodes: (await running.sql("select from recovery_codes where user_id = $1", [userId])).length,
    }),
  };
}
const LIVES = {
  password: 200,
  session: 200,
  passkey: 200,
  apiToken: 200,
  refresh: 200,
  native: 200,
  identity: "/second-factor",
  serviceCredential: 1,
  invitation: 201,
  linkedAccount: 1,
  webhookEndpoint: 1,
  secondFactor: 1,
  recoveryCodes: 10,
};
const GONE = {
  password: 401,
  session: 401,
  passkey: 401,
  apiToken: 401,
  refresh: 400,
  native: 401,
  identity: "/workspaces/new",
  serviceCredential: 0,
  invitation: 404,
  linkedAccount: 0,
  webhookEndpoint: 0,
  secondFactor: 0,
  recoveryCodes: 0,
};

describe("an account that was opened with the token of an answer", () => {
  test("ends for whoever opened it when the owner of the address signs in with a provider: nothing of theirs lets in any more", async () => {
    const email = newAddress();
    const place = await inviting(email);
    const answer = await register(email, place.answered);
    expect(answer.body).toMatchObject({ email_verified: true, email_proved: false, workspace_id: place.workspaceId });
    const squatter = await entered(answer, email);
    const { lives } = await settle(squatter, place);

    const owner = await entered(await byProvider(email), email);
    expect(owner.userId).toBe(squatter.userId);
    expect(await account(owner.call)).toMatchObject({
      email_verified: true,
      email_proved: true,
      has_password: false,
      mfa_enabled: false,
    });
    expect(await lives()).toEqual(GONE);
    expect((await account(owner.call)).id).toBe(squatter.userId);
    const letter = (await lettersTo(running, email)).at(-1);
    expect(letter?.subject).toBe("Your address is confirmed");
    for (const word of ["password", "passkeys", "API tokens", "second factor", "invitations"])
      expect(letter?.text).toContain(word);
  });

  test("ends for whoever opened it when the owner of the address sets a password by the link in the mail", async () => {
    const email = newAddress();
    const place = await inviting(email);
    const squatter = await entered(await register(email, place.answered), email);
    const { lives } = await settle(squatter, place);
    await forgot(running, email);
    const token = await tokenTo(running, email);
    expect((await running.send("POST", "/auth/password/reset", { body: { token, new_password: next } })).status).toBe(
      204,
    );
    expect(await lives()).toEqual({ ...GONE, identity: "/workspaces/new" });
    const owner = await entered(await login(email, next), email);
    expect(await account(owner.call)).toMatchObject({ email_proved: true, mfa_enabled: false });
    expect((await lettersTo(running, email)).at(-1)?.text).toContain("passkeys");
  });

  test("is the same from a native application, and by accepting with an account that was there before", async () => {
    const email = newAddress();
    const { answered } = await inviting(email);
    const made = await register(email, answered, "/mobile/auth/register");
    expect(made.body.account).toMatchObject({ email_verified: true, email_proved: false });
    const other = newAddress();
    const squatter = await entered(await register(other), other);
    const second = await inviting(other);
    expect((await accept(squatter, second.answered)).status).toBe(201);
    expect(await account(squatter.call)).toMatchObject({ email_verified: true, email_proved: false });
    await byProvider(other);
    expect((await squatter.call("GET", "/me")).status).toBe(401);
    expect((await login(other)).status).toBe(401);
  });
});

describe("an account that was opened with the link in the mail", () => {
  test("keeps everything when its owner signs in with a provider, and when the password is reset", async () => {
    const email = newAddress();
    const place = await inviting(email);
    const answer = await register(email, place.mailed);
    expect(answer.body).toMatchObject({ email_verified: true, email_proved: true, workspace_id: place.workspaceId });
    const person = await entered(answer, email);
    const { lives } = await settle(person, place);
    expect((await byProvider(email)).headers.get("location")).toMatch(/^\/second-factor#/);
    expect(await lives()).toEqual(LIVES);
    expect((await lettersTo(running, email)).at(-1)?.subject).toBe("You can sign in with Google now");
    await forgot(running, email);
    const token = await tokenTo(running, email);
    await running.send("POST", "/auth/password/reset", { body: { token, new_password: next } });
    expect(await running.sql("select from passkeys where user_id = $1", [person.userId])).toHaveLength(1);
    expect(await running.sql("select from second_factors where user_id = $1", [person.userId])).toHaveLength(1);
    expect(await running.sql("select from identities where user_id = $1", [person.userId])).toHaveLength(2);
  });
});

describe("the mailed token", () => {
  test("is never in an answer: not of the invitation, its repetition, its list, or a resending", async () => {
    const [place, email, key] = [await world(running), newAddress(), newKey()];
    const first = await invite(place.owner, place, { email }, { key });
    const again = await invite(place.owner, place, { email }, { key });
    const mailed = await mailedToken(email);
    expect(again.text).toBe(first.text);
    const list = await place.owner.call("GET", `/workspaces/${place.workspaceId}/invitations`);
    for (const { text } of [first, list]) expect(text).not.toContain(mailed);
    const resendKey = newKey();
    const resent = await resend(place.owner, place, first.body.id, resendKey);
    const second = await mailedToken(email);
    expect(second).not.toBe(mailed);
    for (const { text } of [resent, await resend(place.owner, place, first.body.id, resendKey)]) {
      expect(text).not.toContain(second);
      expect(text).toContain(resent.body.token);
    }
    for (const dead of [mailed, first.body.token]) expect((await register(email, dead)).status).toBe(400);
    const rows = await running.sql<{ row: string }>("select i::text as row from invitations i");
    for (const token of [second, resent.body.token]) expect(rows.some(({ row }) => row.includes(token))).toBe(false);
    expect((await register(email, second)).body.email_proved).toBe(true);
  });

  test("proves the address of the account that accepts with it, once, also where the other token was used before", async () => {
    for (const first of ["mailed", "answered"] as const) {
      const email = newAddress();
      const person = await entered(await register(email), email);
      const place = await inviting(email);
      expect((await accept(person, place[first])).status).toBe(201);
      expect((await account(person.call)).email_proved).toBe(first === "mailed");
      expect((await accept(person, place.mailed)).status).toBe(201);
      const { email_proved, revision } = await account(person.call);
      expect(email_proved).toBe(true);
      expect((await accept(person, place.answered)).status).toBe(201);
      expect(await account(person.call)).toMatchObject({ email_proved: true, revision });
    }
  });

  test("proves nothing to an account that has moved to another address, to a stranger, or after the invitation was withdrawn", async () => {
    const email = newAddress();
    const person = await entered(await register(email), email);
    const place = await inviting(email);
    await accept(person, place.answered);
    await running.sql("update users set email = $2 where id = $1", [person.userId, newAddress()]);
    expect((await accept(person, place.mailed)).status).toBe(201);
    expect((await account(person.call)).email_proved).toBe(false);
    const [victim, thief] = [newAddress(), newAddress()];
    const stranger = await entered(await register(thief), thief);
    const other = await inviting(victim);
    expect((await accept(stranger, other.mailed)).body.code).toBe("invitation_recipient_mismatch");
    await other.owner.call("DELETE", `/workspaces/${other.workspaceId}/invitations/${other.id}`);
    expect((await register(victim, other.mailed)).body.code).toBe("invalid_invitation");
    expect((await account(stranger.call)).email_proved).toBe(false);
  });
});

describe("an address is proved", () => {
  test("by the verification link, which an account that is verified and not proved can ask for", async () => {
    const email = newAddress();
    const place = await inviting(email);
    const person = await entered(await register(email, place.answered), email);
    const before = (await lettersTo(running, email)).length;
    await running.send("POST", "/auth/email/resend-verification", { body: { email } });
    expect(await lettersTo(running, email)).toHaveLength(before + 1);
    const { pathname, search } = await linkTo(running, email);
    expect((await running.send("GET", pathname + search)).headers.get("location")).toMatch(/^\/verified/);
    expect(await account(person.call)).toMatchObject({ email_verified: true, email_proved: true });
    await byProvider(email);
    expect((await person.call("GET", "/me")).status).toBe(200);
    await running.sql("update email_links set created_at = now() - interval '2 minutes' where user_id = $1", [
      person.userId,
    ]);
    const letters = (await lettersTo(running, email)).length;
    await running.send("POST", "/auth/email/resend-verification", { body: { email } });
    expect(await lettersTo(running, email)).toHaveLength(letters);
  });

  test("by the link of a change of address, whatever the former one was", async () => {
    const [email, other] = [newAddress(), newAddress()];
    const person = await entered(await register(email), email);
    await person.call("POST", "/me/email-change", { body: { email: other, current_password: password } });
    const token = await tokenTo(running, other);
    const changed = await person.call("POST", "/me/email-change/verify", { body: { token } });
    expect(changed.body).toMatchObject({ email: other, email_verified: true, email_proved: true });
  });

  test("by an identity that is linked where its provider vouches for this very address, and by no other", async () => {
    const link = async (profile: { email: string; email_verified: boolean }, email: string) => {
      const person = await entered(await register(email), email);
      const journey = await person.call("POST", "/me/identities", { body: { provider: "google" } });
      const away = awayIn(journey, journey.body.authorization_url);
      const sent = await logIn(away, openId.google.person(profile));
      const headers = { cookie: `${away.cookie}; __Host-svc_session=${person.session}` };
      const back = new URLSearchParams(sent);
      expect((await running.send("GET", `/auth/providers/google/callback?${back}`, { headers })).status).toBe(302);
      return (await account(person.call)).email_proved;
    };
    const [own, unvouched] = [newAddress(), newAddress()];
    expect(await link({ email: own.toUpperCase(), email_verified: true }, own)).toBe(true);
    expect(await link({ email: unvouched, email_verified: false }, unvouched)).toBe(false);
    expect(await link({ email: newAddress(), email_verified: true }, newAddress())).toBe(false);
  });

  test("of an account that a provider has opened, and of nobody who only registered", async () => {
    const [opened, email] = [newAddress(), newAddress()];
    expect(await account((await entered(await byProvider(opened), opened)).call)).toMatchObject({ email_proved: true });
    expect((await register(email)).body).toMatchObject({ email_verified: false, email_proved: false });
    expect((await login(email)).body.email_proved).toBe(false);
  });
});

describe("an address that is not proved", () => {
  test("is shown to nobody else, and names nobody in a letter", async () => {
    const email = newAddress();
    const place = await inviting(email);
    const squatter = await entered(await register(email, place.answered), email);
    const addresses = async () =>
      (await place.owner.call("GET", `/workspaces/${place.workspaceId}/members`)).body.items.map(
        (row: { email: string | null }) => row.email,
      );
    const letterFrom = async () => {
      const to = (await invite(squatter, place, { email: newAddress() })).body.email;
      return (await lettersTo(running, to)).at(-1)?.text;
    };
    expect(await addresses()).not.toContain(email);
    expect(await letterFrom()).toContain("Somebody invites you");
    await running.sql("update users set email_proved_at = now() where id = $1", [squatter.userId]);
    expect(await addresses()).toContain(email);
    expect(await letterFrom()).toContain(`${email} invites you`);
  });

  test("cannot be stored as proved and not verified", async () => {
    const { owner } = await world(running);
    await expect(running.sql("update users set email_proved_at = now() where id = $1", [owner.userId])).rejects.toThrow(
      "users_proved_is_verified",
    );
  });
});

test("of a squatter who goes on working while the owner comes, nothing that was issued meanwhile survives", async () => {
  const email = newAddress();
  const place = await inviting(email);
  const squatter = await entered(await register(email, place.answered), email);
  const [, ...made] = await Promise.all([
    byProvider(email),
    ...Array.from({ length: 6 }, () =>
      squatter.call("POST", "/me/api-tokens", { body: { name: newId(), scopes: ["svc:read"] } }),
    ),
  ]);
  for (const { status, body } of made)
    if (status === 201)
      expect((await bearerOf(body.token, "GET", `/workspaces/${place.workspaceId}/projects`)).status).toBe(401);
});
