// Keeps rows fresh: a hint names a changed row, and the store reads it again if it holds it, visible rows first. If the
// changes since the last visit are unavailable, all persisted rows are read again.
import type { Client, Problem, Realtime } from "@svc/client";
import type { Brought, Domains } from "./domain.ts";
import { isNewer, type RowKind } from "./rows.ts";
import type { Store } from "./store.ts";

/** Message of the WebSocket. */
export interface Hint {
  kind: string;
  id: string;
  revision: string | null;
  action: "created" | "changed" | "removed";
  project_id?: string;
  task_id?: string;
}
const AT_ONCE = 6;

export interface HintOptions {
  api: Client;
  store: Store;
  domains: Domains;
  /** Cursor at the end of the last visit. */
  cursor: string | null;
  take(brought: Brought): void;
  /** Reads the rows of the pages again. */
  refresh(): Promise<void>;
  applied(cursor: string): void;
  onState(state: "connecting" | "live" | "ended", reason: string): void;
  /** Called for data outside of the store's rows. */
  onHints(hints: readonly Hint[]): void;
}

export function follow(options: HintOptions): Realtime {
  const { api, applied, onHints, refresh } = options;
  let { cursor } = options;
  const realtime = api.realtime({ onState: options.onState });
  realtime.follow(
    { scope: "workspace" },
    {
      async baseline() {
        const kept = cursor;
        cursor = null;
        if (kept !== null) return kept;
        // Reads the cursor before the data, so that no change in between is missed.
        const at = await api.getRealtimeBaseline();
        await refresh();
        return at.cursor;
      },
      async changed(changes) {
        await readAgain(changes as readonly Hint[], options);
        onHints(changes as readonly Hint[]);
      },
      applied,
    },
  );
  for (const scope of ["inbox", "personal_projects", "discuss"] as const)
    realtime.follow(
      { scope },
      {
        async baseline() {
          const { cursor } = await api.getRealtimeBaseline({ scope, limit: 1 });
          // Earlier changes are unavailable: subscribers refresh what they hold.
          if (scope === "discuss") onHints([{ kind: scope, id: "", revision: null, action: "changed" }]);
          return cursor;
        },
        changed: (changes) => onHints(changes as readonly Hint[]),
      },
    );
  return realtime;
}

/** Rows that the hints refer to, if the store holds the row or its Project. */
export function toRead(
  hints: readonly Hint[],
  store: Pick<Store, "said" | "fact">,
  domains: Domains,
): [RowKind, string][] {
  const found = new Map<string, [RowKind, string]>();
  for (const { kind, id, revision, action, project_id, task_id } of hints) {
    // Comments, files and relations change counters of their Task, but not its revision.
    if (task_id !== undefined && store.said("task", task_id)) found.set(`task:${task_id}`, ["task", task_id]);
    if (!domains.read(kind as RowKind)) continue;
    const known = store.said(kind as RowKind, id) as { revision?: string } | undefined;
    const isHeld = project_id === undefined || store.fact(`loaded:${project_id}`) !== undefined;
    const isFresh =
      known?.revision !== undefined && revision !== null && !isNewer(revision, known.revision) && action !== "removed";
    if (isFresh || (!known && !isHeld)) continue;
    found.set(`${kind}:${id}`, [kind as RowKind, id]);
  }
  return [...found.values()];
}

async function readAgain(hints: readonly Hint[], { api, store, domains, take }: HintOptions) {
  const wanted = toRead(hints, store, domains).sort(([, one], [, other]) => store.isSeen(other) - store.isSeen(one));
  const next = async () => {
    for (let one = wanted.shift(); one; one = wanted.shift()) {
      const [kind, id] = one;
      take(await (domains.read(kind) as NonNullable<ReturnType<Domains["read"]>>)(api, id));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
}

/** Treats not_found as a removed row, when a domain refreshes it. */
export async function orGone<K extends RowKind>(kind: K, id: string, read: Promise<Brought>): Promise<Brought> {
  return read.catch((problem: Problem) => {
    if (problem.code !== "not_found") throw problem;
    return { gone: { [kind]: [id] } } as Brought;
  });
}
