// Baselines for clients that follow changes: each scope shows what its reader sees without its content, every page has
// the cursor of the first, and a continuation is refused once the rows changed.
import pg from "pg";
import { describe, expect, test } from "vitest";
import { newInboxItem } from "../../../test/inbox.ts";
import { nativeTokens } from "../../../test/native.ts";
import { joinProject, newComment, newProject, newTask } from "../../../test/work.ts";
import { insertCredential, type Person, service, testKeys, type World, world } from "../../../test/world.ts";
import { openPlace } from "../../platform/database/journal.ts";
import { cursorSigner } from "../../platform/wire/cursor.ts";
import { newId, newSecret, sha256 } from "../../platform/wire/ids.ts";

const running = service();
const BASE = "/realtime/baseline";
const get = (person: Person, query = "", headers: Record<string, string> = {}) =>
  person.call("GET", `${BASE}${query}`, { headers });
const refused = async (person: Person, query: string) => {
  const { status, body } = await get(person, query);
  expect([body.cursor, body.items]).toEqual([undefined, undefined]);
  return [status, body.code, body.errors?.[0]?.pointer];
};
const idsIn = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id);
const holderOf = async ({ session }: Person) =>
  (await running.sql<{ id: string }>("select id from credentials where secret_hash = $1", [sha256(session)]))[0]
    ?.id as string;

const cursors = cursorSigner(testKeys);
async function stands(home: World, body: { cursor: string; scope: string }, resourceId: string | null = null) {
  const { userId } = home.owner;
  const bound = { workspaceId: home.workspaceId, userId, holderId: await holderOf(home.owner), resourceId };
  return openPlace(cursors, { ...bound, scope: body.scope }, body.cursor)?.position;
}

describe("a scope", () => {
  test("left out is the Workspace as such and one's own membership", async () => {
    const home = await world(running);
    const { status, body, headers, trips } = await get(home.owner);
    expect([status, trips, headers.get("cache-control")]).toEqual([200, 2, "no-store"]);
    expect(body).toMatchObject({ scope: "workspace", continuation: null, has_more: false });
    expect(body.items.map(({ kind, revision }: Record<string, string>) => [kind, revision])).toEqual([
      ["workspace", "1"],
      ["member", "1"],
    ]);
    expect(body.items[0].id).toBe(home.workspaceId);
    expect(await stands(home, body)).toBe(body.position);
  });

  test("projects are those that are seen and not archived, by key, and no word of what they say", async () => {
    const home = await world(running);
    const member = await home.member("member");
    const [b, a] = [await newProject(home, { key: "BBB" }), await newProject(home, { key: "AAA" })];
    const hidden = await newProject(home, { key: "CCC", visibility: "private", name: "Secret" });
    const archived = await newProject(home, { key: "DDD" });
    await home.owner.call("PATCH", `/projects/${archived.id}`, { body: { archived: true }, ifMatch: "1" });
    const { body, trips } = await get(member, "?scope=projects");
    expect(trips).toBe(2);
    expect(body.items).toEqual([a, b].map(({ id }) => ({ kind: "project", id, revision: "1" })));
    expect(idsIn((await get(home.owner, "?scope=projects")).body)).toEqual([a.id, b.id, hidden.id]);
    await joinProject(home, hidden.id, member, "viewer");
    expect(idsIn((await get(member, "?scope=projects")).body)).toEqual([a.id, b.id, hidden.id]);
  });

  test("task_comments are those of one Task, two at most, tombstones among them", async () => {
    const home = await world(running);
    const { owner } = home;
    const task = await newTask(owner, (await newProject(home)).id);
    const comments = [await newComment(owner, task.id), await newComment(owner, task.id)];
    await owner.call("DELETE", `/comments/${comments[0].id}`);
    const query = `?scope=task_comments&resource_id=${task.id}`;
    const { body, trips } = await get(owner, query);
    expect([trips, body.has_more, body.continuation]).toEqual([2, false, null]);
    expect(body.items).toEqual([
      { kind: "comment", id: comments[0].id, revision: "2", task_id: task.id },
      { kind: "comment", id: comments[1].id, revision: "1", task_id: task.id },
    ]);
    expect(await stands(home, body, task.id)).toBe(body.position);
    await newComment(owner, task.id);
    expect((await get(owner, query)).body).toMatchObject({ has_more: true, items: [{}, {}] });
    expect((await get(owner, `${query}&limit=1`)).body).toMatchObject({ has_more: true, items: [{}] });
    expect(await refused(owner, `${query}&limit=3`)).toEqual([400, "invalid_request", "/query/limit"]);
  });

  test("account and account_security are one's own", async () => {
    const home = await world(running);
    const { owner } = home;
    const account = (await get(owner, "?scope=account")).body;
    expect(account.items).toEqual([{ kind: "account", id: owner.userId, revision: "1" }]);
    await home.token();
    await nativeTokens(running, owner.userId);
    const security = (await get(owner, "?scope=account_security")).body;
    expect(security.items.map(({ kind }: { kind: string }) => kind).sort()).toEqual([
      "api_token",
      "mobile_credential",
      "session",
    ]);
    const more = async (count: number) => {
      for (let made = 0; made < count; made++)
        await insertCredential(running, "personal", newSecret("pat"), owner.userId, home.workspaceId, ["svc:read"]);
    };
    await more(97);
    expect((await get(owner, "?scope=account_security")).body.items).toHaveLength(100);
    await more(1);
    expect(await refused(owner, "?scope=account_security")).toEqual([409, "baseline_bounds", undefined]);
  });

  test("inbox is what one was told and can see, newest first", async () => {
    const home = await world(running);
    const { owner } = home;
    const member = await home.member("member");
    const open = await newTask(owner, (await newProject(home)).id);
    const hidden = await newTask(owner, (await newProject(home, { visibility: "private" })).id);
    const first = await newInboxItem(running, home, member.actorId, open.id);
    await newInboxItem(running, home, member.actorId, hidden.id);
    await newInboxItem(running, home, owner.actorId, open.id);
    const { body } = await get(member, "?scope=inbox");
    expect(body.items).toEqual([{ kind: "inbox_item", id: first.id, revision: "1" }]);
    expect([body.has_more, body.continuation]).toEqual([false, null]);
    const second = await newInboxItem(running, home, member.actorId, (await newTask(owner, open.project_id)).id);
    const one = (await get(member, "?scope=inbox&limit=1")).body;
    expect([idsIn(one), one.has_more, one.continuation]).toEqual([[second.id], true, null]);
  });

  test("personal_projects are one's own preferences", async () => {
    const home = await world(running);
    const { owner, workspaceId } = home;
    const project = await newProject(home);
    const kinds = ["project_shortcuts", "project_display_preferences"];
    const revisions = async (person: Person) =>
      (await get(person, "?scope=personal_projects")).body.items.map(
        ({ kind, id, revision }: Record<string, string>) => [kind, id, revision],
      );
    expect(await revisions(owner)).toEqual(kinds.map((kind) => [kind, owner.actorId, "0"]));
    const path = `/workspaces/${workspaceId}/project-shortcuts`;
    await owner.call("PUT", path, { body: { project_ids: [project.id] }, ifMatch: "0" });
    expect((await revisions(owner))[0]).toEqual(["project_shortcuts", owner.actorId, "1"]);
    const member = await home.member("member");
    expect((await revisions(member))[0]).toEqual(["project_shortcuts", member.actorId, "0"]);
  });

  test("discuss is empty, and its cursor is no place in the Workspace's journal", async () => {
    const home = await world(running);
    const { body } = await get(home.owner, "?scope=discuss");
    expect(body).toMatchObject({ scope: "discuss", items: [], position: "0", has_more: false, continuation: null });
    expect(await stands(home, { ...body, scope: "workspace" })).toBeUndefined();
  });
});

describe("refused is", () => {
  test("what one scope takes and another does not, what nobody knows, and what is said twice", async () => {
    const home = await world(running);
    const { owner } = home;
    const task = await newTask(owner, (await newProject(home)).id);
    const cases: [string, string][] = [
      ["?scope=task_comments", "/query/resource_id"],
      [`?scope=projects&resource_id=${task.id}`, "/query/resource_id"],
      [`?resource_id=${task.id}`, "/query/resource_id"],
      ["?scope=workspace", "/query/scope"],
      ["?scope=everything", "/query/scope"],
      ["?scope=", "/query/scope"],
      ["?scope=inbox&scope=inbox", "/query/scope"],
      ["?scope=inbox&limit=1&limit=1", "/query/limit"],
      ["?actor_id=1", "/query/actor_id"],
      ["?scope=projects&limit=0", "/query/limit"],
      ["?scope=projects&limit=101", "/query/limit"],
      [`?scope=task_comments&resource_id=${task.id}&limit=0`, "/query/limit"],
      ["?scope=task_comments&resource_id=x", "/query/resource_id"],
      ["?scope=inbox&continuation=x", "/query/continuation"],
      ["?scope=account&continuation=x", "/query/continuation"],
      [`?scope=projects&continuation=${"x".repeat(4097)}`, "/query/continuation"],
    ];
    for (const [query, pointer] of cases)
      expect([query, ...(await refused(owner, query))]).toEqual([query, 400, "invalid_request", pointer]);
    for (const forged of ["x", "x".repeat(4096), "a.b"])
      expect(await refused(owner, `?scope=projects&continuation=${forged}`)).toEqual([
        400,
        "invalid_cursor",
        undefined,
      ]);
  });

  test("a Task that is not seen, as one that there is not", async () => {
    const home = await world(running);
    const member = await home.member("member");
    const hidden = await newTask(home.owner, (await newProject(home, { visibility: "private" })).id);
    const foreign = await world(running);
    const elsewhere = await newTask(foreign.owner, (await newProject(foreign)).id);
    for (const id of [hidden.id, elsewhere.id, newId()])
      expect(await refused(member, `?scope=task_comments&resource_id=${id}`)).toEqual([
        400,
        "invalid_request",
        "/query/resource_id",
      ]);
  });

  test("nobody, a Workspace that is not one's own, and what a token may not follow", async () => {
    const home = await world(running);
    const { owner, workspaceId } = home;
    expect((await running.send("GET", BASE)).status).toBe(401);
    const foreign = await world(running);
    const elsewhere = { "x-svc-workspace-id": foreign.workspaceId };
    expect((await get(owner, "", elsewhere)).body.code).toBe("workspace_access_denied");
    expect((await get(owner, "", { "x-svc-workspace-id": workspaceId })).status).toBe(200);
    expect((await get(owner, "", { "x-svc-workspace-id": "x" })).body.errors[0].pointer).toBe(
      "/headers/x-svc-workspace-id",
    );
    const as = (token: string, query: string, headers = {}) => owner.bearer(token, "GET", BASE + query, { headers });
    expect((await as(await home.token(), "")).body.code).toBe("credential_kind_not_allowed");

    const native = (await nativeTokens(running, owner.userId)).access;
    for (const query of ["", "?scope=projects", "?scope=inbox", "?scope=personal_projects", "?scope=discuss"]) {
      const unnamed = await as(native, query);
      expect([query, unnamed.status, unnamed.body.errors[0].pointer]).toEqual([
        query,
        400,
        "/headers/x-svc-workspace-id",
      ]);
      expect((await as(native, query, elsewhere)).body.code).toBe("workspace_access_denied");
      expect((await as(native, query, { "x-svc-workspace-id": workspaceId })).status).toBe(200);
    }
    for (const query of ["?scope=account", "?scope=account_security"])
      expect((await as(native, query)).status, query).toBe(200);

    const developer = newSecret("dat");
    await insertCredential(running, "developer", developer, owner.userId, workspaceId, ["svc:read"]);
    const task = await newTask(owner, (await newProject(home)).id);
    for (const query of ["", "?scope=projects", `?scope=task_comments&resource_id=${task.id}`]) {
      expect((await as(developer, query)).status, query).toBe(200);
      expect((await as(developer, query, elsewhere)).body.code, query).toBe("workspace_access_denied");
    }
    for (const scope of ["account", "account_security", "inbox", "personal_projects", "discuss"]) {
      const answer = await as(developer, `?scope=${scope}`);
      expect([scope, answer.status, answer.body.code]).toEqual([scope, 403, "credential_kind_not_allowed"]);
    }
    const scopeless = newSecret("dat");
    await insertCredential(running, "developer", scopeless, owner.userId, workspaceId, ["svc:write"]);
    expect((await as(scopeless, "")).body.code).toBe("insufficient_scope");
  });

  test("a token's cursor is bound to its grant, so that the next token goes on", async () => {
    const { owner, workspaceId } = await world(running);
    const { access } = await nativeTokens(running, owner.userId);
    const { body } = await owner.bearer(access, "GET", BASE, { headers: { "x-svc-workspace-id": workspaceId } });
    const find = "select id, grant_id from credentials where secret_hash = $1";
    const [token] = await running.sql<{ id: string; grant_id: string }>(find, [sha256(access)]);
    const bound = { workspaceId, userId: owner.userId, scope: "workspace", resourceId: null };
    expect(openPlace(cursors, { ...bound, holderId: token?.grant_id as string }, body.cursor)).not.toBeNull();
    expect(openPlace(cursors, { ...bound, holderId: token?.id as string }, body.cursor)).toBeNull();
  });
});

describe("pages", () => {
  /** Reads on from a first page, after something has happened. */
  async function started(home: World, person: Person = home.owner) {
    const first = (await get(person, "?scope=projects&limit=1")).body;
    const next = () => get(person, `?scope=projects&limit=1&continuation=${encodeURIComponent(first.continuation)}`);
    return { first, next };
  }

  test("carry the cursor of the first, up to the last", async () => {
    const home = await world(running);
    const made = [await newProject(home), await newProject(home), await newProject(home)].map(({ id }) => id);
    const seen: string[] = [];
    let query = "?scope=projects&limit=1";
    const positions = new Set<string>();
    for (let count = 0; count < 3; count++) {
      const { status, body, trips } = await get(home.owner, query);
      expect([status, trips]).toEqual([200, 2]);
      seen.push(...idsIn(body));
      positions.add((await stands(home, body)) as string).add(body.position);
      expect([body.has_more, body.continuation === null]).toEqual([count < 2, count === 2]);
      expect(body.continuation?.length ?? 0).toBeLessThanOrEqual(4096);
      query = `?scope=projects&limit=1&continuation=${encodeURIComponent(body.continuation)}`;
      // Elsewhere, and of no concern here: the position of the journal moves on.
      await newTask(home.owner, made[0] as string);
    }
    expect(seen.sort()).toEqual(made.sort());
    expect(positions.size).toBe(1);
  });

  test("of comments alike", async () => {
    const home = await world(running);
    const { owner } = home;
    const project = await newProject(home);
    const [task, other] = [await newTask(owner, project.id), await newTask(owner, project.id)];
    for (let count = 0; count < 5; count++) await newComment(owner, task.id);
    const query = `?scope=task_comments&resource_id=${task.id}`;
    const first = (await get(owner, query)).body;
    await newComment(owner, other.id);
    await owner.call("PUT", `/comments/${first.items[0].id}/reactions/heart`);
    await owner.call("PATCH", `/tasks/${task.id}`, { body: { title: "Other" }, ifMatch: "1" });
    const next = `${query}&continuation=${encodeURIComponent(first.continuation)}`;
    const second = (await get(owner, next)).body;
    expect([second.position, second.items.length, second.has_more]).toEqual([first.position, 2, true]);
    await newComment(owner, task.id);
    expect(await refused(owner, next)).toEqual([409, "revision_conflict", undefined]);
  });

  const changing: Record<string, (home: World, projectId: string) => Promise<unknown>> = {
    "a Project is made": (home) => newProject(home),
    "one is changed": ({ owner }, id) => owner.call("PATCH", `/projects/${id}`, { body: { name: "X" }, ifMatch: "1" }),
    "one looks otherwise": ({ owner }, id) =>
      owner.call("PATCH", `/projects/${id}`, { body: { icon: "star" }, ifMatch: "1" }),
    "one is deleted": ({ owner }, id) => owner.call("DELETE", `/projects/${id}`),
    "one is archived": ({ owner }, id) =>
      owner.call("PATCH", `/projects/${id}`, { body: { archived: true }, ifMatch: "1" }),
    "one becomes private": ({ owner }, id) =>
      owner.call("PATCH", `/projects/${id}`, { body: { visibility: "private" }, ifMatch: "1" }),
  };
  for (const [what, change] of Object.entries(changing))
    test(`are refused once ${what}, for whoever sees it or saw it`, async () => {
      const home = await world(running);
      const member = await home.member("member");
      await newProject(home);
      const { id } = await newProject(home);
      const [own, theirs] = [await started(home), await started(home, member)];
      await change(home, id);
      for (const { next } of [own, theirs]) {
        const { status, body } = await next();
        expect([status, body.code, body.cursor, body.items]).toEqual([409, "revision_conflict", undefined, undefined]);
      }
    });

  test("are refused to whoever loses or gains sight of something, and to nobody else", async () => {
    const home = await world(running);
    const [ada, bob] = [await home.member("member"), await home.member("member")];
    await newProject(home);
    await newProject(home);
    const hidden = await newProject(home, { visibility: "private" });
    const pages = async () => ({ ada: await started(home, ada), bob: await started(home, bob) });
    let page = await pages();
    await joinProject(home, hidden.id, ada, "member");
    expect([(await page.ada.next()).status, (await page.bob.next()).status]).toEqual([409, 200]);
    page = await pages();
    const renamed = await home.owner.call("PATCH", `/projects/${hidden.id}`, { body: { name: "Y" }, ifMatch: "1" });
    expect(renamed.status).toBe(200);
    expect([(await page.ada.next()).status, (await page.bob.next()).status], "bob learns nothing of it").toEqual([
      409, 200,
    ]);
    page = await pages();
    await home.owner.call("DELETE", `/projects/${hidden.id}/members/${ada.actorId}`);
    expect([(await page.ada.next()).status, (await page.bob.next()).status]).toEqual([409, 200]);
    page = await pages();
    const members = (await home.owner.call("GET", `/workspaces/${home.workspaceId}/members?limit=100`)).body.items;
    const { id, revision } = members.find(({ user_id }: { user_id: string }) => user_id === bob.userId);
    const path = `/workspaces/${home.workspaceId}/members/${id}`;
    expect((await home.owner.call("PATCH", path, { body: { role: "admin" }, ifMatch: revision })).status).toBe(200);
    expect([(await page.ada.next()).status, (await page.bob.next()).status]).toEqual([200, 409]);
  });

  test("are not refused for what the first has already shown, though an open transaction holds the journal back", async () => {
    const home = await world(running);
    const client = new pg.Client(running.databaseUrl);
    await client.connect();
    await client.query("begin");
    await client.query("select pg_current_xact_id()");
    await newProject(home);
    await newProject(home);
    const { next } = await started(home);
    expect((await next()).status).toBe(200);
    await client.query("commit");
    await client.end();
    expect((await next()).status).toBe(200);
  });

  test("go on for their reader, session, scope and Task alone", async () => {
    const home = await world(running);
    const { owner } = home;
    const project = await newProject(home);
    await newProject(home);
    const { first } = await started(home);
    const continuation = encodeURIComponent(first.continuation);
    const query = `?scope=projects&continuation=${continuation}`;
    expect((await get(owner, query)).status).toBe(200);
    expect(await refused(await home.member("admin"), query)).toEqual([400, "invalid_cursor", undefined]);
    const task = await newTask(owner, project.id);
    expect(await refused(owner, `?scope=task_comments&resource_id=${task.id}&continuation=${continuation}`)).toEqual([
      ...[400, "invalid_cursor", undefined],
    ]);
    const other = (await nativeTokens(running, owner.userId)).access;
    const headers = { "x-svc-workspace-id": home.workspaceId };
    expect((await owner.bearer(other, "GET", BASE + query, { headers })).body.code).toBe("invalid_cursor");
  });
});

test("two seconds pass, and there is neither a part of it nor a cursor", async () => {
  const home = await world(running);
  const client = new pg.Client(running.databaseUrl);
  await client.connect();
  await client.query("begin; lock table project_shortcuts in access exclusive mode");
  const answer = await get(home.owner, "?scope=personal_projects");
  await client.query("rollback");
  await client.end();
  expect([answer.status, answer.body.code, answer.headers.get("retry-after")]).toEqual([
    503,
    "baseline_unavailable",
    "1",
  ]);
  expect([answer.body.cursor, answer.body.items]).toEqual([undefined, undefined]);
  expect((await get(home.owner, "?scope=personal_projects")).status).toBe(200);
});
