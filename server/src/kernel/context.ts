// What a handler is given and what it leaves behind: facts, jobs and cookies, gathered here and written by the pipeline.
import type { Principal } from "./authenticate.ts";
import { clearedCookies, sessionCookies } from "./cookies.ts";
import type { Connection } from "./db.ts";
import type { Fact } from "./events.ts";
import { NIL, newId } from "./ids.ts";
import type { Context } from "./implement.ts";
import { enqueue } from "./jobs.ts";
import type { Letter } from "./outside.ts";
import { refuse } from "./problem.ts";
import type { SecretBox } from "./secret-box.ts";

/** What a handler leaves for the commit and for the answer. */
export interface Left {
  facts: Fact[];
  jobs: { name: string; payload: Record<string, unknown> }[];
  /** Statements that nobody has waited for yet. */
  deferred: Promise<unknown>[];
  cookies: string[];
  letters: Letter[];
}
const TENANT = "select set_config('svc.workspace', $1, true)";
export const CALLER = `
select set_config('svc.workspace', $1, true), set_config('svc.actor', coalesce($2, ''), true),
  set_config('svc.account', coalesce($3, ''), true)`;
export const READ_TENANT = "select set_config('svc.workspace', $1, false)";
export const tenantOf = (principal: Principal | null) => principal?.membership?.workspaceId ?? NIL;
/** A letter may hold a link that lets its reader in, so the queue holds it sealed. */
export const enqueueAll = (tx: Connection, left: Left, secrets: SecretBox) => [
  ...left.jobs.map(({ name, payload }) => enqueue(tx, name, payload)),
  ...left.letters.map((letter) => {
    const id = newId();
    return enqueue(tx, "send_mail", { id, sealed: secrets.seal(JSON.stringify(letter), id) });
  }),
];

/** A read leaves nothing: recording from one throws, as its read-only connection would. */
export const NOTHING_TO_LEAVE = {
  facts: Object.freeze([]),
  jobs: Object.freeze([]),
  deferred: Object.freeze([]),
  cookies: Object.freeze([]),
  letters: Object.freeze([]),
} as unknown as Left;

export const nothingLeft = (): Left => ({ facts: [], jobs: [], deferred: [], cookies: [], letters: [] });

export function cookieJar(left: Left): Context["cookies"] {
  return {
    set: (secret, maxAge) => left.cookies.push(...sessionCookies(secret, maxAge)),
    clear: () => left.cookies.push(...clearedCookies),
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
    post: (letter) => left.letters.push(letter),
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
