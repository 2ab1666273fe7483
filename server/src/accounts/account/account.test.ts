// One's own account.
import { expect, test } from "vitest";
import { refreshRequest, sendForm } from "../../../test/native.ts";
import { asSession, insertCredential, newKey, service, world } from "../../../test/world.ts";
import { newId, newSecret } from "../../platform/wire/ids.ts";
import { hashPassword } from "../identity/passwords/password.ts";

const running = service();

test("an account shows its own person, the session's Workspace and an ETag, in one round-trip", async () => {
  const { owner, workspaceId } = await world(running);
  const answer = await owner.call("GET", "/me");
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({
    id: owner.userId,
    email: owner.email,
    workspace_id: workspaceId,
    has_password: false,
  });
  expect(answer.headers.get("etag")).toBe('"1"');
  expect(answer.trips).toBe(1);
});

const inWorkspace = ({
  workspace_id,
  membership_id,
  actor_id,
  role,
  workspace_capabilities,
}: Record<string, unknown>) => ({
  workspace_id,
  membership_id,
  actor_id,
  role,
  workspace_capabilities,
});
const NOWHERE = { workspace_id: null, membership_id: null, actor_id: null, role: null, workspace_capabilities: null };
const viewing = ["workspace:read", "work:read", "documents:read", "time:read", "knowledge:read", "agents:read"];

test("an account says who its person is in the session's Workspace: membership, Actor, role and what the role permits", async () => {
  const { member, workspaceId } = await world(running);
  const viewer = await member("viewer");
  const [{ id } = { id: "" }] = await running.sql<{ id: string }>("select id from memberships where user_id = $1", [
    viewer.userId,
  ]);
  const { body } = await viewer.call("GET", "/me");
  const standing = { membership_id: id, actor_id: viewer.actorId, role: "viewer", workspace_capabilities: viewing };
  expect(inWorkspace(body)).toEqual({ workspace_id: workspaceId, ...standing });
  const changed = await viewer.call("PATCH", "/me", { body: { display_name: "Ada" } });
  expect(inWorkspace(changed.body)).toEqual(inWorkspace(body));
  await running.sql("update memberships set role = 'member' where id = $1", [id]);
  expect((await viewer.call("GET", "/me")).body).toMatchObject({
    role: "member",
    workspace_capabilities: expect.arrayContaining(["work:write"]),
  });
  await running.sql("update memberships set state = 'suspended' where id = $1", [id]);
  expect(inWorkspace((await viewer.call("GET", "/me")).body)).toEqual({ ...NOWHERE, workspace_id: workspaceId });
});

test("a session that is in no Workspace is nobody anywhere, whatever its header names", async () => {
  const { owner, workspaceId } = await world(running);
  const other = await world(running);
  const homeless = newSecret("ses");
  await insertCredential(running, "session", homeless, owner.userId, null, []);
  expect(inWorkspace((await asSession(running, homeless)("GET", "/me")).body)).toEqual(NOWHERE);
  const headers = { "x-svc-workspace-id": other.workspaceId };
  expect((await owner.call("GET", "/me", { headers })).body).toMatchObject({
    workspace_id: workspaceId,
    role: "owner",
  });
});

test("a native client names its Workspace, and learns nothing of one that is not its person's", async () => {
  const [home, other] = [await world(running), await world(running)];
  const viewer = await home.member("viewer");
  const native = newSecret("nat");
  await insertCredential(running, "native", native, viewer.userId, null, []);
  const read = (workspaceId?: string, method = "GET") =>
    viewer.bearer(native, method, "/me", {
      headers: workspaceId === undefined ? {} : { "x-svc-workspace-id": workspaceId },
      ...(method === "PATCH" ? { body: { week_start: "sunday" } } : {}),
    });
  for (const method of ["GET", "PATCH"]) {
    const named = await read(home.workspaceId, method);
    expect(named.body).toMatchObject({ workspace_id: home.workspaceId, actor_id: viewer.actorId, role: "viewer" });
    expect(named.body.workspace_capabilities).toContain("work:read");
    // Time is nothing that a native client reads.
    expect(named.body.workspace_capabilities).not.toContain("knowledge:read");
    for (const nobodys of [undefined, other.workspaceId, newId()])
      expect(inWorkspace((await read(nobodys, method)).body), `${method} ${nobodys}`).toEqual(NOWHERE);
  }
  expect((await read(home.workspaceId)).trips).toBe(1);
  const malformed = await read("mine");
  expect([malformed.status, malformed.body.errors[0].pointer]).toEqual([400, "/headers/x-svc-workspace-id"]);
});

test("signing in answers with who one is in the Workspace that one enters", async () => {
  const { owner, workspaceId } = await world(running);
  const { body } = await owner.call("GET", "/me");
  expect(body.workspace_capabilities).toContain("workspace:archive");
  await running.sql("update users set password_hash = $2, last_workspace_id = $3 where id = $1", [
    ...[owner.userId, await hashPassword("quartz-lantern-48-vellum"), workspaceId],
  ]);
  const entered = await running.send("POST", "/auth/login", {
    body: { email: owner.email, password: "quartz-lantern-48-vellum" },
  });
  expect(inWorkspace(entered.body)).toEqual(inWorkspace(body));
});

test("the capabilities say whether a Workspace can be created and a token issued now", async () => {
  const { owner, member } = await world(running);
  expect((await owner.call("GET", "/me")).body.capabilities).toEqual(["api_token:create"]);
  const guest = await member("viewer");
  expect((await guest.call("GET", "/me")).body.capabilities).toEqual(["workspace:create", "api_token:create"]);
  await running.sql("update memberships set state = 'suspended' where user_id = $1", [guest.userId]);
  expect((await guest.call("GET", "/me")).body.capabilities).toEqual(["workspace:create"]);
});

test("a native client reads the account, a personal or developer token does not", async () => {
  const { owner, workspaceId, token } = await world(running);
  const native = newSecret("nat");
  await insertCredential(running, "native", native, owner.userId, workspaceId, []);
  const answer = await owner.bearer(native, "GET", "/me");
  expect(answer.body).toMatchObject({ id: owner.userId, workspace_id: workspaceId, capabilities: [] });
  const developer = newSecret("dat");
  await insertCredential(running, "developer", developer, owner.userId, workspaceId, ["svc:read"]);
  for (const bearer of [await token(), developer]) {
    const refused = await owner.bearer(bearer, "GET", "/me");
    expect([refused.status, refused.body.code]).toEqual([403, "credential_kind_not_allowed"]);
  }
});

test("an account changes its name, username, timezone, locale and start of the week, and nothing that was left out", async () => {
  const { owner } = await world(running);
  const before = (await owner.call("GET", "/me")).body;
  const username = `ada-${newId().slice(-12)}`;
  const first = {
    display_name: "Ada Lovelace",
    username,
    timezone: "Europe/London",
    locale: "de-ch",
    week_start: "sunday",
  };
  const answer = await owner.call("PATCH", "/me", { body: first, ifMatch: "1", key: newKey() });
  expect(answer.status).toBe(200);
  expect(answer.trips).toBeLessThanOrEqual(5);
  const changed = { ...first, locale: "de-CH", interface_language: "de-CH", revision: "2" };
  expect(answer.body).toEqual({ ...before, ...changed, updated_at: answer.body.updated_at });
  const second = (await owner.call("PATCH", "/me", { body: { week_start: "saturday" } })).body;
  expect(second).toEqual({ ...answer.body, week_start: "saturday", revision: "3", updated_at: second.updated_at });
  expect((await owner.call("GET", "/me")).body).toEqual(second);
  const events = await running.sql<{ type: string; payload: { fields: string[] } }>(
    "select type, payload from domain_events where user_id = $1 order by id",
    [owner.userId],
    "00000000-0000-0000-0000-000000000000",
  );
  expect(events.map(({ type }) => type)).toEqual(["account.updated", "account.updated"]);
  expect(events[1]?.payload).toEqual({ fields: ["week_start"] });
});

test("what an account cannot be changed to is 400 and points at the field", async () => {
  const { owner } = await world(running);
  const wrong: [string, unknown[]][] = [
    ["display_name", ["", " ", "x".repeat(101), "a\nb", null, 1]],
    ["username", ["", "Ada", "a_b", "-a", "a-", "a b", "é", "x".repeat(31), null]],
    ["timezone", ["", "Mars/Olympus", "+01:00", "GMT+1", "Europe/London\n", "x".repeat(101)]],
    ["locale", ["", "e", "english language", "en_US", "x".repeat(36), null]],
    ["week_start", ["tuesday", "", null]],
    ["email", ["other@example.com"]],
    ["password_hash", ["x"]],
    ["revision", ["7"]],
  ];
  for (const [field, values] of wrong)
    for (const value of values) {
      const answer = await owner.call("PATCH", "/me", { body: { [field]: value } });
      expect([answer.status, answer.body.errors?.[0].pointer], `${field} ${value}`).toEqual([400, `/body/${field}`]);
    }
  expect((await owner.call("PATCH", "/me", { body: {} })).status).toBe(400);
  expect((await owner.call("GET", "/me")).body.revision).toBe("1");
});

test("a name of 100 characters and a username of 1 or 30 are taken", async () => {
  const { owner } = await world(running);
  const long = `x${newId().replaceAll("-", "").slice(-29)}`;
  for (const body of [{ display_name: "😀".repeat(100) }, { username: long }, { username: "q" }, { timezone: "UTC" }])
    expect((await owner.call("PATCH", "/me", { body })).body).toMatchObject(body);
});

test("a username that somebody has, or that is reserved, is 409; also for one of many at the same time", async () => {
  const { owner, member } = await world(running);
  const username = `grace-${newId().slice(-12)}`;
  const people = await Promise.all(Array.from({ length: 8 }, () => member("member")));
  const answers = await Promise.all(people.map(({ call }) => call("PATCH", "/me", { body: { username } })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
  for (const taken of [username, "admin", "me", "everyone", "svc"]) {
    const answer = await owner.call("PATCH", "/me", { body: { username: taken } });
    expect(answer.body).toMatchObject({ code: "username_taken", errors: [{ pointer: "/body/username" }] });
  }
  const winner = people[answers.findIndex(({ status }) => status === 200)];
  expect((await winner?.call("PATCH", "/me", { body: { username } }))?.status).toBe(200);
});

test("a stale revision changes nothing, and of many with the same one a single write wins", async () => {
  const { owner } = await world(running);
  const write = (n: number) => owner.call("PATCH", "/me", { body: { display_name: `Ada ${n}` }, ifMatch: "1" });
  const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => write(n)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
  expect((await write(9)).body).toMatchObject({ code: "revision_conflict", current_revision: "2" });
});

test("a native client changes the account too, and sees no more capabilities than when it reads", async () => {
  const { owner } = await world(running);
  const native = newSecret("nat");
  await insertCredential(running, "native", native, owner.userId, null, []);
  const answer = await owner.bearer(native, "PATCH", "/me", { body: { display_name: "Ada" } });
  expect(answer.body).toMatchObject({ display_name: "Ada", capabilities: [] });
  expect((await owner.bearer(native, "GET", "/me")).body).toEqual(answer.body);
});

test("the language of the interface is chosen for one session, and null goes back to the locale", async () => {
  const { owner, workspaceId } = await world(running);
  await owner.call("PATCH", "/me", { body: { locale: "fr" } });
  const other = newSecret("ses");
  await insertCredential(running, "session", other, owner.userId, workspaceId, []);
  const path = "/me/interface-language/session";
  const chosen = await owner.call("PUT", path, { body: { language: "pt-br" } });
  expect([chosen.status, chosen.body]).toEqual([200, { interface_language: "pt-BR" }]);
  expect(chosen.trips).toBeLessThanOrEqual(5);
  const seen = async () => [
    (await owner.call("GET", "/me")).body.interface_language,
    (await asSession(running, other)("GET", "/me")).body.interface_language,
  ];
  expect(await seen()).toEqual(["pt-BR", "fr"]);
  expect((await owner.call("PUT", path, { body: { language: null } })).body).toEqual({ interface_language: "fr" });
  expect(await seen()).toEqual(["fr", "fr"]);
  for (const language of ["", "x", "en_US", "not a tag", 1, undefined]) {
    const refused = await owner.call("PUT", path, { body: { language } });
    expect([refused.status, refused.body.errors[0].pointer]).toEqual([400, "/body/language"]);
  }
});

test("switching the Workspace keeps the language of the session", async () => {
  const { owner, workspaceId } = await world(running);
  await owner.call("PUT", "/me/interface-language/session", { body: { language: "it" } });
  const { cookies } = await owner.call("PUT", "/auth/session/workspace", { body: { workspace_id: workspaceId } });
  const secret = cookies[0]?.match(/^__Host-svc_session=([^;]+)/)?.[1] as string;
  expect((await asSession(running, secret)("GET", "/me")).body.interface_language).toBe("it");
});

test("a native client keeps its language when its tokens are refreshed", async () => {
  const body = { email: `${newId()}@example.com`, password: "quartz-lantern-48-vellum", display_name: "Ada" };
  const first = (await running.send("POST", "/mobile/auth/register", { body: { ...body, device_name: "Tablet" } }))
    .body;
  const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
  const path = "/me/interface-language/session";
  const chosen = await running.send("PUT", path, { body: { language: "ja" }, ...as(first.access_token) });
  expect(chosen.body).toEqual({ interface_language: "ja" });
  const { body: second } = await sendForm(
    running,
    "/mobile/oauth/token",
    refreshRequest({ refresh: first.refresh_token }),
  );
  expect((await running.send("GET", "/me", as(second.access_token))).body.interface_language).toBe("ja");
});
