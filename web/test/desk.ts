// The queue of one tab against a real service, with what it keeps and what it was told; with a fault planted in it
// where a test wants to see that it is noticed.

import { type ClientOptions, createClient, newKey } from "@svc/client";
import { expect } from "vitest";
import { clientOf } from "../../client/test/client-of.ts";
import { eventually } from "../../server/test/eventually.ts";
import { type Person, sessionHeaders, type TestService } from "../../server/test/world.ts";
import { together } from "../src/store/domain.ts";
import type { QueuedChange } from "../src/store/queue/change.ts";
import { type Outcome, type SenderOptions, sender } from "../src/store/queue/sender.ts";
import { Store } from "../src/store/store.ts";
import { tasksDomain } from "../src/tasks/operations.ts";
import { partsDomain } from "../src/tasks/panel/operations.ts";

const domains = together([tasksDomain, partsDomain]);

/** Spoils what the queue works with. */
export type Plant = (options: SenderOptions) => SenderOptions;

export function desk(
  running: TestService,
  person: Person,
  workspaceId: string,
  options: ClientOptions = {},
  plant: Plant = (sound) => sound,
) {
  const store = new Store(domains);
  const kept = new Map<string, QueuedChange>();
  const outcomes: Outcome[] = [];
  const reached: string[] = [];
  const headers = sessionHeaders(person.session);
  const api = createClient({ url: running.url, attempts: 1, workspaceId, headers, ...options });
  const sending = sender(
    plant({
      api,
      workspaceId,
      store,
      domains,
      async take({ keys, replaced, brought, alias }) {
        for (const key of keys) kept.delete(key);
        for (const change of replaced) kept.set(change.key, change);
        store.settle(keys, replaced, brought, alias);
      },
      report: (outcome) => outcomes.push(outcome),
      reached: (how) => reached.push(how),
    }),
  );
  let order = 0;
  const make = (operation: string, ids: string[], input: Record<string, unknown>, more: Partial<QueuedChange> = {}) => {
    const row = store.get("task", ids[0] ?? "") as Record<string, unknown> | undefined;
    const key = newKey();
    const change: QueuedChange = {
      key,
      order: ++order,
      operation,
      kind: "task",
      ids,
      creates: null,
      input,
      guess: {},
      at: row ? { [ids[0] as string]: String(row.revision) } : {},
      madeAt: Date.now(),
      sentAt: null,
      state: "waiting",
      saw: row ? { [ids[0] as string]: Object.fromEntries(Object.keys(input).map((name) => [name, row[name]])) } : {},
      ...more,
    };
    store.put(change);
    kept.set(change.key, change);
    return change;
  };
  const empty = () => eventually(() => expect([...kept.values()]).toEqual([]));
  return { store, kept, outcomes, reached, sending, make, empty, api };
}

export const tasksOf = async (person: Person, projectId: string) =>
  (await clientOf(person).listProjectTasks({ project_id: projectId, limit: 100 })).items as {
    id: string;
    title: string;
  }[];

/** Does it, and loses so many answers. */
export function losing(count: number): typeof fetch {
  let left = count;
  return async (input, init) => {
    const answer = await fetch(input, init);
    if (init?.method === "GET" || left-- <= 0) return answer;
    throw new TypeError("fetch failed");
  };
}
