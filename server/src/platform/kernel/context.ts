// The context of a handler and the writes that it collects (facts, jobs and cookies) for the pipeline.

import { enqueue, TENANT } from "../background/jobs.ts";
import type { Connection, Queries } from "../database/db.ts";
import { type JournalPosition, sealPlace } from "../database/journal.ts";
import { clearedCookies, sessionCookies } from "../wire/cookies.ts";
import { bindingOf } from "../wire/cursor.ts";
import { NIL, newId } from "../wire/ids.ts";
import { refuse } from "../wire/problem.ts";
import type { SecretBox } from "../wire/secret-box.ts";
import type { Principal } from "./authentication.ts";
import type { Call } from "./call.ts";
import type { Context } from "./implement-operation.ts";
import { type Author, type WriteLog, writeEvents } from "./ledger.ts";

/** Stores the caller on a connection that did not authenticate it; $7 limits the settings to the transaction. */
export const SET_CALLER = `
select set_config('svc.workspace', $1, $7), set_config('svc.actor', $2, $7), set_config('svc.role', $3, $7),
  set_config('svc.account', $4, $7), set_config('svc.credential', $5, $7), set_config('svc.projects', $6, $7)`;
export const tenantOf = (principal: Principal | null) => principal?.membership?.workspaceId ?? NIL;
/** A caller has no role outside its own Workspace. */
export function callerOf(principal: Principal | null, workspaceId = tenantOf(principal)): string[] {
  const member = workspaceId === tenantOf(principal) ? principal?.membership : null;
  return [
    workspaceId,
    member?.actorId ?? "",
    member?.role ?? "",
    principal?.accountId ?? "",
    principal?.credentialId ?? "",
    principal?.projects ?? "",
  ];
}
/** The job queue holds mail sealed, because a mail may contain a sign-in link. */
export const enqueueAll = (tx: Connection, left: WriteLog, secrets: SecretBox) => [
  ...left.jobs.map(({ name, payload }) => enqueue(tx, name, payload)),
  ...left.letters.map((letter) => {
    const id = newId();
    return enqueue(tx, "send_mail", { id, sealed: secrets.seal(JSON.stringify(letter), id) });
  }),
];

/** Write log of a read: recording into it throws, as writing on a read-only connection would. */
export const NOTHING_TO_LEAVE = {
  facts: Object.freeze([]),
  jobs: Object.freeze([]),
  deferred: Object.freeze([]),
  cookies: Object.freeze([]),
  letters: Object.freeze([]),
} as unknown as WriteLog;

export const nothingLeft = (author: Author): WriteLog => ({
  author,
  commandId: newId(),
  facts: [],
  jobs: [],
  deferred: [],
  cookies: [],
  letters: [],
});

export function cookieJar(left: WriteLog): Context["cookies"] {
  return {
    set: (secret, maxAge) => left.cookies.push(...sessionCookies(secret, maxAge)),
    clear: () => left.cookies.push(...clearedCookies),
  };
}

/** Aborts the first attempt: the collaboration text of these targets is checkpointed before the second. */
export function requireSealed(ids: readonly string[]): void {
  if (ids.length > 0) throw Object.assign(new Error("people are writing in a target"), { unsealed: ids });
}

type Known = Pick<Call, "principal" | "kernel" | "place">;
export function cursorAt(call: Known, place: JournalPosition, scope: string, resourceId: string | null): string {
  const { principal, kernel } = call;
  const { userId, holderId, membership } = principal ?? refuse("authentication_required");
  const workspaceId = membership?.workspaceId ?? null;
  return sealPlace(kernel.cursors, { workspaceId, userId, holderId, scope, resourceId }, place);
}

export function contextOf(call: Known, tx: Queries, left: WriteLog): Context {
  const { principal, kernel } = call;
  const caller = principal?.membership?.actorId ?? "";
  return {
    tx,
    get hasModel() {
      return kernel.outside.model !== null;
    },
    get runLimits() {
      return kernel.runLimits;
    },
    get principal() {
      return principal ?? refuse("authentication_required");
    },
    get member() {
      return principal?.membership ?? refuse("not_found");
    },
    commandId: left.commandId,
    cookies: cookieJar(left),
    cursorIn: ({ id }, params, query, key) => kernel.cursors.seal(key, caller, bindingOf(id, params, query)),
    openIn({ id }, params, query, cursor) {
      const position = kernel.cursors.open(cursor, bindingOf(id, params, query));
      return position.caller === caller ? position.after : refuse("invalid_cursor");
    },
    bring: (list, names, limit) => kernel.including(tx, list, names, limit),
    place: () => call.place ?? refuse("internal"),
    cursorAt: (place, scope, resourceId) => cursorAt(call, place, scope, resourceId),
    implementationOf: ({ id }) => kernel.implementations.get(id) ?? refuse("internal"),
    record: (fact) => left.facts.push(fact),
    numberIn: (projectId) => kernel.numbers(tenantOf(principal), projectId),
    defer(statement) {
      // Nothing awaits it if the write is refused before: an unhandled rejection would end the process.
      statement.catch(() => {});
      left.deferred.push(statement);
    },
    enqueue: (name, payload) => left.jobs.push({ name, payload }),
    post: (letter) => left.letters.push(letter),
    async within({ workspaceId, actorId }, work) {
      const recorded = left.facts;
      left.facts = [];
      const [, result] = await settle([tx.rows(TENANT, [workspaceId]), work()]);
      const there = left.facts;
      left.facts = recorded;
      await settle([
        there.length > 0 && writeEvents(tx, left, workspaceId, actorId, there),
        tx.rows(TENANT, [tenantOf(principal)]),
      ]);
      return result;
    },
  };
}

/** Waits for all promises, so that no statement is still in flight, then throws the first fault in order. */
export async function settle<const T extends readonly unknown[]>(
  started: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  const results = await Promise.allSettled(started);
  for (const result of results) if (result.status === "rejected") throw result.reason;
  return results.map((result) => (result as PromiseFulfilledResult<unknown>).value) as never;
}
