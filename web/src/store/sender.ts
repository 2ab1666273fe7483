// Sends what waits in the queue: the oldest of each object, different objects side by side, each under its own key until there is a definite
// answer. Only one tab does this (see tabs.ts). Nothing is sent before it is written down, and before it is sent the record says so: after a
// crash it is known what may have happened.
import { type Client, type Fault, newKey, Problem } from "@svc/client";
import { advanced, type Change, dependents, isTooOld, renamed, sendable } from "./change.ts";
import { resolve } from "./conflict.ts";
import type { Brought, Domains } from "./domain.ts";
import type { AnyRow, Kind } from "./rows.ts";
import type { Store } from "./store.ts";

/** At once: a browser opens six connections to a host, and reading goes on meanwhile. */
const AT_ONCE = 4;
const LEAST_WAIT_MS = 500;
const MOST_WAIT_MS = 30_000;

/** What becomes of a change that was not taken. */
export type Verdict = "session" | "later" | "conflict" | "refused";
export function verdictOf({ status, code, outcome }: Pick<Problem, "status" | "code" | "outcome">): Verdict {
  if (status === 401 || code === "invalid_csrf_token" || code === "recent_authentication_required") return "session";
  if (code === "revision_conflict") return "conflict";
  // The budget of the assistant: other changes must not wait for it.
  if (code === "turns_exceeded" || code === "runs_exceeded") return "refused";
  if (outcome === "unknown" || status === 0 || status >= 500 || status === 429 || code === "idempotency_in_progress")
    return "later";
  return "refused";
}

/** What has happened to the queue: everybody who shows it takes it in one step. */
export interface Step {
  keys: string[];
  replaced: Change[];
  brought: Brought;
  alias?: [string, string];
}
export type Outcome =
  | { kind: "done"; change: Change; commandId: string | undefined }
  | { kind: "refused"; change: Change; code: string; faults: readonly Fault[] }
  | { kind: "conflict" | "old"; change: Change };

export interface SenderOptions {
  api: Client;
  workspaceId: string;
  store: Store;
  domains: Domains;
  /** Takes the step and keeps it; it is on the disk when this ends. */
  take(step: Step): Promise<void>;
  report(outcome: Outcome): void;
  /** reached: an answer came. unreached: none. session: somebody has to sign in, or go back to this Workspace. */
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

  async function deliver(change: Change) {
    if (isTooOld(change, now())) {
      const old: Change = { ...change, state: "old" };
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
      // It has happened, and only its answer is lost: what it made is read instead.
      if (!receipt || verdictOf(error as Problem) !== "refused") throw error;
      return settle(change, receipt.id, await readAgain(change));
    }
    const { took, rows, final } = domains.operation(change.operation);
    const said: Brought = { [change.kind]: answer ? [answer] : [] };
    const brought = took ? await took(answer, change, api) : rows ? await rows(change, api) : said;
    // An answer without a body, as of what is deleted, is not the client's to remember: its receipt has the command.
    const receipted = async () => (await receiptOf(change.key).catch(() => null))?.id;
    const commandId = final ? undefined : answer ? api.commandOf(answer) : await receipted();
    await settle(change, commandId, brought);
  }

  const receiptOf = (key: string) =>
    api.getOperationReceipt({ workspace_id: workspaceId, id: key }).catch((problem: Problem) => {
      if (problem.code === "not_found") return null;
      throw problem;
    });

  function send({ operation, input, key, at, ids, kind }: Change): Promise<unknown> {
    const { unmatched } = domains.operation(operation);
    const fields = Object.keys(input).filter((name) => name !== `${kind}_id`);
    const free = unmatched === true || (unmatched && fields.every((name) => unmatched.includes(name)));
    const call = api[operation as "updateTask"] as unknown as (input: object, options: object) => Promise<unknown>;
    return call(input, { key, at: free || ids.length !== 1 ? undefined : at[ids[0] as string] });
  }

  async function readAgain({ kind, ids }: Change): Promise<Brought> {
    const read = domains.read(kind);
    const found: Brought = {};
    for (const id of read ? ids : []) merge(found, (await read?.(api, id)) as Brought);
    return found;
  }

  async function settle(change: Change, commandId: string | undefined, brought: Brought) {
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
    // In the same moment: what does not wait any more can be taken back.
    report({ kind: "done", change: made ? { ...change, ids: [made.id] } : change, commandId });
    await kept;
  }

  async function fail(change: Change, error: unknown) {
    if (!(error instanceof Problem)) {
      // Such as a disk that takes nothing: what is tried again at once would never end.
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

  /** Whether the session is still in this Workspace: in another one nothing of this one is found. */
  const isHere = () =>
    api.getMe().then(
      (me) => me.workspace_id === workspaceId,
      () => false,
    );

  async function conflict(change: Change): Promise<boolean> {
    const [id] = change.ids as [string];
    const brought = await readAgain(change);
    const theirs = ((brought[change.kind] ?? []) as readonly AnyRow[]).find((row) => row.id === id);
    if (!theirs) return false;
    const row = theirs as unknown as Record<string, unknown>;
    const found = resolve(change, row);
    const base = { ...change, key: newKey(), at: { [id]: String(theirs.revision) }, sentAt: null };
    const next: Change =
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
    /** This tab is the one that sends. */
    lead() {
      leads = true;
      pump();
    },
    /** Something is new: a change, a connection, a session. */
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

/** Both, in one. */
export function merge(into: Brought, { gone, ...from }: Brought): Brought {
  for (const [kind, rows] of Object.entries(from) as [Kind, never[]][])
    into[kind] = [...((into[kind] ?? []) as never[]), ...rows] as never;
  if (gone) into.gone = { ...into.gone, ...gone };
  return into;
}
