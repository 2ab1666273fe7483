// What the queue promises: each change once, nothing dropped, nothing overwritten, nothing of which nobody knows sent
// again, every refusal taken back. Each promise is held against a real service, and against a queue with a fault
// planted in it, which it must notice.
import { newKey } from "@svc/client";
import { describe, expect, test } from "vitest";
import { eventually } from "../../../server/test/eventually.ts";
import { newTask, workshopOn } from "../../../server/test/work.ts";
import { service } from "../../../server/test/world.ts";
import { desk, losing, type Plant, tasksOf } from "../../test/desk.ts";
import { KEY_KEPT_MS, PROVISIONAL, type QueuedChange } from "./queue/change.ts";
import type { SenderOptions, Step } from "./queue/sender.ts";

const running = service();

const promises: Record<string, (plant?: Plant) => Promise<void>> = {
  async "a record that may have been sent before a crash is asked about, and sent again under its key"(plant) {
    const { owner, project, workspaceId } = await workshopOn(running);
    const input = { project_id: project.id, title: "Once" };
    const first = desk(running, owner, workspaceId, { fetch: losing(1000) }, plant);
    const change = first.make("createTask", [], input, { creates: `${PROVISIONAL}2` });
    first.sending.lead();
    await eventually(() => expect(first.reached).toContain("unreached"));
    first.sending.stop();
    const asked: string[] = [];
    const watching: typeof fetch = (address, init) => {
      asked.push(`${init?.method} ${new URL(String(address)).pathname.split("/").at(-2)}`);
      return fetch(address, init);
    };
    const second = desk(running, owner, workspaceId, { fetch: watching }, plant);
    const kept = first.kept.get(change.key) as QueuedChange;
    expect(kept?.sentAt ?? null, "written down before it was sent").not.toBeNull();
    second.store.put(kept);
    second.kept.set(kept.key, kept);
    second.sending.lead();
    await second.empty();
    expect(asked[0]).toBe("GET operation-receipts");
    expect(await tasksOf(owner, project.id), "how often it happened").toHaveLength(1);
  },

  async "a write of unknown outcome that is older than the kept keys is shown and never sent again"(plant) {
    const { owner, project, workspaceId } = await workshopOn(running);
    const { make, sending, outcomes, kept } = desk(running, owner, workspaceId, {}, plant);
    const sentAt = Date.now() - KEY_KEPT_MS;
    make("createTask", [], { project_id: project.id, title: "Old" }, { creates: "new-3", sentAt });
    sending.lead();
    await eventually(() => expect(outcomes).toHaveLength(1));
    expect(outcomes).toMatchObject([{ kind: "old" }]);
    sending.wake();
    expect([...kept.values()]).toMatchObject([{ state: "old" }]);
    expect(await tasksOf(owner, project.id)).toEqual([]);
  },

  async "the same field is not overwritten: it waits, with theirs beside it, and so does what comes behind it"(plant) {
    const { owner, project, workspaceId } = await workshopOn(running);
    const task = await newTask(owner, project.id, { title: "Before" });
    const { make, store, sending, outcomes, kept } = desk(running, owner, workspaceId, {}, plant);
    store.accept({ task: [task] });
    await owner.call("PATCH", `/tasks/${task.id}`, { body: { title: "Theirs" }, ifMatch: "1" });
    make("updateTask", [task.id], { task_id: task.id, title: "Mine" });
    make("updateTask", [task.id], { task_id: task.id, priority: "low" });
    sending.lead();
    await eventually(() => expect(outcomes).not.toEqual([]));
    const theirs = { title: "Theirs", priority: "none" };
    expect((await tasksOf(owner, project.id))[0], "what the service has").toMatchObject(theirs);
    expect([...kept.values()]).toMatchObject([
      { state: "waiting", input: { priority: "low" } },
      {
        state: "conflict",
        theirs: { fields: ["title"], row: { title: "Theirs", revision: "2" } },
        at: { [task.id]: "2" },
      },
    ]);
    expect(store.said("task", task.id)?.title).toBe("Theirs");
    expect(store.get("task", task.id)?.title).toBe("Mine");
  },

  async "a refusal takes the change back with what depends on it, and nothing else"(plant) {
    const { home, owner, project, workspaceId } = await workshopOn(running);
    const viewer = await home.member("viewer");
    const task = await newTask(owner, project.id, { title: "Before" });
    const { make, store, sending, kept, outcomes } = desk(running, viewer, workspaceId, {}, plant);
    store.accept({ task: [task] });
    make("createTask", [], { project_id: project.id, title: "Mine" }, { creates: "new-4" });
    make("updateTask", ["new-4"], { task_id: "new-4", title: "Mine too" }, { at: {} });
    make("updateTask", [task.id], { task_id: task.id, title: "Mine" });
    sending.lead();
    await eventually(() => expect(outcomes.length).toBeGreaterThan(1));
    sending.stop();
    const refused = { kind: "refused", code: "forbidden" };
    expect(outcomes.slice(0, 2)).toMatchObject([refused, refused]);
    expect(store.get("task", "new-4"), "what was refused is not shown any more").toBeUndefined();
    expect(store.get("task", task.id)?.title).toBe("Before");
    expect([...kept.values()]).toEqual([]);
  },
};

for (const [name, holds] of Object.entries(promises)) test(name, () => holds());

type Call = (input: object, options: { key: string; at?: string }) => Promise<unknown>;
/** Changes how a change is handed to the service. */
const sent =
  (mend: (options: Parameters<Call>[1]) => Parameters<Call>[1]): Plant =>
  (options) => ({
    ...options,
    api: new Proxy(options.api, {
      get(api, name) {
        const call = Reflect.get(api, name) as Call;
        if (!/^(?:create|update)/.test(String(name))) return call;
        return (input: object, how: Parameters<Call>[1]) => call(input, mend(how));
      },
    }),
  });
/** Changes what is kept of each step. */
const kept =
  (mend: (step: Step) => Step): Plant =>
  (options: SenderOptions) => ({ ...options, take: (step) => options.take(mend(step)) });

const planted: { fault: string; breaks: string; shows: RegExp; plant: Plant }[] = [
  {
    fault: "a key that changes on repetition",
    breaks: "a record that",
    shows: /how often it happened/,
    plant: sent((options) => ({ ...options, key: newKey() })),
  },
  {
    fault: "a change that is sent before it is written down",
    breaks: "a record that",
    shows: /written down/,
    plant: kept((step) => (step.replaced.some(({ sentAt }) => sentAt !== null) ? { ...step, replaced: [] } : step)),
  },
  {
    fault: "a change that is dropped with its attempt",
    breaks: "a record that",
    shows: /written down/,
    plant: kept((step) => ({ ...step, keys: step.replaced.map(({ key }) => key), replaced: [] })),
  },
  {
    fault: "an unknown outcome that is sent again after a day",
    breaks: "a write of unknown outcome",
    shows: /kind: .old./,
    plant: (options) => ({ ...options, now: () => Date.now() - KEY_KEPT_MS }),
  },
  {
    fault: "a revision that was read again, and not the one that the person saw",
    breaks: "the same field",
    shows: /what the service has/,
    plant: sent((options) => ({ ...options, at: "2" })),
  },
  {
    fault: "a refusal that is not taken back",
    breaks: "a refusal",
    shows: /not shown any more/,
    plant: kept((step) => (Object.keys(step.brought).length === 0 ? { ...step, keys: [] } : step)),
  },
];
describe("planted", () => {
  for (const { fault, breaks, shows, plant } of planted)
    test(`${fault} is noticed`, async () => {
      const [, holds] = Object.entries(promises).find(([name]) => name.startsWith(breaks)) ?? [];
      await expect(holds?.(plant)).rejects.toThrow(shows);
    });
  test("every promise is broken by something planted", () => {
    const unproven = Object.keys(promises).filter((name) => !planted.some(({ breaks }) => name.startsWith(breaks)));
    expect(unproven).toEqual([]);
  });
});
