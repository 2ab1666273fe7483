// Registration: who gets an account, under which name, with which password.
import { expect, test } from "vitest";
import { asSession, newKey, service } from "../../../test/world.ts";
import { csrfTokenOf, newId } from "../../platform/wire/ids.ts";

const running = service();
const password = "quartz-lantern-48-vellum";
const address = () => `${newId()}@example.com`;
const register = (body: object) => running.send("POST", "/auth/register", { body });
const accounts = async (email: string) => (await running.sql("select 1 from users where email = $1", [email])).length;
const secretIn = (cookies: string[]) => cookies[0]?.match(/^__Host-svc_session=([^;]+)/)?.[1] as string;

test("registering makes an unverified account without a Workspace and signs it in with both cookies", async () => {
  const email = address();
  const answer = await register({ email, password, display_name: "Ada Lovelace" });
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject({
    email,
    email_verified: false,
    display_name: "Ada Lovelace",
    timezone: "UTC",
    locale: "en",
    has_password: true,
    mfa_enabled: false,
    workspace_id: null,
    revision: "1",
    capabilities: ["workspace:create"],
  });
  const secret = secretIn(answer.cookies);
  expect(answer.cookies).toEqual([
    `__Host-svc_session=${secret}; Path=/; Secure; SameSite=Lax; HttpOnly; Max-Age=2592000`,
    `__Host-svc_csrf=${csrfTokenOf(secret)}; Path=/; Secure; SameSite=Lax; Max-Age=2592000`,
  ]);
  const person = asSession(running, secret);
  expect((await person("GET", "/me")).body).toEqual(answer.body);
  expect((await person("GET", "/workspaces")).body.items).toEqual([]);
});

test("an account-only session reads its account and reaches into no Workspace", async () => {
  const { cookies } = await register({ email: address(), password, display_name: "Ada" });
  const person = asSession(running, secretIn(cookies));
  const tokens = { name: "t", scopes: ["svc:read"] };
  expect((await person("POST", "/me/api-tokens", { body: tokens, key: newKey() })).body.code).toBe(
    "workspace_required",
  );
  expect((await person("GET", `/workspaces/${newId()}/members`)).status).toBe(404);
});

test("remember_me false gives cookies without Max-Age and a session of 48 hours, anything else 30 days", async () => {
  for (const [remember_me, hours] of [
    [false, 48],
    [true, 720],
    [undefined, 720],
  ] as const) {
    const email = address();
    const { cookies } = await register({ email, password, display_name: "Ada", remember_me });
    for (const cookie of cookies) expect(cookie.includes("Max-Age")).toBe(remember_me !== false);
    const [session] = await running.sql<{ hours: number }>(
      `select extract(epoch from c.expires_at - c.created_at)::int / 3600 as hours
       from credentials c join users u on u.id = c.user_id where u.email = $1`,
      [email],
    );
    expect(session?.hours).toBe(hours);
  }
});

test("an address is one account in whatever case it is written", async () => {
  const email = address();
  expect((await register({ email: email.toUpperCase(), password, display_name: "Ada" })).body.email).toBe(email);
  const again = await register({ email, password, display_name: "Eve" });
  expect(again.status).toBe(409);
  expect(again.body).toMatchObject({ code: "email_taken", errors: [{ pointer: "/body/email" }] });
  expect(again.cookies).toEqual([]);
});

test("of many registrations of one address at the same time exactly one succeeds", async () => {
  const email = address();
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => register({ email, password, display_name: "Ada" })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
  expect(await accounts(email)).toBe(1);
});

test("people of the same name get different usernames, also at the same time", async () => {
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => register({ email: address(), password, display_name: "Grace Hopper" })),
  );
  expect(answers.every(({ status }) => status === 201)).toBe(true);
  const usernames = answers.map(({ body }) => body.username as string);
  expect(new Set(usernames).size).toBe(12);
  for (const username of usernames) expect(username).toMatch(/^grace-hopper(?:-[a-z0-9]+)?$/);
});

test("a username is made from a name in another script by way of the address", async () => {
  const local = `emi-${newId().slice(-6)}`;
  const { body } = await register({ email: `${local}@example.com`, password, display_name: "小林 恵美" });
  expect(body.username).toBe(local);
});

test("a password has 12 to 128 characters, counted as code points and never trimmed", async () => {
  const refused = [
    "a",
    "elevenchars",
    `${"x7".repeat(64)}y`,
    "🦉".repeat(11),
    "quartz\u0000lantern",
    "\ud800quartz-lantern",
  ];
  for (const wrong of refused) {
    const answer = await register({ email: address(), password: wrong, display_name: "Ada" });
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, "/body/password"]);
  }
  for (const right of ["🦉🦊🐻🐼🐨🐯🦁🐮🐷🐸🐵🐔", "x7".repeat(64), " quartz vellum "]) {
    const email = address();
    expect((await register({ email, password: right, display_name: "Ada" })).status).toBe(201);
    const login = (sent: string) => running.send("POST", "/auth/login", { body: { email, password: sent } });
    expect((await login(right)).status).toBe(200);
    if (right.trim() !== right) expect((await login(right.trim())).status).toBe(401);
  }
});

test("a password of a megabyte is refused at once and creates nothing", async () => {
  const email = address();
  for (const [size, code] of [
    [1_000_000, "invalid_request"],
    [5_000_000, "payload_too_large"],
  ] as const) {
    const answer = await register({ email, password: "a1".repeat(size / 2), display_name: "Ada" });
    expect(answer.body.code).toBe(code);
  }
  expect(await accounts(email)).toBe(0);
});

test("a password from a known breach is refused, in any case of its letters", async () => {
  const email = address();
  for (const breached of ["123qweasdzxc", "1qaz2wsx3edc", "MotherFucker", "QWERTYQWERTY"]) {
    const answer = await register({ email, password: breached, display_name: "Ada" });
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ code: "password_breached", errors: [{ pointer: "/body/password" }] });
  }
  expect(await accounts(email)).toBe(0);
});

test("a password that is the address itself, or its first part, is refused", async () => {
  const email = address();
  for (const own of [email, email.toUpperCase(), email.split("@")[0]]) {
    const answer = await register({ email, password: own, display_name: "Ada" });
    expect([answer.status, answer.body.code]).toEqual([422, "password_breached"]);
  }
});

test("an invitation that was never issued is refused and creates nothing", async () => {
  const email = address();
  const answer = await register({ email, password, display_name: "Ada", invitation_token: "svc_inv_unknown" });
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ code: "invalid_invitation", errors: [{ pointer: "/body/invitation_token" }] });
  expect(await accounts(email)).toBe(0);
});

test("every fault of a registration is named at once", async () => {
  const answer = await register({ email: "not an address", password: "short", role: "owner" });
  expect(answer.status).toBe(400);
  const pointers = answer.body.errors.map((fault: { pointer: string }) => fault.pointer).sort();
  expect(pointers).toEqual(["/body/display_name", "/body/email", "/body/password", "/body/role"]);
});

test("the password is kept only as an Argon2id hash, and the session only as a hash of its secret", async () => {
  const email = address();
  const { cookies } = await register({ email, password, display_name: "Ada" });
  const [row] = await running.sql<{ password_hash: string; kept: string }>(
    `select u.password_hash, to_jsonb(c)::text as kept from users u join credentials c on c.user_id = u.id
      where u.email = $1`,
    [email],
  );
  expect(row?.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(row?.kept).not.toContain(secretIn(cookies));
});

test("registering is recorded for the account and costs at most five round-trips", async () => {
  const answer = await register({ email: address(), password, display_name: "Ada" });
  expect(answer.trips).toBeLessThanOrEqual(5);
  const events = await running.sql<{ type: string }>(
    "select type from domain_events where user_id = $1",
    [answer.body.id],
    "00000000-0000-0000-0000-000000000000",
  );
  expect(events.map(({ type }) => type)).toEqual(["account.registered"]);
});
