// Signing in with a provider, against real OpenID providers on loopback: who gets in, as whom, and where it leads. What
// must not get in is in providers-refused.test.ts.
import { afterAll, describe, expect, test } from "vitest";
import type { Answer } from "../../../test/answer.ts";
import { lettersTo } from "../../../test/mailbox.ts";
import { comeBack, leave, logIn, type Name, openIdProviders, signInWith } from "../../../test/openid-provider.ts";
import { codeOf, withFactor } from "../../../test/second-factor.ts";
import { asSession, insertCredential, service, world } from "../../../test/world.ts";
import { newId, newSecret } from "../../platform/wire/ids.ts";

const openId = await openIdProviders();
afterAll(() => openId.stop());
const running = service({ providers: openId.config });
const names = ["google", "microsoft", "apple"] as const;

const FAILED = "/login?error=authentication_failed";
const newEmail = () => `${newId()}@example.com`;
const locationOf = (answer: Answer) => answer.headers.get("location");
const sessionIn = (answer: Answer) => /^__Host-svc_session=([^;]+)/.exec(answer.cookies[0] ?? "")?.[1];
/** The account that the answer has signed in to. */
async function me(answer: Answer) {
  const session = sessionIn(answer);
  if (!session) throw new Error(`no session in ${answer.status} ${locationOf(answer)}`);
  return (await asSession(running, session)("GET", "/me")).body;
}
const proved = (email: string) =>
  running.sql("update users set email_verified_at = now(), email_proved_at = now() where email = $1", [email]);
const signIn = (name: Name, subject: string, returnTo?: string) => signInWith(running, name, subject, returnTo);

describe("the way to the provider", () => {
  for (const name of names)
    test(`${name} is asked with state, nonce and S256, and the browser is marked`, async () => {
      const answer = await running.send("GET", `/auth/providers/${name}/authorize`);
      const url = new URL(locationOf(answer) as string);
      expect([answer.status, url.origin, url.pathname]).toEqual([302, openId[name].issuer, "/auth"]);
      const { state, nonce, code_challenge, ...asked } = Object.fromEntries(url.searchParams);
      expect(new Set([state, nonce, code_challenge]).size).toBe(3);
      for (const text of [state, nonce, code_challenge]) expect(text).toMatch(/^[\w-]{43}$/);
      expect(asked).toEqual({
        client_id: openId[name].config.clientId,
        redirect_uri: `${running.url}/api/v1/auth/providers/${name}/callback`,
        response_type: "code",
        scope: name === "apple" ? "openid email name" : "openid email profile",
        code_challenge_method: "S256",
        ...(name === "apple" ? { response_mode: "form_post" } : {}),
      });
      const site = name === "apple" ? "None" : "Lax";
      expect(answer.cookies).toEqual([
        expect.stringMatching(
          new RegExp(`^__Host-svc_signin=[\\w-]{43}; Path=/; Secure; SameSite=${site}; HttpOnly; Max-Age=600$`),
        ),
      ]);
    });

  test("HEAD begins no sign-in, and on the way back it uses up neither the state nor the code", async () => {
    const begun = await running.send("HEAD", "/auth/providers/google/authorize");
    expect([begun.status, begun.text, begun.cookies]).toEqual([302, "", []]);
    const away = await leave(running, "google");
    const sent = await logIn(away, openId.google.person({ email: newEmail(), email_verified: true }));
    const path = `/auth/providers/google/callback?${new URLSearchParams(sent)}`;
    for (let times = 0; times < 2; times++) {
      const { status, cookies } = await running.send("HEAD", path, { headers: { cookie: away.cookie } });
      expect([status, cookies]).toEqual([302, []]);
    }
    expect(sessionIn(await comeBack(running, "google", sent, away.cookie)), "GET signs in").toBeDefined();
  });

  test("neither state, nonce nor verifier can be read in the database", async () => {
    const { location } = await leave(running, "google");
    const rows = await running.sql<{ row: string }>("select r::text as row from provider_requests r");
    for (const name of ["state", "nonce"])
      expect(rows.some(({ row }) => row.includes(location.searchParams.get(name) as string))).toBe(false);
  });

  test("two tabs of one browser come back both", async () => {
    const first = await leave(running, "google");
    const second = await leave(running, "google", undefined, first.cookie);
    expect(second.cookie).toBe(first.cookie);
    for (const away of [second, first]) {
      const subject = openId.google.person({ email: newEmail(), email_verified: true });
      const answer = await comeBack(running, "google", await logIn(away, subject), second.cookie);
      expect(locationOf(answer)).toBe("/workspaces/new");
    }
  });

  test("the discovery document is asked for once", async () => {
    for (let time = 0; time < 2; time++) await leave(running, "microsoft");
    expect(openId.microsoft.asked.filter((path) => path.includes("/.well-known/"))).toHaveLength(1);
  });
});

describe("somebody new", () => {
  for (const name of names)
    test(`gets an account through ${name}, with a verified address and no password, and is led to a new Workspace`, async () => {
      const email = newEmail();
      const subject = openId[name].person({ email: email.toUpperCase(), email_verified: true, name: "Ada  Lovelace" });
      const answer = await signIn(name, subject);
      expect([answer.status, locationOf(answer)]).toEqual([302, "/workspaces/new"]);
      expect(answer.cookies).toEqual([
        expect.stringMatching(
          /^__Host-svc_session=svc_ses_\w{38}; Path=\/; Secure; SameSite=Lax; HttpOnly; Max-Age=2592000$/,
        ),
        expect.stringMatching(/^__Host-svc_csrf=[\w-]{43}; Path=\/; Secure; SameSite=Lax; Max-Age=2592000$/),
      ]);
      const account = await me(answer);
      expect(account).toMatchObject({ email, email_verified: true, has_password: false, workspace_id: null });
      expect(account.display_name).toBe(name === "apple" ? email.split("@")[0] : "Ada Lovelace");
      expect(await lettersTo(running, email)).toEqual([]);
      const events = "select type from domain_events where user_id = $1 order by id";
      expect((await running.sql<{ type: string }>(events, [account.id])).map(({ type }) => type)).toEqual([
        "account.registered",
        "identity.linked",
        "account.signed_in",
      ]);
    });

  test("has the name that Apple posts beside the code", async () => {
    const away = await leave(running, "apple");
    const subject = openId.apple.person({ email: newEmail(), email_verified: "true" });
    const sent = await logIn(away, subject);
    const user = JSON.stringify({ name: { firstName: "Grace", lastName: "Hopper" }, email: "other@example.com" });
    const account = await me(await comeBack(running, "apple", { ...sent, user }, away.cookie));
    expect([account.display_name, account.email]).toEqual(["Grace Hopper", openId.apple.people.get(subject)?.email]);
  });

  test("has a name that fits, whatever the provider tells", async () => {
    const told = { "\u0000\u0007": null, "  ": null, "a\u0000b\nc": "a b c", ["😀".repeat(101)]: "😀".repeat(100) };
    for (const [name, wanted] of Object.entries(told)) {
      const email = newEmail();
      const subject = openId.google.person({ email, email_verified: true, name });
      expect((await me(await signIn("google", subject))).display_name).toBe(wanted ?? email.split("@")[0]);
    }
  });

  test("may bring parameters that providers add to their answer", async () => {
    for (const name of names) {
      const away = await leave(running, name);
      const sent = await logIn(away, openId[name].person({ email: newEmail(), email_verified: true }));
      const more = { scope: "openid email", authuser: "0", hd: "example.com", id_token: "x", surprise: "1" };
      expect(locationOf(await comeBack(running, name, { ...sent, ...more }, away.cookie))).toBe("/workspaces/new");
    }
  });

  test("becomes one account when it comes back ten times at once", async () => {
    const email = newEmail();
    const subject = openId.google.person({ email, email_verified: true });
    const away = await Promise.all(Array.from({ length: 10 }, () => leave(running, "google")));
    const sent = await Promise.all(away.map((each) => logIn(each, subject)));
    const answers = await Promise.all(
      sent.map((each, at) => comeBack(running, "google", each, away[at]?.cookie ?? "")),
    );
    expect(new Set(answers.map(locationOf))).toEqual(new Set(["/workspaces/new"]));
    expect(await running.sql("select from users where email = $1", [email])).toHaveLength(1);
    expect(await running.sql("select from identities where subject = $1", [subject])).toHaveLength(1);
  });
});

describe("somebody who is known by the provider's subject", () => {
  test("gets the same account again, whatever became of the address", async () => {
    const email = newEmail();
    const subject = openId.microsoft.person({ email, email_verified: true });
    const { id } = await me(await signIn("microsoft", subject));
    const { owner } = await world(running);
    await proved(owner.email);
    const changes = [
      { email: newEmail(), email_verified: true },
      { email: newEmail(), email_verified: false },
      { email: owner.email, email_verified: true },
      { email: "no address", email_verified: true },
      { name: "Somebody" },
    ];
    for (const profile of changes) {
      openId.microsoft.people.set(subject, profile);
      const account = await me(await signIn("microsoft", subject));
      expect([account.id, account.email, account.display_name]).toEqual([id, email, email.split("@")[0]]);
    }
    expect(await running.sql("select email from identities where subject = $1", [subject])).toEqual([
      { email: "no address" },
    ]);
  });

  test("is somebody else at another provider, even with the same subject", async () => {
    const subject = openId.google.person({ email: newEmail(), email_verified: true });
    openId.microsoft.people.set(subject, { email: newEmail(), email_verified: true });
    const [one, other] = [await me(await signIn("google", subject)), await me(await signIn("microsoft", subject))];
    expect(one.id).not.toBe(other.id);
  });

  test("opens the Workspace, and its session is in it", async () => {
    const { owner, workspaceId } = await world(running);
    await proved(owner.email);
    const answer = await signIn("google", openId.google.person({ email: owner.email, email_verified: true }));
    expect(locationOf(answer)).toBe("/");
    expect(await me(answer)).toMatchObject({ id: owner.userId, workspace_id: workspaceId });
  });
});

describe("an address that the provider vouches for", () => {
  test("attaches to the account that has proved it, which keeps all that it had and is told", async () => {
    const password = "quartz-lantern-48-vellum";
    const body = { email: newEmail(), password, display_name: "Ada" };
    const registered = await running.send("POST", "/auth/register", { body });
    await proved(body.email);
    const subject = openId.google.person({ email: body.email, email_verified: true });
    expect((await me(await signIn("google", subject))).id).toBe(registered.body.id);
    expect((await running.send("POST", "/auth/login", { body: { email: body.email, password } })).status).toBe(200);
    expect((await me(registered)).has_password).toBe(true);
    expect((await lettersTo(running, body.email)).at(-1)?.subject).toBe("You can sign in with Google now");
  });

  test("takes an account over whose address nobody has proved: no former password, session, token, passkey, identity or factor lets in", async () => {
    const password = "quartz-lantern-48-vellum";
    const body = { email: newEmail(), password, display_name: "Squatter" };
    const squatter = await running.send("POST", "/auth/register", { body });
    const userId = squatter.body.id;
    const token = newSecret("nat");
    await insertCredential(running, "native", token, userId, null, ["svc:read"]);
    await withFactor(running, userId, { recoveryCodes: ["abcd-efgh-ijkl"] });
    await running.sql(
      `insert into passkeys (id, user_id, credential_id, public_key, counter, backup_eligible, backup_state, name)
       values ($1, $2, $3, '', 0, false, false, 'theirs')`,
      [newId(), userId, Buffer.from(userId)],
    );
    await running.sql("insert into identities (id, user_id, provider, subject) values ($1, $2, 'apple', 'x')", [
      newId(),
      userId,
    ]);

    await running.sql(
      `insert into integration_identities (id, user_id, provider_key, external_id, name)
        values ($1, $2, 'github', $3, 'theirs')`,
      [newId(), userId, userId],
    );

    const answer = await signIn("google", openId.google.person({ email: body.email, email_verified: true }));
    expect(locationOf(answer)).toBe("/workspaces/new");
    const expected = { id: userId, email_verified: true, has_password: false, mfa_enabled: false };
    expect(await me(answer)).toMatchObject(expected);
    expect((await running.send("POST", "/auth/login", { body: { email: body.email, password } })).status).toBe(401);
    const old = asSession(running, sessionIn(squatter) as string);
    expect((await old("GET", "/me")).status).toBe(401);
    const headers = { authorization: `Bearer ${token}` };
    expect((await running.send("GET", "/me", { headers })).status).toBe(401);
    for (const table of ["passkeys", "second_factors", "recovery_codes", "email_links", "integration_identities"])
      expect(await running.sql(`select from ${table} where user_id = $1`, [userId]), table).toEqual([]);
    const left = await running.sql("select provider from identities where user_id = $1", [userId]);
    expect(left).toEqual([{ provider: "google" }]);
    expect((await lettersTo(running, body.email)).at(-1)?.subject).toBe("Your address is confirmed");
  });

  test("may be vouched for in the words of each provider", async () => {
    for (const claim of [{ email_verified: "true" }, { xms_edov: true }, { xms_edov: "1" }, { xms_edov: 1 }]) {
      const subject = openId.microsoft.person({ email: newEmail(), ...claim });
      expect(locationOf(await signIn("microsoft", subject)), JSON.stringify(claim)).toBe("/workspaces/new");
    }
  });
});

describe("an account with a second factor", () => {
  test("is asked for it: no session yet, and the challenge in the fragment leads on", async () => {
    const { owner } = await world(running);
    await proved(owner.email);
    const secret = await withFactor(running, owner.userId);
    const subject = openId.google.person({ email: owner.email, email_verified: true });
    const answer = await signIn("google", subject, "/workspaces/new?a=b&c#d");
    expect(answer.cookies).toEqual([]);
    const url = new URL(locationOf(answer) as string, running.url);
    expect([url.pathname, url.search]).toEqual(["/second-factor", ""]);
    const { token, return_to } = Object.fromEntries(new URLSearchParams(url.hash.slice(1)));
    expect(return_to).toBe("/workspaces/new?a=b&c#d");
    const body = { mfa_token: token, code: codeOf(secret), remember_me: true };
    const entered = await running.send("POST", "/auth/mfa/verify", { body });
    expect([entered.status, entered.body.id]).toEqual([200, owner.userId]);
    expect(locationOf(await signIn("google", subject))).toMatch(/^\/second-factor#token=svc_mfa_\w{38}$/);
  });
});

describe("return_to", () => {
  test("leads to places of ours, by either way back", async () => {
    for (const name of ["google", "apple"] as const) {
      const subject = openId[name].person({ email: newEmail(), email_verified: true });
      for (const path of [
        "/workspaces/acme/tasks?view=board#top",
        "/oauth/authorize?client_id=a&state=%7B%7D",
        "/invitation",
      ])
        expect(locationOf(await signIn(name, subject, path))).toBe(path);
    }
  });

  test("is ignored where it leads elsewhere", async () => {
    const subject = openId.google.person({ email: newEmail(), email_verified: true });
    const tricks = [
      "https://evil.example",
      "//evil.example",
      "/\\evil.example",
      "/%2fevil.example",
      "/workspaces/a\r\nx: y",
    ];
    for (const path of [...tricks, "/login", "/invitation?token=x", ""])
      expect(locationOf(await signIn("google", subject, path)), path).toBe("/workspaces/new");
  });

  test("cannot be changed on the way back", async () => {
    const away = await leave(running, "google", "/security");
    const sent = await logIn(away, openId.google.person({ email: newEmail(), email_verified: true }));
    const answer = await comeBack(running, "google", { ...sent, return_to: "/workspaces/evil" }, away.cookie);
    expect(locationOf(answer)).toBe("/security");
  });
});

test("a failure says nothing, whatever it was", async () => {
  const unknown = await comeBack(running, "google", { state: "x", code: "y" }, "");
  expect([unknown.status, locationOf(unknown), unknown.cookies, unknown.text]).toEqual([302, FAILED, [], ""]);
});
