// Signing in with a password: one answer for every failure, a new session every time, in the right Workspace.
import { expect, test } from "vitest";
import { overlapping } from "../../../test/overlap.ts";
import { asSession, service, sessionHeaders, type TestService, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";
import { defaultRates } from "../../platform/wire/limits/rate-limit.ts";
import { insertMember } from "../workspaces/store.ts";
import { hashPassword } from "./passwords/password.ts";

const running = service();
const limited = service({ rateLimits: { ...defaultRates, sign_in: { requests: 3, seconds: 3600 } } });
const password = "quartz-lantern-48-vellum";
const hash = hashPassword(password);
const login = (body: object, headers = {}) => running.send("POST", "/auth/login", { body, headers });
const secretIn = (cookies: string[]) => cookies[0]?.match(/^__Host-svc_session=([^;]+)/)?.[1] as string;

/** The owner of a new Workspace, with a password. */
async function owner(of: TestService = running) {
  const made = await world(of);
  await of.sql("update users set password_hash = $2 where id = $1", [made.owner.userId, await hash]);
  return { ...made, email: made.owner.email, userId: made.owner.userId };
}
async function join(userId: string, workspaceId: string, role = "member") {
  await running.database.writer.use(async (tx) => {
    await tx.begin();
    await tx.rows("select set_config('svc.workspace', $1, true)", [workspaceId]);
    await insertMember(tx, workspaceId, newId(), userId, role);
    await tx.commit();
  });
}

test("the right password answers with the account and both cookies, in the account's Workspace", async () => {
  const { email, workspaceId, userId } = await owner();
  const answer = await login({ email, password });
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({
    id: userId,
    email,
    workspace_id: workspaceId,
    capabilities: ["api_token:create"],
  });
  expect(answer.cookies).toHaveLength(2);
  const person = asSession(running, secretIn(answer.cookies));
  expect((await person("GET", `/workspaces/${workspaceId}/members`)).status).toBe(200);
});

test("the address may be written in any case and with spaces around it", async () => {
  const { email } = await owner();
  expect((await login({ email: ` ${email.toUpperCase()} `, password })).status).toBe(200);
});

test("the same characters in another Unicode form are the same password", async () => {
  const { email, userId } = await owner();
  const composed = "Zürich-café-naïve";
  await running.sql("update users set password_hash = $2 where id = $1", [userId, await hashPassword(composed)]);
  expect((await login({ email, password: composed.normalize("NFD") })).status).toBe(200);
});

test("every failure is the same 401: unknown address, wrong password, no password, not even an address", async () => {
  const { email } = await owner();
  const { owner: without } = await world(running);
  const headers = { "x-correlation-id": "same-for-all" };
  const failures = [
    { email: `${newId()}@example.com`, password },
    { email, password: "quartz-lantern-48-velluM" },
    { email, password: ` ${password}` },
    { email, password: "" },
    { email: without.email, password },
    { email: "", password },
    { email: "not an address", password: "\ud800" },
  ];
  const answers = await Promise.all(failures.map((body) => login(body, headers)));
  const [first] = answers;
  expect(first?.status).toBe(401);
  expect(first?.body.code).toBe("invalid_credentials");
  for (const answer of answers) {
    expect(answer.text).toBe(first?.text);
    const shown = ({ headers }: typeof answer) => [...headers].filter(([name]) => name !== "date");
    expect(shown(answer)).toEqual(shown(first as typeof answer));
    expect(answer.cookies).toEqual([]);
  }
});

test("what no account can have is a failure like any other: too long a password, too long or odd an address", async () => {
  const { email } = await owner();
  const headers = { "x-correlation-id": "same-for-all" };
  const wrong = await login({ email, password: "quartz-lantern-48-velluM" }, headers);
  for (const body of [
    { email, password: "x".repeat(129) },
    { email, password: "x".repeat(1025) },
    { email, password: password.padEnd(1_000_000, "x") },
    { email: "x".repeat(255), password },
    { email: `${"x".repeat(1_000_000)}@example.com`, password },
    { email: "a\u0000@example.com", password },
    { email: `${email}\n`.repeat(3), password },
    { email: "\ud800@example.com", password },
  ]) {
    const answer = await login(body, headers);
    expect([answer.status, answer.text]).toEqual([401, wrong.text]);
    expect(answer.trips).toBe(wrong.trips);
    const native = await running.send("POST", "/mobile/auth/login", { body, headers });
    expect([native.status, native.text]).toEqual([401, wrong.text]);
  }
});

test("what cannot be a sign-in at all is a 400 that names the field, whoever it names", async () => {
  const { email } = await owner();
  const cases = [
    [{ email: 7, password }, "/body/email"],
    [{ email, password, remember_me: "yes" }, "/body/remember_me"],
    [{ email }, "/body/password"],
  ] as const;
  for (const [body, pointer] of cases) {
    const answer = await login(body);
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, pointer]);
  }
});

test("each sign-in starts a session of its own; one that was presented is neither reused nor ended", async () => {
  const { email, owner: person } = await owner();
  const first = await login({ email, password }, sessionHeaders(person.session));
  const second = await login({ email, password }, sessionHeaders(secretIn(first.cookies)));
  const secrets = [person.session, secretIn(first.cookies), secretIn(second.cookies)];
  expect(new Set(secrets).size).toBe(3);
  for (const secret of secrets) expect((await asSession(running, secret)("GET", "/me")).status).toBe(200);
});

test("a bad bearer or a dead session beside it does not keep anybody from signing in", async () => {
  const { email } = await owner();
  expect((await login({ email, password }, { authorization: "Bearer nonsense" })).status).toBe(200);
  expect((await login({ email, password }, { cookie: "__Host-svc_session=nonsense" })).status).toBe(200);
});

test("remember_me false gives cookies that end with the browser", async () => {
  const { email } = await owner();
  const forgotten = await login({ email, password, remember_me: false });
  const secret = secretIn(forgotten.cookies);
  expect(forgotten.cookies[0]).toBe(`__Host-svc_session=${secret}; Path=/; Secure; SameSite=Lax; HttpOnly`);
  expect(forgotten.cookies[1]).toMatch(/^__Host-svc_csrf=[\w-]{43}; Path=\/; Secure; SameSite=Lax$/);
  for (const cookie of (await login({ email, password })).cookies) expect(cookie).toMatch(/; Max-Age=2592000$/);
});

test("signing in leads to the Workspace entered last, else to the oldest, and never to one that is closed to the account", async () => {
  const first = await owner();
  const second = await world(running);
  await join(first.userId, second.workspaceId);
  const leads = async () => (await login({ email: first.email, password })).body.workspace_id;
  expect(await leads()).toBe(first.workspaceId);
  await first.owner.call("PUT", "/auth/session/workspace", { body: { workspace_id: second.workspaceId } });
  expect(await leads()).toBe(second.workspaceId);
  const suspend = "update memberships set state = 'suspended' where user_id = $1 and workspace_id = $2";
  await running.sql(suspend, [first.userId, second.workspaceId]);
  expect(await leads()).toBe(first.workspaceId);
  await running.sql("update workspaces set archived_at = now() where id = $1", [first.workspaceId]);
  expect(await leads()).toBeNull();
});

test("a session whose password was changed while it signed in does not come to be", async () => {
  const { email, userId } = await owner();
  const other = await hashPassword("another-lantern-77-quill");
  const change = "update users set password_hash = $2 where id = $1";
  const answer = await overlapping(running, [change, userId, other], 1, () => login({ email, password }));
  expect([answer.status, answer.body.code]).toEqual([401, "invalid_credentials"]);
});

test("signing in is recorded for the account and costs at most five round-trips", async () => {
  const { email, userId } = await owner();
  const answer = await login({ email, password });
  expect(answer.trips).toBeLessThanOrEqual(5);
  const events = await running.sql<{ type: string }>(
    "select type from domain_events where user_id = $1",
    [userId],
    "00000000-0000-0000-0000-000000000000",
  );
  expect(events.map(({ type }) => type)).toEqual(["account.signed_in"]);
});

test("an address that tries too often has to wait, whichever account it tries", async () => {
  const tries = [];
  for (let n = 0; n < 4; n++)
    tries.push(await limited.send("POST", "/auth/login", { body: { email: `${newId()}@example.com`, password } }));
  expect(tries.map(({ status }) => status)).toEqual([401, 401, 401, 429]);
  expect(Number(tries[3]?.headers.get("retry-after"))).toBeGreaterThan(0);
});
