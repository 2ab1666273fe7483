// Reading an inbox, and marking what is in it: one's own, in pages, within bounds.
import { expect, test } from "vitest";
import { newInboxItem } from "../../../test/inbox.ts";
import { overlapping } from "../../../test/overlap.ts";
import { newProject, newTask, pages } from "../../../test/work.ts";
import { insertCredential, newKey, type Person, service, type World, world } from "../../../test/world.ts";
import { newId, newSecret } from "../../platform/wire/ids.ts";
import { sweepInbox } from "./jobs.ts";

const running = service();
const path = ({ workspaceId }: World) => `/workspaces/${workspaceId}/inbox`;
async function filled(count: number) {
  const home = await world(running);
  const reader = await home.member("viewer");
  const task = await newTask(home.owner, (await newProject(home)).id);
  const put = (more?: Parameters<typeof newInboxItem>[4]) => newInboxItem(running, home, reader.actorId, task.id, more);
  const time = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
  const items = [];
  for (let n = 0; n < count; n++)
    items.push(await put({ newest_at: time(n), category: n % 2 ? "commented" : "assigned" }));
  const ids = items.map(({ id }) => id);
  const list = async (query = "") => (await reader.call("GET", path(home) + query)).body;
  const shown = async (query = "") => (await list(query)).items.map((item: { id: string }) => ids.indexOf(item.id));
  const mark = (body: object, person: Person = reader) =>
    person.call("POST", `${path(home)}/read-state`, { body, key: newKey() });
  const change = (n: number, body: object, ifMatch: string, person: Person = reader) =>
    person.call("PATCH", `/inbox-items/${ids[n]}`, { body, ifMatch });
  return { home, reader, task, put, time, ids, list, shown, mark, change };
}

test("the newest come first, by state and category, in pages that new items do not disturb", async () => {
  const { home, reader, put, time, ids, list, shown, change } = await filled(6);
  expect(await shown()).toEqual([5, 4, 3, 2, 1, 0]);
  await change(1, { read: true }, "1");
  await change(2, { archived: true }, "1");
  const both = await change(3, { read: true, archived: true }, "1");
  expect(both.body).toMatchObject({ read_at: expect.any(String), archived_at: expect.any(String), revision: "2" });
  expect([both.headers.get("etag"), both.trips <= 5]).toEqual(['"2"', true]);
  const states = { "": [5, 4, 1, 0], "?state=unread": [5, 4, 0], "?state=read": [1], "?state=archived": [3, 2] };
  for (const [query, expected] of Object.entries(states)) expect(await shown(query), query).toEqual(expected);
  expect(await shown("?state=all")).toEqual([5, 4, 3, 2, 1, 0]);
  expect(await shown("?category=assigned")).toEqual([4, 0]);
  expect(await shown("?category=assigned&state=archived")).toEqual([2]);
  expect(await list()).toMatchObject({ unread_count: 3, unread_count_capped: false, has_more: false });
  const read = await pages(reader, `${path(home)}?state=all`, 2, () => put({ newest_at: time(99) }));
  expect(read.items.map(({ id }) => ids.indexOf(id as string))).toEqual([5, 4, 3, 2, 1, 0]);
  const answer = await reader.call("GET", path(home));
  expect([answer.trips, answer.headers.get("cache-control")]).toEqual([1, "no-store"]);
  for (const query of ["?state=none", "?category=weather", "?limit=0", "?limit=101", "?unread=true"])
    expect((await reader.call("GET", path(home) + query)).body.code, query).toBe("invalid_request");
});

test("an item is read, unread, archived and taken out again at its revision, and a new one gathers meanwhile", async () => {
  const { reader, ids, change, list } = await filled(1);
  expect((await change(0, { read: true }, "2")).body).toMatchObject({
    code: "revision_conflict",
    current_revision: "1",
  });
  const without = await reader.call("PATCH", `/inbox-items/${ids[0]}`, { body: { read: true } });
  expect(without.body.code).toBe("if_match_required");
  const { read_at } = (await change(0, { read: true }, "1")).body;
  expect((await change(0, { read: true }, "2")).body).toMatchObject({ read_at, revision: "2" });
  expect((await change(0, { archived: true, read: false }, "2")).body).toMatchObject({ read_at: null, revision: "3" });
  expect((await list()).unread_count).toBe(0);
  expect((await change(0, { archived: false }, "3")).body).toMatchObject({
    archived_at: null,
    capabilities: ["inbox_item:update"],
  });
  expect((await list()).unread_count).toBe(1);
  for (const body of [{}, { read: null }, { snoozed: true }, { read: "yes" }])
    expect((await change(0, body, "4")).body.code).toBe("invalid_request");
});

test("many are marked by id or up to a time, and what is not one's own is passed over", async () => {
  const { home, reader, task, ids, time, shown, mark } = await filled(6);
  const foreign = await newInboxItem(running, home, home.owner.actorId, task.id);
  const some = await mark({ read: true, ids: [ids[0], ids[0], foreign.id, newId()] });
  expect(some.body).toEqual({ changed: 1, unread_count: 5, unread_count_capped: false });
  expect(some.trips).toBeLessThanOrEqual(5);
  expect((await mark({ read: true, ids: [ids[0]] })).body.changed).toBe(0);
  expect((await mark({ read: true, all_before: time(2), category: "assigned" })).body).toMatchObject({ changed: 1 });
  expect(await shown("?state=unread")).toEqual([5, 4, 3, 1]);
  expect((await mark({ read: true, all_before: time(4) })).body).toMatchObject({ changed: 3, unread_count: 1 });
  expect((await mark({ read: false, all_before: time(1) })).body).toMatchObject({ changed: 2, unread_count: 3 });
  expect((await home.owner.call("GET", path(home))).body.items).toMatchObject([{ id: foreign.id, read_at: null }]);
  const many = (count: number) => Array.from({ length: count }, newId);
  expect((await mark({ read: true, ids: many(100) })).status).toBe(200);
  const wrong: [object, string][] = [
    [{ read: true, ids: many(101) }, "/body/ids"],
    [{ read: true, ids: [] }, "/body/ids"],
    [{ read: true }, "/body/ids"],
    [{ read: true, ids: many(1), all_before: time(0) }, "/body/ids"],
    [{ read: true, ids: many(1), category: "assigned" }, "/body/category"],
    [{ read: true, all_before: "yesterday" }, "/body/all_before"],
    [{ ids: many(1) }, "/body/read"],
  ];
  for (const [body, pointer] of wrong) {
    const answer = await mark(body);
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, pointer]);
  }
  const events = await running.sql<{ activity: null }>(
    "select activity from domain_events where type = 'inbox.read_state_changed' and actor_id = $1",
    [reader.actorId],
    home.workspaceId,
  );
  expect(events.map(({ activity }) => activity)).toEqual(Array(4).fill(null));
});

test("what is read or archived gathers no more and is not mailed", async () => {
  const { home, change } = await filled(2);
  await running.sql("update inbox_items set gathering = true, mail_due = true", [], home.workspaceId);
  expect((await change(0, { read: true }, "1")).status).toBe(200);
  expect((await change(1, { archived: true }, "1")).status).toBe(200);
  const states = await running.sql("select gathering, mail_due from inbox_items", [], home.workspaceId);
  expect(states).toEqual(Array(2).fill({ gathering: false, mail_due: false }));
});

test("what is unread is counted up to 100, and 5,000 are marked at once", async () => {
  const { home, reader, task, mark, list } = await filled(0);
  const fill = (count: number) =>
    running.sql(
      `insert into inbox_items (workspace_id, id, actor_id, category, task_id, event_type, count, newest_at, gathering,
       listed, mail_due)
       select $1, gen_random_uuid(), $2, 'assigned', $3, 'task.assigned', 1, now() - n * interval '1 s', false, true,
         false from generate_series(1, $4) n`,
      [home.workspaceId, reader.actorId, task.id, count],
      home.workspaceId,
    );
  await fill(100);
  expect(await list()).toMatchObject({ unread_count: 100, unread_count_capped: false });
  await fill(1);
  expect(await list()).toMatchObject({ unread_count: 100, unread_count_capped: true });
  await fill(4_900);
  const all_before = new Date().toISOString();
  expect((await mark({ read: true, all_before })).body).toEqual({
    changed: 5_000,
    unread_count: 1,
    unread_count_capped: false,
  });
  expect((await mark({ read: true, all_before })).body).toMatchObject({ changed: 1, unread_count: 0 });
});

test("an inbox is its owner's alone: an owner of the Workspace, another Workspace and former members find nothing", async () => {
  const { home, reader, ids, mark, change } = await filled(1);
  const stranger = (await world(running)).owner;
  for (const person of [home.owner, stranger]) expect((await change(0, { read: true }, "1", person)).status).toBe(404);
  expect((await home.owner.call("GET", path(home))).body.items).toEqual([]);
  expect((await mark({ read: true, ids }, home.owner)).body.changed).toBe(0);
  expect([(await stranger.call("GET", path(home))).status, (await mark({ read: true, ids }, stranger)).status]).toEqual(
    [404, 404],
  );
  const token = newSecret("nat");
  await insertCredential(running, "native", token, reader.userId, null, []);
  const native = await reader.bearer(token, "GET", path(home));
  expect([native.status, native.body.items.length]).toEqual([200, 1]);
  const personal = await home.token(["svc:read"], reader);
  expect((await reader.bearer(personal, "GET", path(home))).status).toBe(403);
  await running.sql("update memberships set state = 'suspended' where user_id = $1", [reader.userId]);
  expect((await reader.bearer(token, "GET", path(home))).status).toBe(404);
});

test("an item of which the subject is lost from sight while its change waits is not found", async () => {
  const { home, task, ids, change } = await filled(1);
  const hold = `with held as (update inbox_items set count = 2 where id = $1)
    update tasks set trashed_at = now() where id = $2`;
  const late = () => change(0, { read: true }, "1");
  const answer = await overlapping(running, [hold, ids[0], task.id], 1, late, home.workspaceId);
  expect(answer.body.code).toBe("not_found");
  const rows = await running.sql("select from inbox_items where read_at is not null", [], home.workspaceId);
  expect(rows).toEqual([]);
});

test("what was read or archived 90 days ago is swept, and what is only sent after two days", async () => {
  const { home, ids, list } = await filled(4);
  const old = "now() - interval '91 days'";
  const set = (n: number, what: string) =>
    running.sql(`update inbox_items set ${what} where id = $1`, [ids[n]], home.workspaceId);
  await set(0, `read_at = ${old}`);
  await set(1, `archived_at = ${old}`);
  await set(2, "read_at = now() - interval '89 days'");
  await set(3, "listed = false");
  const client = new (await import("pg")).default.Client(running.databaseUrl);
  await client.connect();
  await sweepInbox(client);
  await client.end();
  expect((await list("?state=all")).items.map((item: { id: string }) => item.id)).toEqual([ids[2]]);
  expect(await running.sql("select from inbox_items", [], home.workspaceId)).toHaveLength(1);
});
