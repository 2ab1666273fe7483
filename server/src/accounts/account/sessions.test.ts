// The sessions of one's account: what they show, and ending them.
import { describe, expect, test } from "vitest";
import { password, signIn, withPassword } from "../../../test/letters.ts";
import { asSession, insertCredential, newKey, service, world } from "../../../test/world.ts";
import { newId, newSecret, sha256 } from "../../platform/wire/ids.ts";

const running = service();
const NIL = "00000000-0000-0000-0000-000000000000";
const secretIn = (cookies: string[]) => cookies[0]?.match(/^__Host-svc_session=([^;]+)/)?.[1] as string;
const cleared = [
  "__Host-svc_session=; Path=/; Secure; SameSite=Lax; HttpOnly; Max-Age=0",
  "__Host-svc_csrf=; Path=/; Secure; SameSite=Lax; Max-Age=0",
];
/** One more session of this account, as somebody else's browser. */
async function another(userId: string, workspaceId: string | null = null) {
  const secret = newSecret("ses");
  await insertCredential(running, "session", secret, userId, workspaceId, []);
  const [row] = await running.sql<{ id: string }>("select id from credentials where secret_hash = $1", [
    sha256(secret),
  ]);
  const call = asSession(running, secret);
  return { id: row?.id as string, secret, call, lives: async () => (await call("GET", "/me")).status === 200 };
}
const set = (secret: string, assignment: string) =>
  running.sql(`update credentials set ${assignment} where secret_hash = $1`, [sha256(secret)]);

test("a session shows when it began, what it was opened with and from where, and which one is asking", async () => {
  const person = await withPassword(running);
  const headers = { "user-agent": "Browser/1.0 (Test)" };
  const entered = await running.send("POST", "/auth/login", { body: { email: person.email, password }, headers });
  const call = asSession(running, secretIn(entered.cookies));
  const answer = await call("GET", "/me/sessions");
  expect(answer.trips).toBeLessThanOrEqual(2);
  const [newest, first, ...others] = answer.body.items;
  expect(others).toEqual([]);
  expect(newest).toEqual({
    id: expect.any(String),
    current: true,
    workspace_id: person.workspaceId,
    user_agent: "Browser/1.0 (Test)",
    address_prefix: "127.0.0.0/24",
    created_at: expect.any(String),
    last_used_at: newest.created_at,
    expires_at: expect.any(String),
  });
  expect(first).toMatchObject({ current: false, user_agent: null, address_prefix: null });
  const seen = (await person.call("GET", "/me/sessions")).body.items.map((each: { current: boolean }) => each.current);
  expect(seen).toEqual([false, true]);
});

test("what a browser says of itself is cut to 256 printable characters; nothing is null", async () => {
  for (const [sent, kept] of [
    ["x".repeat(256), "x".repeat(256)],
    ["x".repeat(257), "x".repeat(256)],
    ["Bröwser\t1", "Br wser 1"],
    ["\u00e9\u00e9", null],
  ] as const) {
    const body = { email: `${newId()}@example.com`, password, display_name: "Ada" };
    const { cookies } = await running.send("POST", "/auth/register", { body, headers: { "user-agent": sent } });
    const { items } = (await asSession(running, secretIn(cookies))("GET", "/me/sessions")).body;
    expect(items.map((each: { user_agent: string }) => each.user_agent)).toEqual([kept]);
  }
});

describe("behind a proxy", () => {
  const behind = service({ trustProxy: { hops: 1 } });

  test("a session shows the client's address, and not what the client says of itself", async () => {
    const { email } = await withPassword(behind);
    const headers = { "x-forwarded-for": "192.0.2.1, ::ffff:203.0.113.9" };
    const entered = await behind.send("POST", "/auth/login", { body: { email, password }, headers });
    const { body } = await asSession(behind, secretIn(entered.cookies))("GET", "/me/sessions");
    expect(body.items[0].address_prefix).toBe("203.0.113.0/24");
  });
});

test("an address is shown as its network: 24 bits of IPv4, 48 of IPv6", async () => {
  const { owner } = await world(running);
  for (const [address, prefix] of [
    ["203.0.113.77", "203.0.113.0/24"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1::/48"],
  ]) {
    await set(owner.session, `address = '${address}'`);
    expect((await owner.call("GET", "/me/sessions")).body.items[0].address_prefix).toBe(prefix);
  }
});

test("only live sessions of one's own are listed, newest first: no tokens, no dead or idle ones, nobody else's", async () => {
  const { owner, workspaceId, token } = await world(running);
  await world(running);
  await token();
  const dead = await Promise.all([1, 2, 3].map(() => another(owner.userId)));
  await set(dead[0]?.secret as string, "revoked_at = now()");
  await set(dead[1]?.secret as string, "expires_at = now()");
  await set(dead[2]?.secret as string, "last_used_at = now() - interval '7 days'");
  const live = [await another(owner.userId), await another(owner.userId, workspaceId)];
  const { items } = (await owner.call("GET", "/me/sessions")).body;
  expect(items.map(({ id }: { id: string }) => id).slice(0, 2)).toEqual([live[1]?.id, live[0]?.id]);
  expect(items).toHaveLength(3);
});

test("ending all others ends every other session and nothing else, and is recorded", async () => {
  const { owner, workspaceId, token } = await world(running);
  const { owner: stranger } = await world(running);
  const others = [await another(owner.userId), await another(owner.userId, workspaceId)];
  const native = newSecret("nat");
  await insertCredential(running, "native", native, owner.userId, null, []);
  const bearer = await token();
  const answer = await owner.call("DELETE", "/me/sessions", { key: newKey() });
  expect([answer.status, answer.cookies]).toEqual([204, []]);
  expect(answer.trips).toBeLessThanOrEqual(5);
  for (const other of others) expect(await other.lives()).toBe(false);
  expect((await owner.call("GET", "/me")).status).toBe(200);
  expect((await stranger.call("GET", "/me")).status).toBe(200);
  expect((await owner.bearer(native, "GET", "/me")).status).toBe(200);
  expect((await owner.bearer(bearer, "GET", `/workspaces/${workspaceId}/projects`)).status).toBe(200);
  const events = await running.sql<{ type: string }>(
    "select type from domain_events where user_id = $1",
    [owner.userId],
    NIL,
  );
  expect(events.map(({ type }) => type)).toEqual(["account.other_sessions_revoked"]);
});

test("one session is ended at once; ending it again is no fault and is not recorded twice", async () => {
  const { owner } = await world(running);
  const other = await another(owner.userId);
  for (let n = 0; n < 2; n++) {
    const answer = await owner.call("DELETE", `/me/sessions/${other.id}`);
    expect([answer.status, answer.cookies]).toEqual([204, []]);
    expect(await other.lives()).toBe(false);
  }
  const events = await running.sql<{ type: string }>(
    "select type from domain_events where user_id = $1",
    [owner.userId],
    NIL,
  );
  expect(events.map(({ type }) => type)).toEqual(["account.session_revoked"]);
});

test("ending the current session clears both cookies", async () => {
  const { owner } = await world(running);
  const [{ id }] = (await owner.call("GET", "/me/sessions")).body.items;
  const answer = await owner.call("DELETE", `/me/sessions/${id}`);
  expect([answer.status, answer.cookies]).toEqual([204, cleared]);
  expect((await owner.call("GET", "/me")).status).toBe(401);
});

test("somebody else's session, a token of one's own and one that never was are the same 404", async () => {
  const [{ owner, token }, { owner: stranger }] = [await world(running), await world(running)];
  const foreign = await another(stranger.userId);
  await token();
  const [own] = await running.sql<{ id: string }>(
    "select id from credentials where user_id = $1 and kind = 'personal'",
    [owner.userId],
  );
  const headers = { "x-correlation-id": "same-for-all" };
  const answers = await Promise.all(
    [foreign.id, own?.id, newId()].map((id) => owner.call("DELETE", `/me/sessions/${id}`, { headers })),
  );
  for (const answer of answers) expect([answer.status, answer.text]).toEqual([404, answers[0]?.text]);
  expect(await foreign.lives()).toBe(true);
});

test("no sign-in takes over a session that was planted in the browser", async () => {
  const [attacker, victim] = [await withPassword(running), await withPassword(running)];
  const headers = { cookie: `__Host-svc_session=${attacker.session}` };
  const body = { email: victim.email, password };
  const entered = await running.send("POST", "/auth/login", { body, headers });
  const registered = await running.send("POST", "/auth/register", {
    body: { email: `${newId()}@example.com`, password, display_name: "Ada" },
    headers,
  });
  for (const { cookies } of [entered, registered]) expect(secretIn(cookies)).not.toBe(attacker.session);
  expect((await attacker.call("GET", "/me")).body.id).toBe(attacker.userId);
  expect((await signIn(running, victim.email)).status).toBe(200);
});
