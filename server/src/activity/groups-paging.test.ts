// Activity in groups, paged through: nothing is told twice and nothing is left out, whatever happens meanwhile.
import { describe, expect, test } from "vitest";
import {
  bulk,
  change,
  childrenOf,
  feedOf,
  type Group,
  groupsOf,
  HOUR,
  type Item,
  telling,
} from "../../test/activity-groups.ts";
import { undo } from "../../test/commands.ts";
import { newProject, newTask, pages } from "../../test/work.ts";
import type { Answer, Person, World } from "../../test/world.ts";

const { query, hour, gather, workshop, groups, past } = telling();

/** All that a reader is told in groups, and what the feed says when it is read one command at a time. */
async function everything(home: World, person: Person, size: number, query = "", between?: () => Promise<unknown>) {
  const found = (await pages(person, `${groupsOf(home)}${query}`, size, between)).items as unknown as Group[];
  const inside = await Promise.all(
    found.map(async ({ id }) => (await pages(person, `${groupsOf(home)}/${id}/children${query}`, size)).items),
  );
  return { found, inside: inside as unknown as Item[][] };
}
const feed = async (home: World, person: Person, query = "") =>
  (await pages(person, `${feedOf(home)}${query}`, 1)).items as unknown as Item[];
const byId = (items: readonly Item[]) => items.toSorted((a, b) => (a.id < b.id ? -1 : 1));

/** A history that is the same for the same seed. */
function dice(seed: number) {
  let state = seed;
  return (sides: number) => {
    state = (state + 0x6d2b79f5) | 0;
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    const again = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((again ^ (again >>> 14)) >>> 0) / 2 ** 32) * sides);
  };
}

describe("nothing is told twice, and nothing is left out", () => {
  /** People, Projects and Tasks, some hidden from one reader, and a step that does something to them at random. */
  async function stage(seed: number) {
    const { home, project, owner } = await workshop();
    const roll = dice(seed);
    const [manager, member] = [await home.member("admin"), await home.member("member")];
    const hidden = await newProject(home, { visibility: "private" });
    const tasks: { id: string }[] = [];
    for (const { id } of [project, project, project, hidden, hidden]) tasks.push(await newTask(owner, id));
    const done: { person: Person; command: string }[] = [];
    const step = async () => {
      const person = [owner, manager][roll(2)] as Person;
      const task = tasks[roll(tasks.length)] as { id: string };
      const value = `${roll(1_000_000)}`;
      const act = [
        () => change(person, task, { priority: ["low", "high", "urgent"][roll(3)] }),
        () => change(person, task, { description_markdown: value }),
        () => change(person, task, { description_markdown: value, due_date: `2027-01-${10 + roll(19)}` }),
        () => person.call("POST", `/tasks/${task.id}/comments`, { body: { markdown: value } }),
        () =>
          bulk(home, tasks.filter(() => roll(2) === 0).concat(task), { due_date: `2027-02-${10 + roll(19)}` }, person),
        () => person.call("PATCH", `/projects/${project.id}`, { body: { name: value }, headers: { "if-match": "*" } }),
        () =>
          roll(3) === 0 ? newTask(person, [project, hidden][roll(2)].id).then((made) => void tasks.push(made)) : null,
        () => {
          const last = done.pop();
          return last ? undo(last.person, last.command) : null;
        },
      ][roll(8)] as () => Promise<Answer> | Promise<void> | null;
      const answer = await act();
      const command = answer?.headers.get("x-svc-command-id");
      if (answer && answer.status < 300 && command) done.push({ person, command });
    };
    return { home, owner, member, step };
  }
  /** Puts all that happened into several hours, each command at an instant of its own, in the order in which it happened. */
  const spread = (home: World, hours: number) =>
    query(
      `update domain_events e set occurred_at = $2::timestamptz + x.place * ($3 * interval '1 hour') / x.all_of_them
       from (select command_id, row_number() over (order by min(occurred_at), command_id) as place, count(*) over () as all_of_them
         from domain_events where workspace_id = $1 group by command_id) x
       where e.workspace_id = $1 and e.command_id = x.command_id`,
      [home.workspaceId, new Date(hour - hours * HOUR), hours],
    );

  test.each([1, 2, 3])(
    "the children of all groups are the feed's items, each once, in any page size, for every reader (history %i)",
    async (seed) => {
      const { home, owner, member, step } = await stage(seed);
      for (let steps = 0; steps < 80; steps++) await step();
      await spread(home, 2);
      for (const person of [owner, member]) {
        const items = byId(await feed(home, person));
        const { found: once } = await everything(home, person, 100);
        expect(new Set(once.map(({ kind }) => kind))).toEqual(new Set(["command", "session", "resource"]));
        expect(once.some(({ items: shown, count }) => count > 3 && shown.length === 3)).toBe(true);
        for (const size of [1, 2, 7, 100]) {
          const { found, inside } = await everything(home, person, size);
          expect(found, `pages of ${size}`).toEqual(once);
          expect(byId(inside.flat()), `pages of ${size}`).toEqual(items);
          for (const [at, group] of found.entries()) {
            const own = inside[at] as Item[];
            expect(own.slice(0, 3)).toEqual(group.items);
            expect(own.reduce((sum, { count }) => sum + count, 0)).toBe(group.count);
          }
        }
      }
    },
  );

  test("what happens while somebody pages moves no group: each that there was comes once, where it was", async () => {
    for (const size of [1, 3]) {
      const { home, owner, step } = await stage(7);
      for (let steps = 0; steps < 50; steps++) await step();
      await gather(home);
      const { found: were } = await everything(home, owner, 100);
      const grown = await everything(home, owner, size, "", async () => {
        await step();
        await gather(home);
      });
      const ids = grown.found.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      // What began meanwhile is above, on the pages that were read.
      expect(ids).toEqual(were.map(({ id }) => id));
      const items = grown.inside.flat().map(({ id }) => id);
      expect(new Set(items).size).toBe(items.length);
      for (const [at, group] of grown.found.entries()) {
        expect(group.first_occurred_at).toBe(were[at]?.first_occurred_at);
        expect(group.count).toBeGreaterThanOrEqual(were[at]?.count as number);
      }
      expect(grown.found.some(({ count }, at) => count > (were[at]?.count as number))).toBe(true);
      const { found: now } = await everything(home, owner, 100);
      expect(now.slice(-ids.length).map(({ id }) => id)).toEqual(ids);
      expect(now.length).toBeGreaterThan(ids.length);
    }
  });

  test("a civil day has in groups what it has in the feed", async () => {
    const { home, owner, step } = await stage(11);
    for (let steps = 0; steps < 40; steps++) await step();
    await spread(home, 30);
    const zone = "Asia/Kathmandu";
    const day = new Intl.DateTimeFormat("sv-SE", { timeZone: zone }).format(hour - 12 * HOUR);
    const query = `?day=${day}&time_zone=${zone}`;
    const items = byId(await feed(home, owner, query));
    expect(items.length).toBeGreaterThan(5);
    expect(items.length).toBeLessThan((await feed(home, owner)).length);
    for (const size of [1, 100])
      expect(byId((await everything(home, owner, size, query)).inside.flat())).toEqual(items);
  });
});

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
