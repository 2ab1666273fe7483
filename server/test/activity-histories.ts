// Random histories of activity in groups: each event is in one group, whatever the size of the pages and whoever reads,
// also while more happens.
import { describe, expect, test } from "vitest";
import { bulk, change, feedOf, type Group, groupsOf, HOUR, type Item, type telling } from "./activity-groups.ts";
import type { Answer } from "./answer.ts";
import { undo } from "./commands.ts";
import { newProject, newTask, pages } from "./work.ts";
import type { Person, World } from "./world.ts";

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

export interface Histories {
  seeds: readonly number[];
  /** Random requests of each history. */
  steps: number;
  /** Sizes of pages of groups and of their children. */
  sizes: readonly number[];
  /** Sizes of pages that are read while more happens. */
  growing: readonly number[];
  /** Sizes of pages of a civil day. */
  daySizes: readonly number[];
}

type Telling = Pick<ReturnType<typeof telling>, "query" | "hour" | "gather" | "workshop">;
export const testHistories = (
  { query, hour, gather, workshop }: Telling,
  { seeds, steps, sizes, growing, daySizes }: Histories,
) =>
  describe("each event is in one group, once", () => {
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
            bulk(
              home,
              tasks.filter(() => roll(2) === 0).concat(task),
              { due_date: `2027-02-${10 + roll(19)}` },
              person,
            ),
          () =>
            person.call("PATCH", `/projects/${project.id}`, { body: { name: value }, headers: { "if-match": "*" } }),
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
    /** Spreads all commands over several hours, in the order in which they happened. */
    const spread = (home: World, hours: number) =>
      query(
        `update domain_events e set occurred_at = $2::timestamptz + x.place * ($3 * interval '1 hour') / x.all_of_them
       from (select command_id, row_number() over (order by min(occurred_at), command_id) as place,
           count(*) over () as all_of_them
         from domain_events where workspace_id = $1 group by command_id) x
       where e.workspace_id = $1 and e.command_id = x.command_id`,
        [home.workspaceId, new Date(hour - hours * HOUR), hours],
      );

    test.each(seeds)(
      "the children of all groups are the feed's items, each once, in any page size, for every reader (history %i)",
      async (seed) => {
        const { home, owner, member, step } = await stage(seed);
        for (let count = 0; count < steps; count++) await step();
        await spread(home, 2);
        for (const person of [owner, member]) {
          const items = byId(await feed(home, person));
          const { found: once } = await everything(home, person, 100);
          expect(new Set(once.map(({ kind }) => kind))).toEqual(new Set(["command", "session", "resource"]));
          expect(once.some(({ items: shown, count }) => count > 3 && shown.length === 3)).toBe(true);
          for (const size of sizes) {
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
      for (const size of growing) {
        const { home, owner, step } = await stage(7);
        for (let count = 0; count < 50; count++) await step();
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
      for (let count = 0; count < 40; count++) await step();
      await spread(home, 30);
      const zone = "Asia/Kathmandu";
      const day = new Intl.DateTimeFormat("sv-SE", { timeZone: zone }).format(hour - 12 * HOUR);
      const query = `?day=${day}&time_zone=${zone}`;
      const items = byId(await feed(home, owner, query));
      expect(items.length).toBeGreaterThan(5);
      expect(items.length).toBeLessThan((await feed(home, owner)).length);
      for (const size of daySizes)
        expect(byId((await everything(home, owner, size, query)).inside.flat())).toEqual(items);
    });
  });
