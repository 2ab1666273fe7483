// Keeps the rows fresh: a hint names what has changed, and what the store holds of it is read again, what is on the screen first. Where what
// came since the last visit cannot be told, everything that is kept is read anew.
import type { Client, Problem, Realtime } from "@svc/client";
import type { Brought, Domains } from "./domain.ts";
import { isNewer, type Kind } from "./rows.ts";
import type { Store } from "./store.ts";

/** As the socket says it. */
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
  /** Where the last visit ended. */
  cursor: string | null;
  take(brought: Brought): void;
  /** Reads anew what the pages hold. */
  refresh(): Promise<void>;
  applied(cursor: string): void;
  onState(state: "connecting" | "live" | "ended", reason: string): void;
  /** For what is no row of the store. */
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
        // First where it stands, then what there is: nothing that happens in between is missed.
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
          // What came before is not told: whoever holds some of it reads it anew.
          if (scope === "discuss") onHints([{ kind: scope, id: "", revision: null, action: "changed" }]);
          return cursor;
        },
        changed: (changes) => onHints(changes as readonly Hint[]),
      },
    );
  return realtime;
}

/** The rows that these hints are about, as far as the store holds them, or the Project that they are in. */
export function toRead(
  hints: readonly Hint[],
  store: Pick<Store, "said" | "fact">,
  domains: Domains,
): [Kind, string][] {
  const found = new Map<string, [Kind, string]>();
  for (const { kind, id, revision, action, project_id, task_id } of hints) {
    // A comment, a file or a relation counts on its Task, whose revision stays.
    if (task_id !== undefined && store.said("task", task_id)) found.set(`task:${task_id}`, ["task", task_id]);
    if (!domains.read(kind as Kind)) continue;
    const known = store.said(kind as Kind, id) as { revision?: string } | undefined;
    const isHeld = project_id === undefined || store.fact(`loaded:${project_id}`) !== undefined;
    const isFresh =
      known?.revision !== undefined && revision !== null && !isNewer(revision, known.revision) && action !== "removed";
    if (isFresh || (!known && !isHeld)) continue;
    found.set(`${kind}:${id}`, [kind as Kind, id]);
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

/** For how a domain reads a row again: what is not found is gone. */
export async function orGone<K extends Kind>(kind: K, id: string, read: Promise<Brought>): Promise<Brought> {
  return read.catch((problem: Problem) => {
    if (problem.code !== "not_found") throw problem;
    return { gone: { [kind]: [id] } } as Brought;
  });
}
