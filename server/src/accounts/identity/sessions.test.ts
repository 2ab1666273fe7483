// The browser session: its lifetimes, its CSRF token, leaving it, and moving it to another Workspace.
import { expect, test } from "vitest";
import { overlapping } from "../../../test/overlap.ts";
import { asSession, insertCredential, service, sessionHeaders, world } from "../../../test/world.ts";
import { csrfTokenOf, newId, newSecret, sha256 } from "../../platform/wire/ids.ts";
import { insertMember } from "../workspaces/store.ts";

const running = service();
const cleared = [
  "__Host-svc_session=; Path=/; Secure; SameSite=Lax; HttpOnly; Max-Age=0",
  "__Host-svc_csrf=; Path=/; Secure; SameSite=Lax; Max-Age=0",
];
const secretIn = (cookies: string[]) => cookies[0]?.match(/^__Host-svc_session=([^;]+)/)?.[1] as string;
const set = (session: string, assignment: string) =>
  running.sql(`update credentials set ${assignment} where secret_hash = $1`, [sha256(session)]);

/** Somebody who belongs to two Workspaces, with a session in the first. */
async function twoWorkspaces(role = "member") {
  const [here, there] = [await world(running), await world(running)];
  await running.database.writer.use(async (tx) => {
    await tx.begin();
    await tx.rows("select set_config('svc.workspace', $1, true)", [there.workspaceId]);
    await insertMember(tx, there.workspaceId, newId(), here.owner.userId, role);
    await tx.commit();
  });
  return { here: here.workspaceId, there: there.workspaceId, person: here.owner };
}
const enter = (call: ReturnType<typeof asSession>, workspace_id: string) =>
  call("PUT", "/auth/session/workspace", { body: { workspace_id } });

test("a session that has expired, was revoked or stood idle for 7 days answers 401 and clears both cookies", async () => {
  for (const end of [
    "expires_at = now()",
    "revoked_at = now()",
    "last_used_at = now() - interval '7 days'",
    "last_used_at = null, created_at = now() - interval '7 days'",
  ]) {
    const { owner } = await world(running);
    await set(owner.session, end);
    for (const [method, path] of [
      ["GET", "/me"],
      ["POST", "/auth/logout"],
    ] as const) {
      const answer = await owner.call(method, path);
      expect([answer.status, answer.body.code], end).toEqual([401, "authentication_required"]);
      expect(answer.cookies).toEqual(cleared);
    }
  }
});

test("a session used within 7 days goes on, up to its 30 days", async () => {
  const { owner } = await world(running);
  await set(
    owner.session,
    "created_at = now() - interval '29 days', last_used_at = now() - interval '6 days 23 hours'",
  );
  expect((await owner.call("GET", "/me")).status).toBe(200);
});

test("a cookie that is no session secret is 401 and cleared; one that nobody has any more is 401 and stays; none at all is 401", async () => {
  const malformed = await running.send("GET", "/me", { headers: { cookie: "__Host-svc_session=guess" } });
  expect([malformed.status, malformed.cookies]).toEqual([401, cleared]);
  const unknown = await running.send("GET", "/me", { headers: sessionHeaders(newSecret("ses")) });
  expect([unknown.status, unknown.body.code, unknown.cookies]).toEqual([401, "authentication_required", []]);
  const none = await running.send("GET", "/me");
  expect([none.status, none.body.code, none.cookies]).toEqual([401, "authentication_required", []]);
});

test("the CSRF token is read again from the session, and needed by every write of a session", async () => {
  const { owner } = await world(running);
  const { body } = await owner.call("GET", "/auth/csrf");
  expect(body).toEqual({ csrf_token: csrfTokenOf(owner.session) });
  const cookie = `__Host-svc_session=${owner.session}`;
  const foreign = csrfTokenOf(newSecret("ses"));
  for (const headers of [
    { cookie },
    { cookie, "x-csrf-token": "" },
    { cookie, "x-csrf-token": foreign },
    { cookie: `${cookie}; __Host-svc_csrf=${foreign}`, "x-csrf-token": foreign },
    { cookie: `${cookie}; __Host-svc_csrf=${foreign}`, "x-csrf-token": body.csrf_token },
  ]) {
    const answer = await running.send("POST", "/auth/logout", { headers: headers as Record<string, string> });
    expect([answer.status, answer.body.code]).toEqual([403, "invalid_csrf_token"]);
  }
  expect((await owner.call("GET", "/me")).status).toBe(200);
});

test("signing out ends this session and no other, and clears both cookies", async () => {
  const { owner, workspaceId } = await world(running);
  const other = newSecret("ses");
  await insertCredential(running, "session", other, owner.userId, workspaceId, []);
  const answer = await owner.call("POST", "/auth/logout");
  expect([answer.status, answer.cookies]).toEqual([204, cleared]);
  expect((await owner.call("GET", "/me")).status).toBe(401);
  expect((await asSession(running, other)("GET", "/me")).status).toBe(200);
});

test("switching the Workspace replaces both cookies; the old secret is dead at once and the new session reaches the new Workspace only", async () => {
  const { here, there, person } = await twoWorkspaces();
  const answer = await enter(person.call, there);
  expect(answer.status).toBe(204);
  const secret = secretIn(answer.cookies);
  expect(secret).not.toBe(person.session);
  expect(answer.cookies[0]).toMatch(/; Path=\/; Secure; SameSite=Lax; HttpOnly; Max-Age=\d+$/);
  expect(answer.cookies[1]).toMatch(
    new RegExp(`^__Host-svc_csrf=${csrfTokenOf(secret)}; Path=/; Secure; SameSite=Lax; Max-Age=`),
  );
  const moved = asSession(running, secret);
  expect((await moved("GET", "/me")).body.workspace_id).toBe(there);
  expect((await moved("GET", `/workspaces/${there}/members`)).status).toBe(200);
  expect((await moved("GET", `/workspaces/${here}/members`)).status).toBe(404);
});

test("a late request with a secret that was rotated away is 401 and leaves the new cookies alone, reads and writes, after one switch and after three", async () => {
  const { here, there, person } = await twoWorkspaces();
  let secret = person.session;
  const former: string[] = [];
  for (const workspace of [there, here, there]) {
    former.push(secret);
    secret = secretIn((await enter(asSession(running, secret), workspace)).cookies);
    for (const late of former) {
      for (const [method, path] of [
        ["GET", "/me"],
        ["GET", `/workspaces/${here}/members`],
        ["POST", "/auth/logout"],
        ["POST", "/auth/mfa/totp/setup"],
      ] as const) {
        const answer = await asSession(running, late)(method, path);
        expect([answer.status, answer.body.code, answer.cookies]).toEqual([401, "authentication_required", []]);
      }
    }
  }
  expect((await asSession(running, secret)("GET", "/me")).body.workspace_id).toBe(there);
});

test("a browser with six reads under way stays signed in, however often it switches", async () => {
  const { here, there, person } = await twoWorkspaces();
  // As a browser keeps them: whatever answer comes last decides.
  let jar = person.session;
  const keep = ({ cookies }: { cookies: string[] }) => {
    if (cookies.length > 0) jar = secretIn(cookies) ?? "";
  };
  for (let round = 0; round < 20; round++) {
    const call = asSession(running, jar);
    const reads = ["/me", "/me/sessions", "/workspaces", "/me", `/workspaces/${here}/members`, "/auth/csrf"];
    await Promise.all([
      ...reads.slice(0, 3).map((path) => call("GET", path).then(keep)),
      enter(call, round % 2 === 0 ? there : here).then(keep),
      ...reads.slice(3).map((path) => call("GET", path).then(keep)),
    ]);
    expect((await asSession(running, jar)("GET", "/me")).status, `round ${round}`).toBe(200);
  }
});

test("a switch keeps the age of the session, and whether it is remembered", async () => {
  const { here, there, person } = await twoWorkspaces();
  await set(person.session, "expires_at = now() + interval '10 days'");
  const remembered = await enter(person.call, there);
  const maxAge = Number(/Max-Age=(\d+)/.exec(remembered.cookies[0] as string)?.[1]);
  expect(maxAge).toBeGreaterThan(10 * 86_400 - 60);
  expect(maxAge).toBeLessThanOrEqual(10 * 86_400);
  const secret = secretIn(remembered.cookies);
  await set(secret, "remembered = false, authenticated_at = now() - interval '1 hour'");
  const forgotten = await enter(asSession(running, secret), here);
  for (const cookie of forgotten.cookies) expect(cookie).not.toContain("Max-Age");
  const [row] = await running.sql<{ stale: boolean }>(
    "select authenticated_at < now() - interval '59 minutes' as stale from credentials where secret_hash = $1",
    [sha256(secretIn(forgotten.cookies))],
  );
  expect(row?.stale).toBe(true);
});

test("a Workspace that the account cannot enter is 403, whyever, and leaves the session as it is", async () => {
  const { here, there, person } = await twoWorkspaces();
  const foreign = await world(running);
  const answers = [await enter(person.call, newId()), await enter(person.call, foreign.workspaceId)];
  for (const state of ["suspended", "removed", "left", "invited"]) {
    await running.sql("update memberships set state = $3 where user_id = $1 and workspace_id = $2", [
      person.userId,
      there,
      state,
    ]);
    answers.push(await enter(person.call, there));
  }
  await running.sql(
    "update memberships set state = 'active', role = 'owner' where user_id = $1 and workspace_id = $2",
    [person.userId, there],
  );
  await running.sql("update workspaces set archived_at = now() where id = $1", [there]);
  answers.push(await enter(person.call, there));
  for (const answer of answers) {
    expect([answer.status, answer.body.code, answer.cookies]).toEqual([403, "workspace_access_denied", []]);
    expect({ ...answer.body, correlation_id: "" }).toEqual({ ...answers[0]?.body, correlation_id: "" });
  }
  expect((await person.call("GET", "/me")).body.workspace_id).toBe(here);
});

test("of many switches with one secret exactly one succeeds, and one session is left", async () => {
  const { there, person } = await twoWorkspaces();
  const hold = "select from credentials where secret_hash = $1 for update";
  const answers = await overlapping(running, [hold, sha256(person.session)], 5, () =>
    Promise.all(Array.from({ length: 10 }, () => enter(person.call, there))),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array(9).fill(401)]);
  const live = await running.sql("select 1 from credentials where user_id = $1 and revoked_at is null", [
    person.userId,
  ]);
  expect(live).toHaveLength(1);
});

test("no bearer can sign out, read a CSRF token or switch a Workspace", async () => {
  const { owner, token, workspaceId } = await world(running);
  const native = newSecret("nat");
  await insertCredential(running, "native", native, owner.userId, workspaceId, []);
  for (const bearer of [await token(), native]) {
    for (const [method, path, body] of [
      ["POST", "/auth/logout"],
      ["GET", "/auth/csrf"],
      ["PUT", "/auth/session/workspace", { workspace_id: workspaceId }],
    ] as const) {
      const answer = await owner.bearer(bearer, method, path, { body });
      expect([answer.status, answer.body.code]).toEqual([403, "credential_kind_not_allowed"]);
    }
  }
});

test("a switch and a sign-out are recorded, each within five round-trips", async () => {
  const { there, person } = await twoWorkspaces();
  const switched = await enter(person.call, there);
  const left = await asSession(running, secretIn(switched.cookies))("POST", "/auth/logout");
  expect([switched.trips, left.trips].every((trips) => trips > 0 && trips <= 5)).toBe(true);
  const events = await running.sql<{ type: string }>(
    "select type from domain_events where user_id = $1 order by id",
    [person.userId],
    "00000000-0000-0000-0000-000000000000",
  );
  expect(events.map(({ type }) => type)).toEqual(["account.session_workspace_changed", "account.signed_out"]);
});
