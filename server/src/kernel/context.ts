// What a handler is given and what it leaves behind: facts, jobs and cookies, gathered here and written by the pipeline.
import type { Principal } from "./authenticate.ts";
import { clearedCookies, sessionCookies } from "./cookies.ts";
import type { Connection } from "./db.ts";
import type { Fact } from "./events.ts";
import { NIL } from "./ids.ts";
import type { Context } from "./implement.ts";
import { enqueue } from "./jobs.ts";
import { refuse } from "./problem.ts";

/** What a handler leaves for the commit and for the answer. */
export interface Left {
  facts: Fact[];
  jobs: { name: string; payload: Record<string, unknown> }[];
  /** Statements that nobody has waited for yet. */
  deferred: Promise<unknown>[];
  cookies: string[];
}
export const TENANT = "select set_config('svc.workspace', $1, true)";
export const READ_TENANT = "select set_config('svc.workspace', $1, false)";
export const tenantOf = (principal: Principal | null) => principal?.membership?.workspaceId ?? NIL;
export const enqueueAll = (tx: Connection, left: Left) =>
  left.jobs.map(({ name, payload }) => enqueue(tx, name, payload));

/** A read leaves nothing: recording from one throws, as its read-only connection would. */
export const NOTHING_TO_LEAVE = {
  facts: Object.freeze([]),
  jobs: Object.freeze([]),
  deferred: Object.freeze([]),
  cookies: Object.freeze([]),
} as unknown as Left;

export const nothingLeft = (): Left => ({ facts: [], jobs: [], deferred: [], cookies: [] });

export function cookieJar(left: Left): Context["cookies"] {
  return {
    set: (secret, maxAge) => (left.cookies = sessionCookies(secret, maxAge)),
    clear: () => (left.cookies = clearedCookies),
  };
}

export function contextOf(tx: Connection, principal: Principal | null, left: Left): Context {
  return {
    tx,
    get principal() {
      return principal ?? refuse("authentication_required");
    },
    get member() {
      return principal?.membership ?? refuse("not_found");
    },
    cookies: cookieJar(left),
    record: (fact) => left.facts.push(fact),
    defer(statement) {
      // Nobody waits for it when the write is refused before its commit, and an unhandled rejection would end the process.
      statement.catch(() => {});
      left.deferred.push(statement);
    },
    enqueue: (name, payload) => left.jobs.push({ name, payload }),
    async within(workspaceId, work) {
      const [, result] = await settle([tx.rows(TENANT, [workspaceId]), work()]);
      await tx.rows(TENANT, [tenantOf(principal)]);
      return result;
    },
  };
}

/** Waits for all of them, so that nothing is still on the wire, and then throws the first fault in order. */
export async function settle<const T extends readonly unknown[]>(
  started: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  const results = await Promise.allSettled(started);
  for (const result of results) if (result.status === "rejected") throw result.reason;
  return results.map((result) => (result as PromiseFulfilledResult<unknown>).value) as never;
}
