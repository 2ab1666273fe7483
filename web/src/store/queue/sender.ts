// Sends the change queue: the oldest change of each row first, different rows in parallel, each under its own
// idempotency key until the response is definite. Only the leader tab sends (see tabs.ts). Each change is persisted
// before it is sent, and marked as sent before the request, so that after a crash it is known what may have been
// applied.
import { type Client, type Fault, newKey, Problem } from "@svc/client";
import type { Brought, Domains } from "../domain.ts";
import type { AnyRow, RowKind } from "../rows.ts";
import type { Store } from "../store.ts";
import { advanced, dependents, isTooOld, type QueuedChange, renamed, sendable } from "./change.ts";
import { resolve } from "./conflict.ts";

/** Parallel requests: a browser opens six connections per host, and reads need some of them. */
const AT_ONCE = 4;
const LEAST_WAIT_MS = 500;
const MOST_WAIT_MS = 30_000;

/** Classification of a failed request. */
export type Verdict = "session" | "later" | "conflict" | "refused";
export function verdictOf({ status, code, outcome }: Pick<Problem, "status" | "code" | "outcome">): Verdict {
  if (status === 401 || code === "invalid_csrf_token" || code === "recent_authentication_required") return "session";
  if (code === "revision_conflict") return "conflict";
  // The assistant's budget is exhausted: other changes must not wait for it.
  if (code === "turns_exceeded" || code === "runs_exceeded") return "refused";
  if (outcome === "unknown" || status === 0 || status >= 500 || status === 429 || code === "idempotency_in_progress")
    return "later";
  return "refused";
}

/** Atomic update of the queue: every tab applies it in one step. */
export interface Step {
  keys: string[];
  replaced: QueuedChange[];
  brought: Brought;
  alias?: [string, string];
}
export type Outcome =
  | { kind: "done"; change: QueuedChange; commandId: string | undefined }
  | { kind: "refused"; change: QueuedChange; code: string; faults: readonly Fault[] }
  | { kind: "conflict" | "old"; change: QueuedChange };

export interface SenderOptions {
  api: Client;
  workspaceId: string;
  store: Store;
  domains: Domains;
  /** Applies and persists the step; it is on disk when the promise resolves. */
  take(step: Step): Promise<void>;
  report(outcome: Outcome): void;
  /**
   * reached: a response arrived. unreached: none arrived. session: the person must sign in, or switch back to this
   * Workspace.
   */
  reached(how: "reached" | "unreached" | "session"): void;
  now?(): number;
}

export function sender({ api, workspaceId, store, domains, take, report, reached, now = Date.now }: SenderOptions) {
  const busy = new Set<string>();
  const waits = new Set<() => void>();
  let [leads, paused, missed] = [false, false, 0];

  function pump() {
    if (!leads || paused) return;
    for (const change of sendable(store.pending, busy, AT_ONCE - busy.size)) {
      busy.add(change.key);
      void deliver(change)
        .catch((error) => fail(change, error))
        .finally(() => {
          busy.delete(change.key);
          pump();
        });
    }
  }

  async function deliver(change: QueuedChange) {
    if (isTooOld(change, now())) {
      const old: QueuedChange = { ...change, state: "old" };
      await take({ keys: [change.key], replaced: [old], brought: {} });
      return report({ kind: "old", change: old });
    }
    const isRepeated = change.sentAt !== null;
    if (!isRepeated) await take({ keys: [], replaced: [{ ...change, sentAt: now() }], brought: {} });
    const receipt = isRepeated ? await receiptOf(change.key) : null;
    let answer: object | undefined;
    try {
      answer = (await send(change)) as object | undefined;
    } catch (error) {
      // The change was applied and only its response was lost: read the result instead.
      if (!receipt || verdictOf(error as Problem) !== "refused") throw error;
      return settle(change, receipt.id, await readAgain(change));
    }
    const { took, rows, final } = domains.operation(change.operation);
    const said: Brought = { [change.kind]: answer ? [answer] : [] };
    const brought = took ? await took(answer, change, api) : rows ? await rows(change, api) : said;
    // The client cannot remember the command of a response without a body, such as that of a deletion: its receipt
    // names the command.
    const receipted = async () => (await receiptOf(change.key).catch(() => null))?.id;
    const commandId = final ? undefined : answer ? api.commandOf(answer) : await receipted();
    await settle(change, commandId, brought);
  }

  const receiptOf = (key: string) =>
    api.getOperationReceipt({ workspace_id: workspaceId, id: key }).catch((problem: Problem) => {
      if (problem.code === "not_found") return null;
      throw problem;
    });

  function send({ operation, input, key, at, ids, kind }: QueuedChange): Promise<unknown> {
    const { unmatched } = domains.operation(operation);
    const fields = Object.keys(input).filter((name) => name !== `${kind}_id`);
    const free = unmatched === true || (unmatched && fields.every((name) => unmatched.includes(name)));
    const call = api[operation as "updateTask"] as unknown as (input: object, options: object) => Promise<unknown>;
    return call(input, { key, at: free || ids.length !== 1 ? undefined : at[ids[0] as string] });
  }

  async function readAgain({ kind, ids }: QueuedChange): Promise<Brought> {
    const read = domains.read(kind);
    const found: Brought = {};
    for (const id of read ? ids : []) merge(found, (await read?.(api, id)) as Brought);
    return found;
  }

  async function settle(change: QueuedChange, commandId: string | undefined, brought: Brought) {
    missed = 0;
    reached("reached");
    const rows = (brought[change.kind] ?? []) as readonly AnyRow[];
    const made = change.creates === null ? undefined : rows[0];
    const later = store.pending.filter(({ key }) => key !== change.key);
    const replaced = later
      .map((each) => {
        let next = made ? renamed(each, change.creates as string, made.id, made.revision) : each;
        for (const { id, revision } of rows)
          if (revision !== undefined) next = advanced(next, id, change.at[id], revision);
        return next;
      })
      .filter((each, at) => each !== later[at]);
    const alias: [string, string] | undefined = made && [change.creates as string, made.id];
    const kept = take({ keys: [change.key], replaced, brought, alias });
    // Reports in the same tick: as soon as the change is no longer pending, it can be undone.
    report({ kind: "done", change: made ? { ...change, ids: [made.id] } : change, commandId });
    await kept;
  }

  async function fail(change: QueuedChange, error: unknown) {
    if (!(error instanceof Problem)) {
      // For example failing storage: an immediate retry would loop forever.
      console.error(error);
      return pause(null, ++missed);
    }
    const verdict = verdictOf(error);
    if (error.status > 0) missed = 0;
    if (verdict === "later") {
      reached(error.status === 0 ? "unreached" : "reached");
      return pause(error.retryAfter, ++missed);
    }
    if (verdict === "session" || ((error.status === 403 || error.status === 404) && !(await isHere()))) {
      paused = true;
      return reached("session");
    }
    reached("reached");
    if (verdict === "conflict") {
      const settled = await conflict(change).catch((failed) => fail(change, failed).then(() => true));
      if (settled) return;
    }
    const dropped = [change, ...dependents(store.pending, change)];
    await take({ keys: dropped.map(({ key }) => key), replaced: [], brought: {} });
    report({ kind: "refused", change, code: error.code, faults: error.faults });
  }

  /** True if the session is still in this Workspace: in another one, every id is not found. */
  const isHere = () =>
    api.getMe().then(
      (me) => me.workspace_id === workspaceId,
      () => false,
    );

  async function conflict(change: QueuedChange): Promise<boolean> {
    const [id] = change.ids as [string];
    const brought = await readAgain(change);
    const theirs = ((brought[change.kind] ?? []) as readonly AnyRow[]).find((row) => row.id === id);
    if (!theirs) return false;
    const row = theirs as unknown as Record<string, unknown>;
    const found = resolve(change, row);
    const base = { ...change, key: newKey(), at: { [id]: String(theirs.revision) }, sentAt: null };
    const next: QueuedChange =
      found.kind === "both"
        ? { ...base, input: found.input, state: "conflict", theirs: { row, fields: found.fields } }
        : { ...base, input: found.input, saw: { [id]: pick(row, Object.keys(change.saw[id] ?? {})) } };
    await take({ keys: [change.key], replaced: [next], brought });
    if (found.kind === "both") report({ kind: "conflict", change: next });
    return true;
  }

  function pause(seconds: number | null, attempt: number): Promise<void> {
    const wait = Math.min(MOST_WAIT_MS, LEAST_WAIT_MS * 2 ** Math.min(attempt - 1, 8)) * (0.5 + Math.random() / 2);
    return new Promise((go) => {
      const end = () => {
        clearTimeout(timer);
        waits.delete(end);
        go();
      };
      const timer = setTimeout(end, Math.max(wait, (seconds ?? 0) * 1000));
      waits.add(end);
    });
  }

  return {
    /** Called when this tab becomes the leader. */
    lead() {
      leads = true;
      pump();
    },
    /** Wakes the queue after a new change, a reconnect or a new session. */
    wake() {
      for (const end of [...waits]) end();
      pump();
    },
    resume() {
      paused = false;
      this.wake();
    },
    stop() {
      leads = false;
      for (const end of [...waits]) end();
    },
  };
}

export const pick = (row: Readonly<Record<string, unknown>>, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, row[name]]));

/** Merges `from` into `into`. */
export function merge(into: Brought, { gone, ...from }: Brought): Brought {
  for (const [kind, rows] of Object.entries(from) as [RowKind, never[]][])
    into[kind] = [...((into[kind] ?? []) as never[]), ...rows] as never;
  if (gone) into.gone = { ...into.gone, ...gone };
  return into;
}
