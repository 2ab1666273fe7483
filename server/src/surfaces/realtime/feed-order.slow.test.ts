// Order and position of the feed: changes that an older transaction holds back are not skipped, pages continue where
// the last one ended, and the state of the source is reported.
import pg from "pg";
import { expect, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { following } from "../../../test/following.ts";
import { newProject, newTask } from "../../../test/work.ts";
import { service, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";
import type { FeedHealth } from "./feed.ts";

const running = service({});
const { follow, placeNow, feed } = following(running);
const INSERT = `
insert into domain_events (workspace_id, id, command_id, type, resource_kind, resource_id)
values ($1, $2, $2, 'member.updated', 'member', $2)`;
const insertMany = (workspaceId: string, count: number) =>
  running.sql<{ id: string }>(
    `insert into domain_events (workspace_id, id, command_id, type, resource_kind, resource_id)
     select $1, gen_random_uuid(), gen_random_uuid(), 'member.updated', 'member', gen_random_uuid()
     from generate_series(1, $2) returning resource_id as id`,
    [workspaceId, count],
    workspaceId,
  );

test("what commits late is told, also behind what was told before; while it holds the journal back, the source says so", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const hears = await follow(home.workspaceId, home.owner, "workspace");
  const states: FeedHealth["state"][] = [];
  feed().onHealth(({ state }) => states.push(state));
  const late = new pg.Client(running.databaseUrl);
  await late.connect();
  const id = newId();
  await late.query("begin");
  await late.query(INSERT, [home.workspaceId, id]);
  const task = await newTask(home.owner, project.id);
  await eventually(() => expect(states).toEqual(["delayed"]));
  expect(feed().health().state).toBe("delayed");
  expect(hears.changes).toEqual([]);
  await late.query("commit");
  await late.end();
  const told = (await hears.settled()).map((change) => change.id);
  expect(told).toEqual([id, task.id]);
  await eventually(() => expect(states).toEqual(["delayed", "live"]));
});

test("more than a page is told in order and once, also where one transaction fills several", async () => {
  const home = await world(running);
  const place = await placeNow(home.workspaceId);
  const [first, many] = [await insertMany(home.workspaceId, 3), await insertMany(home.workspaceId, 650)];
  const live = await follow(home.workspaceId, home.owner, "workspace", { place });
  const told = (await live.settled()).map(({ id }) => id);
  expect(new Set(told)).toEqual(new Set([...first, ...many].map(({ id }) => id)));
  expect(told.length).toBe(653);
  expect(new Set(told.slice(0, 3))).toEqual(new Set(first.map(({ id }) => id)));
});

test("whoever comes back from far behind does not hold up those who are there", async () => {
  const home = await world(running);
  const place = await placeNow(home.workspaceId);
  const live = await follow(home.workspaceId, home.owner, "workspace");
  const many = await insertMany(home.workspaceId, 900);
  const back = await follow(home.workspaceId, home.owner, "workspace", { place });
  const near = await follow(home.workspaceId, home.owner, "workspace");
  const [one, other] = await Promise.all([live.settled(), back.settled()]);
  expect(new Set(one.map(({ id }) => id))).toEqual(new Set(many.map(({ id }) => id)));
  expect(new Set(other.map(({ id }) => id))).toEqual(new Set(many.map(({ id }) => id)));
  expect(near.resets).toEqual([]);
});

test("a journal that is another one ends what is followed, with its reason", async () => {
  const home = await world(running);
  const place = await placeNow(home.workspaceId);
  const hears = await follow(home.workspaceId, home.owner, "workspace", { place: { ...place, epoch: "another" } });
  await eventually(() => expect(hears.resets).toEqual(["epoch_changed"]));
});

test("a database that does not answer is known, and nothing of it is lost", async () => {
  const home = await world(running);
  const hears = await follow(home.workspaceId, home.owner, "workspace");
  const states: FeedHealth["state"][] = [];
  feed().onHealth(({ state }) => states.push(state));
  const admin = new pg.Client(running.databaseUrl);
  await admin.connect();
  // Whatever is asked fails, as it would without a database.
  await admin.query("revoke select on domain_events from svc_app");
  const id = newId();
  await admin.query(INSERT, [home.workspaceId, id]);
  await eventually(() => expect(states).toContain("unavailable")).finally(() =>
    admin.query("grant select on domain_events to svc_app"),
  );
  await admin.end();
  expect((await hears.settled()).map((change) => change.id)).toContain(id);
  await eventually(() => expect(states.at(-1)).toBe("live"));
});
