// Personal API tokens: made once, shown once, bound to a Workspace, never stronger than their owner.
import { expect, test } from "vitest";
import type { Answer } from "../../../test/answer.ts";
import { insertCredential, newKey, service, sessionHeaders, world } from "../../../test/world.ts";
import { newId, newSecret, secretKind } from "../../platform/wire/ids.ts";

const running = service();
const path = "/me/api-tokens";
const scopes = ["svc:read", "svc:write"];
const day = 86_400_000;
const inDays = (days: number, more = 0) => new Date(Date.now() + days * day + more).toISOString();
const daysOf = (answer: Answer) => (Date.parse(answer.body.expires_at) - Date.parse(answer.body.created_at)) / day;
const live = (userId: string) =>
  running.sql("select 1 from credentials where user_id = $1 and kind = 'personal' and revoked_at is null", [userId]);
const fill = (userId: string, workspaceId: string, count: number) =>
  Promise.all(
    Array.from({ length: count }, () =>
      insertCredential(running, "personal", newSecret("pat"), userId, workspaceId, scopes),
    ),
  );

test("a token is shown once, works as its owner in the session's Workspace, and is kept only as a hash", async () => {
  const { owner, workspaceId } = await world(running);
  const answer = await owner.call("POST", path, { body: { name: "import", scopes } });
  expect(answer.status).toBe(201);
  const { token, capabilities, ...rest } = answer.body;
  expect(secretKind(token)).toBe("pat");
  expect(capabilities).toEqual(["api_token:revoke"]);
  expect(rest).toMatchObject({
    workspace_id: workspaceId,
    name: "import",
    scopes,
    last_four: token.slice(-4),
    last_used_at: null,
  });
  expect(daysOf(answer)).toBeCloseTo(90, 5);
  expect((await owner.bearer(token, "GET", `/workspaces/${workspaceId}/projects`)).status).toBe(200);
  const project = { key: "ENG", name: "Engine" };
  const { id } = (await owner.call("POST", `/workspaces/${workspaceId}/projects`, { body: project })).body;
  expect(
    (await owner.bearer(token, "POST", `/projects/${id}/tasks`, { body: { title: "One" }, key: newKey() })).status,
  ).toBe(201);
  const listed = await owner.call("GET", path);
  expect(listed.body.items).toEqual([rest]);
  expect(listed.text).not.toContain(token);
  const [row] = await running.sql<{ kept: string }>(
    "select to_jsonb(c)::text as kept from credentials c where id = $1",
    [rest.id],
  );
  expect(row?.kept).not.toContain(token);
});

test("the same key answers with the same token, also after the first answer was lost, and stores it encrypted", async () => {
  const { owner } = await world(running);
  const [key, body] = [newKey(), { name: "once", scopes }];
  const answers = await Promise.all(Array.from({ length: 5 }, () => owner.call("POST", path, { body, key })));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(answers.filter(({ headers }) => headers.get("idempotent-replayed") === "true")).toHaveLength(4);
  expect(await live(owner.userId)).toHaveLength(1);
  const stored = await running.sql<{ body: string }>(
    "select body from idempotency_keys where principal_id = $1",
    [owner.userId],
    "00000000-0000-0000-0000-000000000000",
  );
  expect(stored).toHaveLength(1);
  expect(stored[0]?.body).not.toContain(answers[0]?.body.token);
  const other = await owner.call("POST", path, { body: { ...body, name: "twice" }, key });
  expect([other.status, other.body.code]).toEqual([409, "idempotency_key_conflict"]);
});

test("an expiry is in the future and at most 366 days away", async () => {
  const { owner } = await world(running);
  const create = (expires_at: string) => owner.call("POST", path, { body: { name: "t", scopes, expires_at } });
  for (const wrong of [
    inDays(0, -1000),
    inDays(366, 60_000),
    "2020-01-01T00:00:00Z",
    "0000-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z",
    "2016-12-31T23:59:60Z",
    `${inDays(10).slice(0, 19)}+23:59`.replace(/^\d{4}/, "9998"),
  ]) {
    const answer = await create(wrong);
    expect([answer.status, answer.body.code], wrong).toEqual([422, "invalid_expiry"]);
    expect(answer.body.errors[0].pointer).toBe("/body/expires_at");
  }
  expect((await create("tomorrow")).status).toBe(400);
  expect(await live(owner.userId)).toHaveLength(0);
  const soon = await create(inDays(0, 60_000));
  expect(soon.status).toBe(201);
  const far = await create(inDays(366, -60_000));
  expect(far.status).toBe(201);
  const offset = await create(`${inDays(10).slice(0, 19)}+02:00`);
  expect(daysOf(offset)).toBeCloseTo(10 - 2 / 24, 2);
});

test("a token names at least one scope, each once, and only scopes that exist", async () => {
  const { owner } = await world(running);
  for (const wrong of [[], ["svc:read", "svc:read"], ["svc:admin"], "svc:read"]) {
    const answer = await owner.call("POST", path, { body: { name: "t", scopes: wrong } });
    expect([answer.status, answer.body.code]).toEqual([400, "invalid_request"]);
  }
  for (const name of ["", "   ", "x".repeat(101), "a\u0007b"])
    expect((await owner.call("POST", path, { body: { name, scopes } })).status).toBe(400);
});

test("without a Workspace to bind it to there is no token: account-only, suspended or archived", async () => {
  const { owner, member, workspaceId } = await world(running);
  const guest = await member("member");
  const create = (person: typeof owner, headers = {}) =>
    person.call("POST", path, { body: { name: "t", scopes }, headers });
  const session = newSecret("ses");
  await insertCredential(running, "session", session, owner.userId, null, []);
  const answers = [await create(owner, sessionHeaders(session))];
  await running.sql("update memberships set state = 'suspended' where user_id = $1", [guest.userId]);
  answers.push(await create(guest));
  await running.sql("update workspaces set archived_at = now() where id = $1", [workspaceId]);
  answers.push(await create(owner));
  for (const answer of answers) expect([answer.status, answer.body.code]).toEqual([409, "workspace_required"]);
});

test("fifty tokens can be live; the next is refused until one is revoked or has expired", async () => {
  const { owner, workspaceId } = await world(running);
  await fill(owner.userId, workspaceId, 49);
  const create = () => owner.call("POST", path, { body: { name: "t", scopes } });
  const fiftieth = await create();
  expect(fiftieth.status).toBe(201);
  const refused = await create();
  expect([refused.status, refused.body.code]).toEqual([409, "limit_reached"]);
  await owner.call("DELETE", `${path}/${fiftieth.body.id}`);
  const next = await create();
  expect(next.status).toBe(201);
  await running.sql("update credentials set expires_at = now() where id = $1", [next.body.id]);
  expect((await create()).status).toBe(201);
});

test("many creations at once never pass the limit", async () => {
  const { owner, workspaceId } = await world(running);
  await fill(owner.userId, workspaceId, 45);
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => owner.call("POST", path, { body: { name: "t", scopes } })),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
  expect(answers.filter(({ body }) => body.code === "limit_reached")).toHaveLength(15);
  expect(await live(owner.userId)).toHaveLength(50);
});

test("the list is newest first, pages by cursor, and leaves out what is revoked, expired or somebody else's", async () => {
  const { owner, member } = await world(running);
  const guest = await member("member");
  await guest.call("POST", path, { body: { name: "theirs", scopes } });
  const ids: string[] = [];
  for (const name of ["a", "b", "c", "d", "e"])
    ids.unshift((await owner.call("POST", path, { body: { name, scopes } })).body.id);
  await owner.call("DELETE", `${path}/${ids[1]}`);
  await running.sql("update credentials set expires_at = now() where id = $1", [ids[3]]);
  const first = await owner.call("GET", `${path}?limit=2`);
  expect(first.trips).toBe(1);
  expect(first.body.has_more).toBe(true);
  const second = await owner.call("GET", `${path}?limit=2&cursor=${first.body.next_cursor}`);
  expect(second.body).toMatchObject({ has_more: false, next_cursor: null });
  const listed = [...first.body.items, ...second.body.items].map((item: { id: string }) => item.id);
  expect(listed).toEqual([ids[0], ids[2], ids[4]]);
  const stolen = await guest.call("GET", `${path}?limit=2&cursor=${first.body.next_cursor}`);
  expect([stolen.status, stolen.body.code]).toEqual([400, "invalid_cursor"]);
});

test("a revoked token is dead at once; revoking again is 204, and a foreign, unknown or other credential is 404", async () => {
  const { owner, member, workspaceId } = await world(running);
  const guest = await member("admin");
  const { id, token } = (await owner.call("POST", path, { body: { name: "t", scopes } })).body;
  const use = () => owner.bearer(token, "GET", `/workspaces/${workspaceId}/projects`);
  expect((await guest.call("DELETE", `${path}/${id}`)).status).toBe(404);
  expect((await use()).status).toBe(200);
  expect((await owner.call("DELETE", `${path}/${id}`)).status).toBe(204);
  const refused = await use();
  expect([refused.status, refused.body.code]).toEqual([401, "invalid_token"]);
  expect((await owner.call("DELETE", `${path}/${id}`)).status).toBe(204);
  expect((await owner.call("DELETE", `${path}/${newId()}`)).status).toBe(404);
  const [session] = await running.sql<{ id: string }>(
    "select id from credentials where user_id = $1 and kind = 'session'",
    [owner.userId],
  );
  expect((await owner.call("DELETE", `${path}/${session?.id}`)).status).toBe(404);
  expect((await owner.call("GET", "/me")).status).toBe(200);
});

test("a viewer's token with svc:write writes nothing, and a token without the scope is told which it needs", async () => {
  const { owner, member, workspaceId } = await world(running);
  const viewer = await member("viewer");
  const { id } = (await owner.call("POST", `/workspaces/${workspaceId}/projects`, { body: { key: "ENG", name: "E" } }))
    .body;
  const write = (token: string) =>
    owner.bearer(token, "POST", `/projects/${id}/tasks`, { body: { title: "One" }, key: newKey() });
  const strong = (await viewer.call("POST", path, { body: { name: "t", scopes } })).body.token;
  const refused = await write(strong);
  expect([refused.status, refused.body.code]).toEqual([403, "forbidden"]);
  const reading = (await owner.call("POST", path, { body: { name: "t", scopes: ["svc:read"] } })).body.token;
  const scopeless = await write(reading);
  expect(scopeless.body).toMatchObject({ code: "insufficient_scope", required_scopes: ["svc:write"] });
});

test("a token of a member who was suspended reaches nothing, and again when the membership is back", async () => {
  const { member, workspaceId } = await world(running);
  const guest = await member("member");
  const { token } = (await guest.call("POST", path, { body: { name: "t", scopes } })).body;
  const use = async () => (await guest.bearer(token, "GET", `/workspaces/${workspaceId}/projects`)).status;
  const set = (state: string) =>
    running.sql("update memberships set state = $2 where user_id = $1", [guest.userId, state]);
  await set("suspended");
  expect(await use()).toBe(404);
  await set("active");
  expect(await use()).toBe(200);
});

test("tokens are managed by a browser session only: no token makes or revokes tokens", async () => {
  const { owner, token, workspaceId } = await world(running);
  const native = newSecret("nat");
  await insertCredential(running, "native", native, owner.userId, workspaceId, []);
  for (const bearer of [await token(), native]) {
    for (const [method, to, body] of [
      ["GET", path],
      ["POST", path, { name: "t", scopes }],
      ["DELETE", `${path}/${newId()}`],
    ] as const)
      expect((await owner.bearer(bearer, method, to, { body })).body.code).toBe("credential_kind_not_allowed");
  }
});

test("making and revoking a token are recorded once each, within five round-trips", async () => {
  const { owner } = await world(running);
  const made = await owner.call("POST", path, { body: { name: "t", scopes }, key: newKey() });
  const revoked = await owner.call("DELETE", `${path}/${made.body.id}`, { key: newKey() });
  await owner.call("DELETE", `${path}/${made.body.id}`);
  expect([made.trips, revoked.trips].every((trips) => trips > 0 && trips <= 5)).toBe(true);
  const events = await running.sql<{ type: string }>(
    "select type from domain_events where user_id = $1 order by id",
    [owner.userId],
    "00000000-0000-0000-0000-000000000000",
  );
  expect(events.map(({ type }) => type)).toEqual(["api_token.created", "api_token.revoked"]);
});
