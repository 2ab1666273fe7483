// Changing one's password: what it asks for, what it ends, and what it leaves.
import { expect, test } from "vitest";
import { everyKind, many, NONE_LIVE, ONLY_TOKENS, password, signIn, withPassword } from "../../../test/letters.ts";
import { lettersTo } from "../../../test/mailbox.ts";
import { overlapping } from "../../../test/overlap.ts";
import { age, holding } from "../../../test/recency.ts";
import { asSession, newKey, service, sessionHeaders, world } from "../../../test/world.ts";
import { newSecret, sha256 } from "../../platform/wire/ids.ts";
import { defaultRates } from "../../platform/wire/limits/rate-limit.ts";

const running = service();
const limited = service({ rateLimits: { ...defaultRates, password: { requests: 3, seconds: 3600 } } });
const next = "vellum-lantern-48-quartz";
const NIL = "00000000-0000-0000-0000-000000000000";
const change = (person: { call: ReturnType<typeof asSession> }, current_password = password, new_password = next) =>
  person.call("POST", "/auth/password/change", { body: { current_password, new_password } });
const eventsOf = async (userId: string) =>
  (
    await running.sql<{ type: string }>("select type from domain_events where user_id = $1 order by id", [userId], NIL)
  ).map(({ type }) => type);

test("changing the password keeps this session, ends the others and every grant, and tells the owner", async () => {
  const person = await withPassword(running);
  const kinds = await everyKind(running, person);
  const answer = await change(person);
  expect([answer.status, answer.cookies.length]).toEqual([204, 2]);
  expect(await kinds.live()).toEqual(ONLY_TOKENS);
  expect((await holding(running, person, answer).call("GET", "/me")).status).toBe(200);
  expect((await signIn(running, person.email)).status).toBe(401);
  expect((await signIn(running, person.email, next)).status).toBe(200);
  const letters = await lettersTo(running, person.email);
  expect(letters.map(({ subject }) => subject)).toEqual(["Your password was changed"]);
  expect(letters[0]?.text).toContain("API tokens still work");
  expect(await eventsOf(person.userId)).toContain("account.password_changed");
  expect(answer.trips).toBeLessThanOrEqual(5);
});

test("this session gets a new secret: whoever stole the old cookie is out, and clears nobody's new one", async () => {
  const person = await withPassword(running);
  const idOf = async (of: { call: typeof person.call }) =>
    (await of.call("GET", "/me/sessions")).body.items.find(({ current }: { current: boolean }) => current).id;
  const before = await idOf(person);
  const answer = await change(person);
  const owner = holding(running, person, answer);
  expect(owner.session).not.toBe(person.session);
  for (const [method, path] of [
    ["GET", "/me"],
    ["POST", "/auth/logout"],
    ["PUT", "/auth/session/workspace"],
  ] as const) {
    const body = method === "PUT" ? { workspace_id: person.workspaceId } : undefined;
    const late = await person.call(method, path, { body });
    expect([late.status, late.body.code, late.cookies]).toEqual([401, "authentication_required", []]);
  }
  expect(await idOf(owner), "the same session").toBe(before);
  expect(answer.cookies.every((cookie) => cookie.includes("; Max-Age="))).toBe(true);
});

test("a change of the password is no proof for what asks for a recent one: a second factor is not gone around", async () => {
  const person = await withPassword(running);
  await age(running, person.userId);
  const owner = holding(running, person, await change(person));
  const body = { name: "t", scopes: ["svc:read"] };
  const refused = await owner.call("POST", "/me/api-tokens", { body, key: newKey() });
  expect([refused.status, refused.body.code]).toEqual([403, "recent_authentication_required"]);
});

test("a session that was moved while its password was changed changes nothing", async () => {
  const person = await withPassword(running);
  const rotate = "update credentials set secret_hash = $2 where secret_hash = $1";
  const answer = await overlapping(running, [rotate, sha256(person.session), sha256(newSecret("ses"))], 1, () =>
    change(person),
  );
  expect([answer.status, answer.body.code, answer.cookies]).toEqual([401, "authentication_required", []]);
  expect((await signIn(running, person.email)).status).toBe(200);
});

test("who asks for it has the API tokens revoked as well, and is told; anything but true or false is refused", async () => {
  const person = await withPassword(running);
  const kinds = await everyKind(running, person);
  const asking = (revoke_api_tokens: unknown, current_password = password) =>
    person.call("POST", "/auth/password/change", {
      body: { current_password, new_password: next, revoke_api_tokens },
    });
  for (const wrong of ["true", 1, null, {}]) expect((await asking(wrong)).status).toBe(400);
  expect((await asking(true, "wrong")).status).toBe(401);
  expect((await kinds.live()).personal).toBe(200);
  const answer = await asking(true);
  expect(answer.status).toBe(204);
  expect(await kinds.live()).toEqual(NONE_LIVE);
  expect((await holding(running, person, answer).call("GET", "/me")).status).toBe(200);
  expect((await lettersTo(running, person.email)).at(-1)?.text).toContain("Your API tokens were revoked");
});

test("a wrong current password is 401 and changes nothing; an account without a password is 409", async () => {
  const person = await withPassword(running);
  for (const wrong of ["", ` ${password}`, next, "\ud800", password.padEnd(1025, "x")]) {
    const answer = await change(person, wrong);
    expect([answer.status, answer.body.code, answer.cookies]).toEqual([401, "invalid_credentials", []]);
  }
  expect((await signIn(running, person.email)).status).toBe(200);
  const { owner } = await world(running);
  const none = await change(owner, "");
  expect([none.status, none.body.code]).toEqual([409, "password_not_set"]);
});

test("wrong current passwords are limited for the account, and a new secret of the session brings no new attempts", async () => {
  const person = await withPassword(limited);
  const attempt = (call = person.call) =>
    call("POST", "/auth/password/change", { body: { current_password: "wrong", new_password: next } });
  const statuses = [];
  for (let n = 0; n < 3; n++) statuses.push((await attempt()).status);
  const moved = await person.call("PUT", "/auth/session/workspace", { body: { workspace_id: person.workspaceId } });
  const secret = moved.cookies[0]?.match(/^__Host-svc_session=([^;]+)/)?.[1] as string;
  const last = await attempt(asSession(limited, secret));
  expect([...statuses, last.status]).toEqual([401, 401, 401, 429]);
  expect(Number(last.headers.get("retry-after"))).toBeGreaterThan(0);
});

test("the new password is held to the rules of registering", async () => {
  const person = await withPassword(running);
  for (const [wrong, status] of [
    ["elevenchars", 400],
    [`${"x7".repeat(64)}y`, 400],
    ["123qweasdzxc", 422],
    [person.email, 422],
  ] as const) {
    const answer = await change(person, password, wrong);
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([status, "/body/new_password"]);
  }
  expect((await change(person, password, "x7".repeat(64))).status).toBe(204);
});

test("of many changes from the same password exactly one wins", async () => {
  const person = await withPassword(running);
  const answers = await many(8, (at) => change(person, password, `vellum-lantern-${at}-quartz`));
  expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array(7).fill(401)]);
});

test("a key is not read, as cookies are never replayed: whoever repeats it with the old cookie is not signed in", async () => {
  const person = await withPassword(running);
  const body = { current_password: password, new_password: next };
  const key = newKey();
  const first = await person.call("POST", "/auth/password/change", { body, key });
  const second = await person.call("POST", "/auth/password/change", { body, key });
  const third = await holding(running, person, first).call("POST", "/auth/password/change", { body, key });
  expect([first, second, third].map(({ status }) => status)).toEqual([204, 401, 401]);
  expect([second.body.code, third.body.code]).toEqual(["authentication_required", "invalid_credentials"]);
  expect(await lettersTo(running, person.email)).toHaveLength(1);
  const [row] = await running.sql<{ rows: number }>(
    "select count(*)::int as rows from idempotency_keys where principal_id = $1",
    [person.userId],
    NIL,
  );
  expect(row?.rows, "nothing is kept by which passwords could be tried").toBe(0);
});

test("a planted pair of cookies changes nobody's password", async () => {
  const [victim, attacker] = [await withPassword(running), await withPassword(running)];
  const planted = sessionHeaders(attacker.session);
  const cookie = `__Host-svc_session=${victim.session}; ${planted.cookie.split("; ")[1]}`;
  const headers = { cookie, "x-csrf-token": planted["x-csrf-token"] };
  const answer = await running.send("POST", "/auth/password/change", {
    body: { current_password: password, new_password: next },
    headers,
  });
  expect([answer.status, answer.body.code]).toEqual([403, "invalid_csrf_token"]);
  expect((await signIn(running, victim.email)).status).toBe(200);
});
