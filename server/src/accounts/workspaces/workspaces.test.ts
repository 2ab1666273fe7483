// Workspaces: coming into being, their slugs, and who sees them.
import { expect, test } from "vitest";
import { overlapping } from "../../../test/overlap.ts";
import { joinWorkspace } from "../../../test/work.ts";
import { asSession, insertCredential, newKey, service, world } from "../../../test/world.ts";
import { csrfTokenOf, newId, newSecret } from "../../platform/wire/ids.ts";
import { insertAccount, insertSession } from "../identity/store.ts";

const running = service();
const unique = (text: string) => `${text}-${newId().slice(-12)}`;
const secretIn = (cookies: string[]) => cookies[0]?.match(/^__Host-svc_session=([^;]+)/)?.[1] as string;

/** An account that belongs to no Workspace. */
async function newcomer() {
  const id = newId();
  const session = await running.database.writer.use(async (tx) => {
    const email = `${id}@example.com`;
    await insertAccount(tx, { id, email, displayName: "New", username: id, passwordHash: null });
    return insertSession(tx, id, null, true);
  });
  return { id, session, call: asSession(running, session) };
}
const join = (userId: string, workspaceId: string, role: string) => joinWorkspace(running, workspaceId, userId, role);
const owned = (userId: string) => running.sql("select 1 from workspaces where created_by_user_id = $1", [userId]);

test("a Workspace is created with its owner and the six default Statuses, and the session stays where it was", async () => {
  const person = await newcomer();
  const name = unique("Analytical Engines");
  const answer = await person.call("POST", "/workspaces", { body: { name }, key: newKey() });
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject({
    name,
    slug: name.toLowerCase().replaceAll(" ", "-"),
    plan: "free",
    role: "owner",
    archived_at: null,
    revision: "1",
  });
  expect(answer.body.capabilities).toContain("workspace:archive");
  expect(answer.cookies).toEqual([]);
  expect(answer.trips).toBeLessThanOrEqual(5);
  expect((await person.call("GET", "/me")).body).toMatchObject({ workspace_id: null, capabilities: [] });
  const moved = await person.call("PUT", "/auth/session/workspace", { body: { workspace_id: answer.body.id } });
  const call = asSession(running, secretIn(moved.cookies));
  const statuses = (await call("GET", `/workspaces/${answer.body.id}/statuses`)).body.items;
  expect(statuses.map((status: { name: string; category: string }) => [status.name, status.category])).toEqual([
    ["Backlog", "backlog"],
    ["Todo", "unstarted"],
    ["In Progress", "started"],
    ["In Review", "started"],
    ["Done", "completed"],
    ["Cancelled", "cancelled"],
  ]);
  const members = (await call("GET", `/workspaces/${answer.body.id}/members`)).body.items;
  expect(members).toMatchObject([{ user_id: person.id, role: "owner", state: "active" }]);
});

test("an account has one active Free Workspace: of twenty requests at once exactly one succeeds", async () => {
  const person = await newcomer();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      person.call("POST", "/workspaces", { body: { name: unique(`Racer ${n}`) }, key: newKey() }),
    ),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(answers.filter(({ body }) => body.code === "free_workspace_claimed")).toHaveLength(19);
  expect(await owned(person.id)).toHaveLength(1);
});

test("an archived Free Workspace can be followed by another", async () => {
  const person = await newcomer();
  const first = await person.call("POST", "/workspaces", { body: { name: unique("First") } });
  await running.sql("update workspaces set archived_at = now() where id = $1", [first.body.id]);
  expect((await person.call("POST", "/workspaces", { body: { name: unique("Second") } })).status).toBe(201);
});

test("the same key creates one Workspace and answers alike", async () => {
  const person = await newcomer();
  const [key, body] = [newKey(), { name: unique("Once") }];
  const answers = await Promise.all(Array.from({ length: 5 }, () => person.call("POST", "/workspaces", { body, key })));
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(answers[0]?.status).toBe(201);
  expect(await owned(person.id)).toHaveLength(1);
});

test("a slug that is left out is made from the name and collides with nobody, also at the same time", async () => {
  const name = unique("Same Name");
  const people = await Promise.all(Array.from({ length: 12 }, newcomer));
  const answers = await Promise.all(people.map(({ call }) => call("POST", "/workspaces", { body: { name } })));
  expect(Math.max(...answers.map(({ trips }) => trips))).toBeLessThanOrEqual(5);
  expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(201));
  const slugs = answers.map(({ body }) => body.slug as string);
  expect(new Set(slugs).size).toBe(12);
  const base = name.toLowerCase().replaceAll(" ", "-");
  for (const slug of slugs) expect(slug === base || slug.startsWith(`${base}-`)).toBe(true);
});

test("names in any script get a slug, and reserved words are passed over", async () => {
  const slugFor = async (name: string) =>
    (await (await newcomer()).call("POST", "/workspaces", { body: { name } })).body.slug;
  expect(await slugFor("株式会社")).toBe("workspace-2");
  expect(await slugFor("Компания")).toBe("workspace-3");
  expect(await slugFor("API")).toBe("api-2");
  expect(await slugFor("Crème Brûlée")).toBe("creme-brulee");
});

test("a slug that was asked for is taken as it is, or refused when it is taken, reserved or malformed", async () => {
  const [first, second] = [await newcomer(), await newcomer()];
  const slug = unique("a--1");
  expect((await first.call("POST", "/workspaces", { body: { name: "Mine", slug } })).body.slug).toBe(slug);
  for (const taken of [slug, "api", "docs", "oauth", "workspaces"]) {
    const answer = await second.call("POST", "/workspaces", { body: { name: "Mine too", slug: taken } });
    expect(answer.status).toBe(409);
    expect(answer.body).toMatchObject({ code: "slug_taken", errors: [{ pointer: "/body/slug" }] });
  }
  for (const wrong of ["", "-a", "a-", "A", "a_b", "ä", "a b", "x".repeat(49)]) {
    const answer = await second.call("POST", "/workspaces", { body: { name: "Mine too", slug: wrong } });
    expect([answer.status, answer.body.errors[0].pointer], wrong).toEqual([400, "/body/slug"]);
  }
  expect(await owned(second.id)).toHaveLength(0);
});

test("of many who ask for one slug at the same time exactly one gets it", async () => {
  const slug = unique("wanted");
  const people = await Promise.all(Array.from({ length: 10 }, newcomer));
  const answers = await Promise.all(
    people.map(({ call }) => call("POST", "/workspaces", { body: { name: "W", slug } })),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(answers.filter(({ body }) => body.code === "slug_taken")).toHaveLength(9);
});

test("bootstrap creates the first Workspace and moves the session into it under new cookies", async () => {
  const person = await newcomer();
  const slug = unique("first");
  const answer = await person.call("POST", "/workspaces/bootstrap", { body: { name: "First", slug } });
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject({ name: "First", slug, role: "owner" });
  expect(answer.trips).toBeLessThanOrEqual(5);
  const secret = secretIn(answer.cookies);
  expect(answer.cookies[0]).toMatch(/; Path=\/; Secure; SameSite=Lax; HttpOnly; Max-Age=\d+$/);
  expect(answer.cookies[1]).toContain(`__Host-svc_csrf=${csrfTokenOf(secret)};`);
  expect((await person.call("GET", "/me")).status).toBe(401);
  const call = asSession(running, secret);
  expect((await call("GET", "/me")).body.workspace_id).toBe(answer.body.id);
  expect((await call("GET", `/workspaces/${answer.body.id}/statuses`)).body.items).toHaveLength(6);
  const events = await running.sql<{ type: string }>(
    "select type from domain_events where user_id = $1",
    [person.id],
    answer.body.id,
  );
  expect(events.map(({ type }) => type)).toEqual(["workspace.created"]);
});

test("bootstrap needs a slug, and a taken or reserved one leaves session and account as they were", async () => {
  const person = await newcomer();
  const bootstrap = (body: object) => person.call("POST", "/workspaces/bootstrap", { body });
  expect((await bootstrap({ name: "First" })).body.errors[0].pointer).toBe("/body/slug");
  const { owner, workspaceId } = await world(running);
  const { slug } = (await owner.call("GET", `/workspaces/${workspaceId}`)).body;
  for (const taken of [slug, "login"]) {
    const answer = await bootstrap({ name: "First", slug: taken });
    expect([answer.status, answer.body.code, answer.cookies]).toEqual([409, "slug_taken", []]);
  }
  expect((await person.call("GET", "/me")).body.workspace_id).toBeNull();
  expect(await owned(person.id)).toHaveLength(0);
});

test("bootstrap is for an account without memberships: active, suspended and invited ones count, former ones do not", async () => {
  const { workspaceId } = await world(running);
  for (const [state, status] of [
    ["active", 409],
    ["suspended", 409],
    ["invited", 409],
    ["removed", 201],
    ["left", 201],
  ] as const) {
    const person = await newcomer();
    await join(person.id, workspaceId, "member");
    await running.sql("update memberships set state = $2 where user_id = $1", [person.id, state]);
    const answer = await person.call("POST", "/workspaces/bootstrap", {
      body: { name: "First", slug: unique("first") },
    });
    expect(answer.status, state).toBe(status);
    if (status === 409) expect([answer.body.code, answer.cookies]).toEqual(["workspace_exists", []]);
  }
});

test("of many bootstraps at once exactly one succeeds, also beside an ordinary creation", async () => {
  const person = await newcomer();
  const sessions = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const secret = newSecret("ses");
      await insertCredential(running, "session", secret, person.id, null, []);
      return asSession(running, secret);
    }),
  );
  const bootstrap = (call: (typeof sessions)[0]) =>
    call("POST", "/workspaces/bootstrap", { body: { name: "First", slug: unique("first") } });
  const hold = "select from users where id = $1 for update";
  const [ordinary, ...answers] = await overlapping(running, [hold, person.id], 6, () =>
    Promise.all([
      person.call("POST", "/workspaces", { body: { name: unique("Ordinary") } }),
      ...sessions.map(bootstrap),
    ]),
  );
  expect([ordinary, ...answers].filter((answer) => answer?.status === 201)).toHaveLength(1);
  if (ordinary?.status !== 201) expect(ordinary?.body.code).toBe("free_workspace_claimed");
  const refused = answers.filter(({ status }) => status !== 201);
  expect(refused.every(({ body }) => body.code === "workspace_exists")).toBe(true);
  expect(await owned(person.id)).toHaveLength(1);
});

test("the list shows one's active memberships with one's role, oldest first, page by page", async () => {
  const person = await newcomer();
  const worlds = [await world(running), await world(running), await world(running), await world(running)];
  const roles = ["viewer", "admin", "member", "member"];
  for (const [n, { workspaceId }] of worlds.entries()) await join(person.id, workspaceId, roles[n] as string);
  await running.sql("update memberships set state = 'suspended' where user_id = $1 and workspace_id = $2", [
    person.id,
    worlds[2]?.workspaceId,
  ]);
  const first = await person.call("GET", "/workspaces?limit=2");
  expect(first.trips).toBe(1);
  const second = await person.call("GET", `/workspaces?limit=2&cursor=${first.body.next_cursor}`);
  const rows = [...first.body.items, ...second.body.items];
  expect(rows.map(({ id, role }) => [id, role])).toEqual([
    [worlds[0]?.workspaceId, "viewer"],
    [worlds[1]?.workspaceId, "admin"],
    [worlds[3]?.workspaceId, "member"],
  ]);
  expect([first.body.has_more, second.body.has_more]).toEqual([true, false]);
});

test("a Workspace is read by its members whatever their session is scoped to, and does not exist for anybody else", async () => {
  const [here, there] = [await world(running), await world(running)];
  await join(here.owner.userId, there.workspaceId, "viewer");
  const answer = await here.owner.call("GET", `/workspaces/${there.workspaceId}`);
  expect(answer.body).toMatchObject({ id: there.workspaceId, role: "viewer" });
  expect(answer.body.capabilities).not.toContain("work:write");
  expect(answer.trips).toBe(1);
  const foreign = await there.owner.call("GET", `/workspaces/${here.workspaceId}`);
  const missing = await there.owner.call("GET", `/workspaces/${newId()}`);
  expect([foreign.status, missing.status]).toEqual([404, 404]);
  expect({ ...foreign.body, correlation_id: "" }).toEqual({ ...missing.body, correlation_id: "" });
  await running.sql("update memberships set state = 'removed' where user_id = $1 and workspace_id = $2", [
    here.owner.userId,
    there.workspaceId,
  ]);
  expect((await here.owner.call("GET", `/workspaces/${there.workspaceId}`)).status).toBe(404);
});

test("an archived Workspace is read and found by its owners only, and may only be restored", async () => {
  const { owner, member, workspaceId } = await world(running);
  const admin = await member("admin");
  await running.sql("update workspaces set archived_at = now() where id = $1", [workspaceId]);
  const answer = await owner.call("GET", `/workspaces/${workspaceId}`);
  expect(answer.body.archived_at).not.toBeNull();
  expect(answer.body.capabilities).toEqual(["workspace:read", "workspace:restore"]);
  expect((await admin.call("GET", `/workspaces/${workspaceId}`)).status).toBe(404);
  expect((await owner.call("GET", `/workspaces/${workspaceId}/members`)).status).toBe(404);
  const listed = async (person: typeof owner, query: string) =>
    (await person.call("GET", `/workspaces${query}`)).body.items.length;
  expect([
    await listed(owner, ""),
    await listed(owner, "?archived=true"),
    await listed(owner, "?archived=false"),
  ]).toEqual([0, 1, 0]);
  expect([await listed(admin, ""), await listed(admin, "?archived=true")]).toEqual([0, 0]);
});

test("a native client lists Workspaces but neither creates nor reads one here; tokens do neither", async () => {
  const { owner, workspaceId, token } = await world(running);
  const native = newSecret("nat");
  await insertCredential(running, "native", native, owner.userId, workspaceId, []);
  expect((await owner.bearer(native, "GET", "/workspaces")).body.items).toHaveLength(1);
  const personal = await token();
  for (const [bearer, method, path, body] of [
    [native, "POST", "/workspaces", { name: "N" }],
    [native, "POST", "/workspaces/bootstrap", { name: "N", slug: unique("n") }],
    [native, "GET", `/workspaces/${workspaceId}`],
    [personal, "GET", "/workspaces"],
    [personal, "POST", "/workspaces", { name: "N" }],
  ] as const)
    expect((await owner.bearer(bearer, method, path, { body })).body.code).toBe("credential_kind_not_allowed");
});
