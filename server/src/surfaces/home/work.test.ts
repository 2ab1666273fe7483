// Home and My Work as one read each: what other reads show, in one snapshot with its cursor, within every bound or not
// at all.
import pg from "pg";
import { describe, expect, test } from "vitest";
import { newInboxItem } from "../../../test/inbox.ts";
import { nativeTokens } from "../../../test/native.ts";
import { newProject, newTask } from "../../../test/work.ts";
import { insertCredential, type Person, service, testKeys, type World, world } from "../../../test/world.ts";
import { openPlace } from "../../platform/database/journal.ts";
import { cursorSigner } from "../../platform/wire/cursor.ts";
import { newId, newSecret, sha256 } from "../../platform/wire/ids.ts";

const running = service();
const cursors = cursorSigner(testKeys);
const own = ({ workspaceId }: World) => `/me/home-work-baseline?workspace_id=${workspaceId}`;
const path = ({ workspaceId }: World, query = "view=assigned") =>
  `/workspaces/${workspaceId}/home-work-baseline?${query}`;
const refused = async (person: Person, at: string) => {
  const { status, body } = await person.call("GET", at);
  expect([body.work, body.account, body.cursor, body.position]).toEqual([undefined, undefined, undefined, undefined]);
  return [status, body.code, body.errors?.[0]?.pointer];
};
async function stands(home: World, person: Person, body: { cursor: string }, scope: string) {
  const find = "select id from credentials where secret_hash = $1";
  const [session] = await running.sql<{ id: string }>(find, [sha256(person.session)]);
  const bound = { workspaceId: home.workspaceId, userId: person.userId, holderId: session?.id as string };
  return openPlace(cursors, { ...bound, scope, resourceId: null }, body.cursor)?.position;
}
/** So many more like this one. */
const copies = ({ workspaceId }: World, { id }: { id: string }, count: number, title = "title") =>
  running.sql(
    `insert into tasks (workspace_id, id, project_id, number, title, status_id, position, created_by_actor_id,
     assignee_actor_id)
     select workspace_id, gen_random_uuid(), project_id, last + n, ${title}, status_id, last + n, created_by_actor_id,
       assignee_actor_id
     from tasks, generate_series(1, $2::int) n, (select max(number) as last from tasks) t where id = $1`,
    [id, count],
    workspaceId,
  );
async function workshop() {
  const home = await world(running);
  const project = await newProject(home);
  const task = await newTask(home.owner, project.id, { assignee_actor_id: home.owner.actorId });
  return { home, project, task, owner: home.owner };
}

describe("My Work", () => {
  test("has each view as its list has it, what the Tasks name, and where that stands", async () => {
    const { home, owner, project, task } = await workshop();
    for (const view of ["assigned", "created", "reviewing", "delegated", "due_soon", "completed"]) {
      const { status, body, trips, headers } = await owner.call("GET", path(home, `view=${view}`));
      expect([view, status, trips, headers.get("cache-control")]).toEqual([view, 200, 2, "no-store"]);
      const list = await owner.call("GET", `/workspaces/${home.workspaceId}/work?view=${view}&limit=100`);
      expect(body.work).toEqual({ items: list.body.items, next_cursor: null, has_more: false });
      expect([body.view, body.following]).toEqual([view, null]);
      expect(await stands(home, owner, body, "workspace")).toBe(body.position);
    }
    const { body } = await owner.call("GET", path(home));
    expect(body.work.items.map(({ id }: { id: string }) => id)).toEqual([task.id]);
    expect(body.catalogs.projects[project.id].name).toBe(project.name);
    expect(Object.keys(body.catalogs.actors)).toEqual([owner.actorId]);
    expect(Object.keys(body.catalogs.statuses)).toEqual([task.status_id]);
  });

  test("goes on with its cursor, here and in the list", async () => {
    const { home, owner, task } = await workshop();
    await copies(home, task, 2);
    const first = (await owner.call("GET", path(home, "view=assigned&limit=2"))).body;
    expect([first.work.items.length, first.work.has_more]).toEqual([2, true]);
    const cursor = encodeURIComponent(first.work.next_cursor);
    const second = (await owner.call("GET", path(home, `view=assigned&limit=2&cursor=${cursor}`))).body;
    expect([second.work.items.length, second.work.has_more]).toEqual([1, false]);
    const listed = await owner.call("GET", `/workspaces/${home.workspaceId}/work?view=assigned&cursor=${cursor}`);
    expect(listed.body.items).toEqual(second.work.items);
    for (const at of [path(home, `view=created&cursor=${cursor}`), path(home, "view=assigned&cursor=x")])
      expect(await refused(owner, at)).toEqual([400, "invalid_cursor", undefined]);
    const other = await home.member("admin");
    expect(await refused(other, path(home, `view=assigned&cursor=${cursor}`))).toEqual([
      ...[400, "invalid_cursor", undefined],
    ]);
  });

  test("has the first page of what is followed on demand, which goes on in its list", async () => {
    const { home, owner, task } = await workshop();
    const { body } = await owner.call("GET", path(home, "view=completed&following=true"));
    const list = `/workspaces/${home.workspaceId}/subscribed-tasks`;
    expect(body.work.items).toEqual([]);
    expect(body.following).toEqual({
      items: (await owner.call("GET", list)).body.items,
      next_cursor: null,
      has_more: false,
    });
    expect(Object.keys(body.catalogs.projects)).toEqual([task.project_id]);
    await copies(home, task, 100);
    const { following } = (await owner.call("GET", path(home, "view=completed&following=true"))).body;
    expect([following.items.length, following.has_more]).toEqual([100, true]);
    const rest = await owner.call("GET", `${list}?cursor=${encodeURIComponent(following.next_cursor)}`);
    expect([rest.status, rest.body.items.length]).toEqual([200, 1]);
    expect((await owner.call("GET", path(home, "view=completed&following=false"))).body.following).toBeNull();
  });

  test("is refused with anything else that it is asked for", async () => {
    const { home, owner } = await workshop();
    const cases: [string, string][] = [
      ["", "/query/view"],
      ["view=mine", "/query/view"],
      ["view=assigned&view=assigned", "/query/view"],
      ["view=assigned&limit=0", "/query/limit"],
      ["view=assigned&limit=101", "/query/limit"],
      ["view=assigned&following=yes", "/query/following"],
      [`view=assigned&actor_id=${owner.actorId}`, "/query/actor_id"],
      ["view=assigned&include=people", "/query/include"],
      [`view=assigned&cursor=${"x".repeat(2049)}`, "/query/cursor"],
    ];
    for (const [query, pointer] of cases)
      expect([query, ...(await refused(owner, path(home, query)))]).toEqual([query, 400, "invalid_request", pointer]);
    const foreign = await world(running);
    expect(await refused(owner, path(foreign))).toEqual([404, "not_found", undefined]);
  });

  test("shows nothing of what its reader has lost sight of", async () => {
    const { home, owner } = await workshop();
    const member = await home.member("member");
    const project = await newProject(home);
    await newTask(owner, project.id, { assignee_actor_id: member.actorId });
    await owner.call("PATCH", `/projects/${project.id}`, { body: { visibility: "private" }, ifMatch: "1" });
    const { body } = await member.call("GET", path(home, "view=assigned&following=true"));
    expect([body.work.items, body.following.items, body.catalogs.projects ?? {}]).toEqual([[], [], {}]);
  });
});

describe("within its bounds, and not beyond", () => {
  test("a hundred Tasks are a list; what is behind them is the next page", async () => {
    const { home, owner, task } = await workshop();
    await copies(home, task, 99);
    const full = (await owner.call("GET", path(home))).body.work;
    expect([full.items.length, full.has_more]).toEqual([100, false]);
    await copies(home, task, 1, "'One more'");
    const more = (await owner.call("GET", path(home))).body.work;
    expect([more.items.length, more.has_more]).toEqual([100, true]);
  });

  test("a thousand labels on its Tasks are a list, and one more is too many", async () => {
    const { home, owner, task } = await workshop();
    await copies(home, task, 99);
    const label = `
      insert into label_definitions (workspace_id, id, name, color, purpose, created_by_actor_id)
      select $1, gen_random_uuid(), 'Label ' || n, 'red', 'task', $2 from generate_series(1, 11) n`;
    await running.sql(label, [home.workspaceId, owner.actorId], home.workspaceId);
    const assign = (labels: number, tasks: string) =>
      running.sql(
        `update tasks set label_ids = array(select id from label_definitions
          where purpose = 'task' and name like 'Label %' limit ${labels}) ${tasks}`,
        [],
        home.workspaceId,
      );
    await assign(10, "");
    const { status, body, text } = await owner.call("GET", path(home));
    expect(status, text.slice(0, 200)).toBe(200);
    expect(Object.keys(body.catalogs.labels)).toHaveLength(10);
    await assign(11, `where id = '${task.id}'`);
    expect(await refused(owner, path(home))).toEqual([409, "baseline_bounds", undefined]);
  });

  test("a catalog holds a hundred", async () => {
    const { home, owner, project } = await workshop();
    const assign = async (count: number) => {
      for (let made = 0; made < count; made++) {
        const { actorId } = await home.member("member");
        await newTask(owner, project.id, { title: "Given", assignee_actor_id: actorId });
      }
    };
    await assign(99);
    const { body } = await owner.call("GET", path(home, "view=delegated&following=true"));
    expect(Object.keys(body.catalogs.actors)).toHaveLength(100);
    await assign(1);
    expect(await refused(owner, path(home, "view=delegated&following=true"))).toEqual([
      ...[409, "baseline_bounds", undefined],
    ]);
  });

  test("more than a mebibyte is not sent, and a smaller page is", async () => {
    const { home, owner, task } = await workshop();
    await copies(home, task, 99, "repeat('x', 12000)");
    expect(await refused(owner, path(home))).toEqual([409, "baseline_bounds", undefined]);
    await running.sql("update tasks set title = left(title, 500)", [], home.workspaceId);
    expect((await owner.call("GET", path(home))).status).toBe(200);
  });

  test("what takes longer than two seconds is not there", async () => {
    const { home, owner } = await workshop();
    const client = new pg.Client(running.databaseUrl);
    await client.connect();
    for (const [table, at] of [
      ["task_mentions", path(home, "view=assigned&following=true")],
      ["project_shortcuts", own(home)],
    ] as const) {
      await client.query(`begin; lock table ${table} in access exclusive mode`);
      expect(await refused(owner, at)).toEqual([503, "baseline_unavailable", undefined]);
      await client.query("rollback");
      expect((await owner.call("GET", at)).status).toBe(200);
    }
    await client.end();
  });
});

describe("Home", () => {
  test("is who one is in the Workspace, and what one keeps at hand", async () => {
    const { home, owner, project, task } = await workshop();
    const shortcuts = { body: { project_ids: [project.id] }, ifMatch: "0" };
    await owner.call("PUT", `/workspaces/${home.workspaceId}/project-shortcuts`, shortcuts);
    await newInboxItem(running, home, owner.actorId, task.id);
    const { status, body, trips, headers } = await owner.call("GET", own(home));
    expect([status, trips, headers.get("cache-control")]).toEqual([200, 2, "no-store"]);
    const me = (await owner.call("GET", "/me")).body;
    for (const [name, value] of Object.entries(body.account)) expect([name, value]).toEqual([name, me[name]]);
    expect(body.account.email).toBeUndefined();
    expect(body.membership).toMatchObject({ id: me.membership_id, actor_id: owner.actorId, role: "owner" });
    expect(body.workspaces.map(({ id }: { id: string }) => id)).toEqual([home.workspaceId]);
    expect(body.project_shortcuts).toMatchObject({ project_ids: [project.id], revision: "1" });
    expect(body.inbox).toEqual({ unread_count: 1, unread_count_capped: false });
    expect(await stands(home, owner, body, "account")).toBe(body.position);
  });

  test("names no Workspace but that of the credential, and none twice", async () => {
    const { home, owner } = await workshop();
    const foreign = await world(running);
    expect(await refused(owner, own(foreign))).toEqual([404, "not_found", undefined]);
    expect(await refused(owner, `/me/home-work-baseline?workspace_id=${newId()}`)).toEqual([
      404,
      "not_found",
      undefined,
    ]);
    expect(await refused(owner, "/me/home-work-baseline")).toEqual([400, "invalid_request", "/query/workspace_id"]);
    expect(await refused(owner, "/me/home-work-baseline?workspace_id=x")).toEqual([
      ...[400, "invalid_request", "/query/workspace_id"],
    ]);
    expect(await refused(owner, `${own(home)}&actor_id=${owner.actorId}`)).toEqual([
      ...[400, "invalid_request", "/query/actor_id"],
    ]);
    expect((await running.send("GET", own(home))).status).toBe(401);
    // Of two that are both one's own, the session is in one.
    const join = "update memberships set user_id = $1 where workspace_id = $2 and user_id = $3";
    await running.sql(join, [owner.userId, foreign.workspaceId, (await foreign.member("member")).userId]);
    expect(await refused(owner, own(foreign))).toEqual([404, "not_found", undefined]);
    const native = (await nativeTokens(running, owner.userId)).access;
    const as = (at: string, headers = {}) => owner.bearer(native, "GET", at, { headers });
    for (const place of [home, foreign]) expect((await as(own(place))).body.workspaces).toHaveLength(2);
    const mismatch = { "x-svc-workspace-id": foreign.workspaceId };
    expect((await as(own(home), mismatch)).body).toMatchObject({ code: "not_found" });
    expect((await as(own(foreign), mismatch)).status).toBe(200);
    expect((await as(own({ ...home, workspaceId: home.workspaceId.toUpperCase() }))).status).toBe(200);
  });

  test("tells a token no more than it may read elsewhere", async () => {
    const { home, owner } = await workshop();
    const foreign = await world(running);
    const join = "update memberships set user_id = $1 where workspace_id = $2 and user_id = $3";
    await running.sql(join, [owner.userId, foreign.workspaceId, (await foreign.member("member")).userId]);
    const developer = newSecret("dat");
    await insertCredential(running, "developer", developer, owner.userId, home.workspaceId, ["svc:read"]);
    for (const token of [await home.token(["svc:read"]), developer]) {
      const { status, body } = await owner.bearer(token, "GET", own(home));
      expect([status, body.project_shortcuts, body.inbox]).toEqual([200, null, null]);
      expect(body.workspaces.map(({ id }: { id: string }) => id)).toEqual([home.workspaceId]);
    }
    const native = (await nativeTokens(running, owner.userId)).access;
    const { body } = await owner.bearer(native, "GET", own(home));
    expect([body.project_shortcuts, body.inbox?.unread_count]).toEqual([null, 0]);
    expect((await owner.call("GET", own(home))).body.workspaces).toHaveLength(2);
  });

  test("of somebody in more than a hundred Workspaces there is none", async () => {
    const { home, owner } = await workshop();
    const more = async (count: number) => {
      for (let made = 0; made < count; made++) {
        const other = await world(running);
        const join = "update memberships set user_id = $1 where workspace_id = $2 and user_id = $3";
        await running.sql(join, [owner.userId, other.workspaceId, (await other.member("member")).userId]);
      }
    };
    await more(99);
    expect((await owner.call("GET", own(home))).body.workspaces).toHaveLength(100);
    await more(1);
    expect(await refused(owner, own(home))).toEqual([409, "baseline_bounds", undefined]);
  });
});
