// Activity in groups, paged through: nothing is told twice and nothing is left out, whatever happens meanwhile.
import { expect, test } from "vitest";
import { childrenOf, type Group, groupsOf, HOUR, telling } from "../../../test/activity-groups.ts";
import { testHistories } from "../../../test/activity-histories.ts";
import { newTask, pages } from "../../../test/work.ts";

const told = telling();
const { query, hour, workshop, groups, past } = told;

// groups-paging.slow.test.ts has three histories, and pages of one.
testHistories(told, { seeds: [1], steps: 80, sizes: [2, 7, 100], growing: [3], daySizes: [100] });

test.each([
  [100, 100, false],
  [101, 100, true],
])(
  "of %i events %i are counted (more: %s), the newest are shown, and the children are all there",
  async (made, count, capped) => {
    const { home, project, owner } = await workshop();
    const task = await newTask(owner, project.id);
    const start = hour - 5 * HOUR;
    await past(home, project.id, task.id, start, made);
    const group = (await groups(home, owner)).find(
      ({ first_occurred_at }) => Date.parse(first_occurred_at) === start,
    ) as Group;
    expect(group).toMatchObject({ kind: "resource", count, capped });
    expect(Date.parse(group.last_occurred_at)).toBe(start + (made - 1) * 1000);
    expect((await pages(owner, `${groupsOf(home)}/${group.id}/children`, 40)).items).toHaveLength(made);
    // A page that finds nothing but what goes on says so: the walk has not ended.
    const short = (await owner.call("GET", `${groupsOf(home)}?limit=2`)).body;
    expect([short.items.length, short.has_more]).toEqual([2, true]);
    const found = await pages(owner, groupsOf(home), 2);
    expect([found.items.length, found.pages > 10]).toEqual([3, true]);
  },
);

test("what is older than 90 days is in no group", async () => {
  const { home, project, owner } = await workshop();
  const task = await newTask(owner, project.id);
  const edge = Date.now() - 90 * 24 * HOUR;
  // Of one hour, or of two that follow each other: what is kept is told, whatever it began with.
  await past(home, project.id, task.id, edge - 60_000, 1);
  await past(home, project.id, task.id, edge + 60_000, 1);
  const found = (await groups(home, owner)).filter(
    ({ first_occurred_at }) => Date.parse(first_occurred_at) < hour - HOUR,
  );
  expect(found.map(({ count, first_occurred_at }) => [count, Date.parse(first_occurred_at)])).toEqual([
    [1, edge + 60_000],
  ]);
  const [old] = await query<{ id: string }>(
    "select id from domain_events where workspace_id = $1 order by occurred_at limit 1",
    [home.workspaceId],
  );
  expect((await owner.call("GET", childrenOf(home, old as { id: string }))).status).toBe(404);
});

test("a page looks back through 1,000 events about one thing in its hour, and no further", async () => {
  const { home, project, owner } = await workshop();
  const member = await home.member("member");
  const task = await newTask(owner, project.id);
  const start = hour - 5 * HOUR;
  const began = async (others: number) => {
    await query("delete from domain_events where workspace_id = $1 and occurred_at < $2", [
      home.workspaceId,
      new Date(hour),
    ]);
    await past(home, project.id, task.id, start, 1);
    await past(home, project.id, task.id, start + 1_000, others, member.actorId);
    await past(home, project.id, task.id, start + (others + 1) * 1_000, 1);
    const found = (await pages(owner, groupsOf(home), 100)).items as unknown as Group[];
    return found.filter(({ actor_ids, task_id }) => task_id === task.id && actor_ids[0] === owner.actorId).length;
  };
  // One more is that of the new Task, in an hour of its own.
  expect([await began(998), await began(1_000)]).toEqual([2, 3]);
});

test("a group is told by what it began with, however much others have done to the same thing since", async () => {
  const { home, project, owner } = await workshop();
  const member = await home.member("member");
  const task = await newTask(owner, project.id);
  const start = hour - 5 * HOUR;
  await past(home, project.id, task.id, start, 1);
  await past(home, project.id, task.id, start + 1_000, 150, member.actorId);
  const found = (await pages(owner, groupsOf(home), 100)).items as unknown as Group[];
  const [theirs, own] = found.filter(({ first_occurred_at }) => Date.parse(first_occurred_at) < hour);
  expect(theirs).toMatchObject({ actor_ids: [member.actorId], count: 100, capped: true });
  // There may be more of it among those that were not looked through.
  expect(own).toMatchObject({ actor_ids: [owner.actorId], count: 1, capped: true, items: [{ count: 1 }] });
  expect((await pages(owner, childrenOf(home, own as Group), 100)).items).toEqual(own?.items);
});
