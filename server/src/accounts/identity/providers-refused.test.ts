// What must not get in by way of a provider: forged, replayed, borrowed and late answers, and addresses that nobody
// vouches for.
import { generateKeyPairSync } from "node:crypto";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import type { Answer } from "../../../test/answer.ts";
import {
  type Away,
  comeBack,
  leave,
  logIn,
  type Name,
  openIdProviders,
  signInWith,
} from "../../../test/openid-provider.ts";
import { service, world } from "../../../test/world.ts";
import { newId, sha256 } from "../../platform/wire/ids.ts";

const openId = await openIdProviders();
afterAll(() => openId.stop());
afterEach(() => {
  openId.google.token = null;
});
const running = service({ providers: openId.config });

const newEmail = () => `${newId()}@example.com`;
const locationOf = (answer: Answer) => answer.headers.get("location");
/** Sent to the login page, with nothing set and nothing said. */
function expectFailed(answer: Answer, why = "") {
  expect([answer.status, locationOf(answer), answer.text], why).toEqual([
    302,
    "/login?error=authentication_failed",
    "",
  ]);
  expect(answer.cookies, why).toEqual([]);
}
const someone = (name: Name = "google") => openId[name].person({ email: newEmail(), email_verified: true });
const accountsOf = (subject: string) => running.sql("select from identities where subject = $1", [subject]);

describe("the state", () => {
  test("that nobody knows leaves no trace", async () => {
    const count = async () =>
      (await running.sql("select count(*) from audit_log where operation like 'completeProvider%'"))[0];
    const before = await count();
    for (const name of ["google", "apple"] as const)
      expectFailed(await comeBack(running, name, { state: "x", code: "y" }, ""));
    expect(await count()).toEqual(before);
  });

  test("must be one that was given out, for this provider", async () => {
    const away = await leave(running, "google");
    const sent = await logIn(away, someone());
    for (const state of ["x", "x".repeat(512), `${sent.state}x`, newId()])
      expectFailed(await comeBack(running, "google", { ...sent, state }, away.cookie), state);
    expectFailed(await comeBack(running, "microsoft", sent, away.cookie));
    expectFailed(await comeBack(running, "apple", sent, away.cookie));
    expect(locationOf(await comeBack(running, "google", sent, away.cookie))).toBe("/workspaces/new");
  });

  test("works once", async () => {
    for (const name of ["google", "apple"] as const) {
      const away = await leave(running, name);
      const sent = await logIn(away, someone(name));
      expect(locationOf(await comeBack(running, name, sent, away.cookie))).toBe("/workspaces/new");
      expectFailed(await comeBack(running, name, sent, away.cookie));
    }
  });

  test("works once when it comes back fifty times at once", async () => {
    const away = await leave(running, "google");
    const subject = someone();
    const sent = await logIn(away, subject);
    const answers = await Promise.all(Array.from({ length: 50 }, () => comeBack(running, "google", sent, away.cookie)));
    expect(answers.filter((answer) => locationOf(answer) === "/workspaces/new")).toHaveLength(1);
    const sessions = "select from credentials c join identities i on i.user_id = c.user_id where i.subject = $1";
    expect(await running.sql(sessions, [subject])).toHaveLength(1);
    expect(openId.google.asked.filter((path) => path === "/token").length).toBeGreaterThan(0);
  });

  test("is good for ten minutes, to the second", async () => {
    for (const [age, good] of [
      ["9 minutes 55 seconds", true],
      ["10 minutes", false],
    ] as const) {
      const away = await leave(running, "google");
      const sent = await logIn(away, someone());
      const moved =
        "update provider_requests set expires_at = expires_at - $2::interval where state_hash = $1 returning 1 as x";
      expect(await running.sql(moved, [sha256(sent.state as string), age])).toHaveLength(1);
      const answer = await comeBack(running, "google", sent, away.cookie);
      expect(locationOf(answer) === "/workspaces/new", age).toBe(good);
    }
  });

  test("that has ended is cleared away by those that come after", async () => {
    const away = await leave(running, "google");
    const hash = sha256(away.location.searchParams.get("state") as string);
    await running.sql("update provider_requests set expires_at = now() - interval '100 years' where state_hash = $1", [
      hash,
    ]);
    await leave(running, "google");
    expect(await running.sql("select from provider_requests where state_hash = $1", [hash])).toEqual([]);
  });
});

describe("the browser", () => {
  test("must be the one that began: neither without its mark nor with another one's is a code accepted", async () => {
    for (const name of ["google", "apple"] as const) {
      const other = await leave(running, name);
      for (const cookie of ["", other.cookie, "__Host-svc_signin=", `${other.cookie}; ${other.cookie}`]) {
        const away = await leave(running, name);
        const subject = someone(name);
        const sent = await logIn(away, subject);
        expectFailed(await comeBack(running, name, sent, cookie), cookie);
        expectFailed(await comeBack(running, name, sent, away.cookie), "used up by the attempt");
        expect(await accountsOf(subject)).toEqual([]);
      }
    }
  });

  test("is not signed in by an answer that somebody else has fetched for it", async () => {
    const [attacker, victim] = [await leave(running, "google"), await leave(running, "google")];
    const sent = await logIn(attacker, someone());
    expectFailed(await comeBack(running, "google", sent, victim.cookie));
    const injected = { ...sent, state: victim.location.searchParams.get("state") as string };
    expectFailed(await comeBack(running, "google", injected, victim.cookie));
  });

  test("with two marks is none", async () => {
    const [one, other] = [await leave(running, "google"), await leave(running, "google")];
    expectFailed(await comeBack(running, "google", await logIn(one, someone()), `${one.cookie}; ${other.cookie}`));
  });

  test("that presents a mark of its own making gets a new one", async () => {
    for (const mark of ["x", "x".repeat(44), "x; Domain=evil.example", "%0d%0a"]) {
      const away = await leave(running, "google", undefined, `__Host-svc_signin=${mark}`);
      expect(away.cookie).toMatch(/^__Host-svc_signin=[\w-]{43}$/);
      expect(away.cookie).not.toBe(`__Host-svc_signin=${mark}`);
    }
  });
});

describe("a callback", () => {
  test("that is malformed is 400 invalid_request", async () => {
    const malformed: Record<string, string>[] = [
      {},
      { code: "x" },
      { state: "x" },
      { state: "", code: "x" },
      { state: "x", code: "x", error: "access_denied" },
      { state: "x".repeat(513), code: "x" },
      { state: "x", code: "x".repeat(4097) },
    ];
    for (const name of ["google", "microsoft", "apple"] as const)
      for (const sent of malformed) {
        const answer = await comeBack(running, name, sent, "");
        expect([answer.status, answer.body.code], JSON.stringify(sent)).toEqual([400, "invalid_request"]);
      }
    const twice = await running.send("GET", "/auth/providers/google/callback?state=x&state=y&code=z");
    expect(twice.body.code).toBe("invalid_request");
    const json = await running.send("POST", "/auth/providers/apple/callback", { body: { state: "x", code: "y" } });
    expect(json.status).toBe(415);
  });

  test("with the provider's refusal leads to the login page and uses the state up", async () => {
    for (const name of ["google", "apple"] as const) {
      const away = await leave(running, name);
      const sent = await logIn(away, null);
      expect(sent.error).toBe("access_denied");
      expectFailed(await comeBack(running, name, sent, away.cookie));
      expectFailed(await comeBack(running, name, { state: sent.state as string, code: "x" }, away.cookie));
    }
  });

  test("comes in the way of its provider only", async () => {
    const [away, form] = [await leave(running, "google"), await leave(running, "apple")];
    const raw = new URLSearchParams(await logIn(away, someone())).toString();
    const headers = { cookie: away.cookie, "content-type": "application/x-www-form-urlencoded" };
    expect((await running.send("POST", "/auth/providers/google/callback", { raw, headers })).status).toBe(404);
    const query = new URLSearchParams(await logIn(form, someone("apple")));
    const path = `/auth/providers/apple/callback?${query}`;
    expect((await running.send("GET", path, { headers: { cookie: form.cookie } })).status).toBe(404);
  });

  test("with a wrong code, or with another verifier, gets nothing", async () => {
    const away = await leave(running, "google");
    const sent = await logIn(away, someone());
    expectFailed(await comeBack(running, "google", { ...sent, code: "x" }, away.cookie));
    const [one, other] = [await leave(running, "google"), await leave(running, "google")];
    const code = (await logIn(one, someone())).code as string;
    expectFailed(await comeBack(running, "google", { ...(await logIn(other, someone())), code }, other.cookie));
  });

  test("that says it is from another issuer gets nothing", async () => {
    const away = await leave(running, "google");
    const sent = await logIn(away, someone());
    expectFailed(await comeBack(running, "google", { ...sent, iss: openId.microsoft.issuer }, away.cookie));
  });
});

describe("an id_token", () => {
  const { privateKey: otherKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const now = Math.floor(Date.now() / 1000);
  const claims = () => ({ sub: newId(), email: newEmail(), email_verified: true });
  const google = openId.google;
  /** The token endpoint answers with this id_token, made for the nonce of the journey. */
  async function answered(make: (nonce: string) => Promise<string | undefined>): Promise<Answer> {
    const away: Away = await leave(running, "google");
    const sent = await logIn(away, someone());
    const nonce = away.location.searchParams.get("nonce") as string;
    google.token = async () => ({ access_token: "x", token_type: "Bearer", id_token: await make(nonce) });
    return comeBack(running, "google", sent, away.cookie);
  }
  const unsigned = (payload: object) =>
    `${[{ alg: "none" }, payload].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".")}.`;

  test("is accepted as it should be", async () => {
    const answer = await answered((nonce) => google.idToken({ ...claims(), nonce }));
    expect(locationOf(answer)).toBe("/workspaces/new");
  });

  const forgeries: Record<string, (nonce: string) => Promise<string | undefined>> = {
    "signed with another key": (nonce) => google.idToken({ ...claims(), nonce }, otherKey),
    "with another nonce": () => google.idToken({ ...claims(), nonce: "x" }),
    "without a nonce": () => google.idToken(claims()),
    "for another client": (nonce) => google.idToken({ ...claims(), nonce, aud: "other" }),
    "of another issuer": (nonce) => google.idToken({ ...claims(), nonce, iss: openId.microsoft.issuer }),
    "that has expired": (nonce) => google.idToken({ ...claims(), nonce, iat: now - 900, exp: now - 600 }),
    "without a subject": (nonce) => google.idToken({ ...claims(), nonce, sub: undefined }),
    "that nobody signed": async (nonce) =>
      unsigned({ ...claims(), nonce, iss: google.issuer, aud: google.config.clientId, iat: now, exp: now + 300 }),
    "whose payload was changed": async (nonce) => {
      const [head, , signature] = (await google.idToken({ ...claims(), nonce })).split(".");
      const [, payload] = (await google.idToken({ ...claims(), nonce })).split(".");
      return [head, payload, signature].join(".");
    },
    "that is missing": async () => undefined,
    "that is no token": async () => "x",
  };
  for (const [what, make] of Object.entries(forgeries)) test(what, async () => expectFailed(await answered(make)));
});

describe("an address", () => {
  test("that the provider does not vouch for neither finds an account nor opens one, in the same words", async () => {
    const { owner } = await world(running);
    await running.sql("update users set email_verified_at = now(), email_proved_at = now() where id = $1", [
      owner.userId,
    ]);
    for (const email_verified of [false, undefined, null, "false", "", 0, "yes", {}])
      for (const email of [owner.email, newEmail()]) {
        const subject = openId.google.person({ email, email_verified });
        expectFailed(await signInWith(running, "google", subject), `${email_verified}`);
        expect(await accountsOf(subject)).toEqual([]);
        if (email !== owner.email) expect(await running.sql("select from users where email = $1", [email])).toEqual([]);
      }
  });

  test("that is missing or no address opens no account", async () => {
    for (const email of [undefined, "", "x", "a@b@c", `${"x".repeat(250)}@example.com`, "a\u0000@example.com", 7, {}]) {
      const subject = openId.google.person({ email: email as string, email_verified: true });
      expectFailed(await signInWith(running, "google", subject), `${email}`);
    }
  });

  test("that was given to somebody new at the provider does not open the account of the former owner", async () => {
    const email = newEmail();
    const [first, second] = [1, 2].map(() => openId.google.person({ email, email_verified: true })) as [string, string];
    expect(locationOf(await signInWith(running, "google", first))).toBe("/workspaces/new");
    expectFailed(await signInWith(running, "google", second));
    expect(locationOf(await signInWith(running, "google", first))).toBe("/workspaces/new");
  });
});
