// Queue of notices about changes. A batch, such as an update of more Tasks than one operation accepts, produces one
// notice once all of its changes have been answered.
import type { QueuedChange } from "./queue/change.ts";
import type { Outcome } from "./queue/sender.ts";
import type { Store } from "./store.ts";

/** wished: the change will be undone as soon as its response arrives. */
export type ChangeNotice = Outcome | { kind: "wished"; change: QueuedChange };
/** `done` is the number of rows of a batch that were changed. */
export type Noticed = ChangeNotice & { id: number; done?: number };

export class Notices {
  /** Notices not seen yet, the newest last. */
  all: readonly Noticed[] = [];
  private readonly store: Pick<Store, "pending" | "tell">;
  private readonly answered = new Map<string, ChangeNotice[]>();
  private count = 0;

  constructor(store: Pick<Store, "pending" | "tell">) {
    this.store = store;
  }
  tell(told: ChangeNotice) {
    const { batch, operation } = told.change;
    if (batch === undefined || told.kind === "wished") return this.add(told);
    const known = [...(this.answered.get(batch) ?? []), told];
    this.answered.set(batch, known);
    if (this.store.pending.some((change) => change.batch === batch && change.state === "waiting")) return;
    this.answered.delete(batch);
    // A change undone meanwhile is reported only as undone.
    this.add(asOne(known.filter(({ change }) => change.operation === operation)));
  }
  seen(id: number) {
    this.all = this.all.filter((notice) => notice.id !== id);
    this.store.tell();
  }
  private add(told: ChangeNotice & { done?: number }) {
    this.all = [...this.all, { ...told, id: ++this.count }].slice(-5);
    this.store.tell();
  }
}

/** Merges the notices of a batch: the first failure if there is one, with the ids of all changes. */
function asOne(all: readonly ChangeNotice[]): ChangeNotice & { done: number } {
  const told = all.find(({ kind }) => kind !== "done") ?? (all.at(-1) as ChangeNotice);
  const idsOf = (some: readonly ChangeNotice[]) =>
    some.flatMap(({ change: { ids, creates } }) => (ids.length > 0 ? ids : (creates ?? [])));
  const done = idsOf(all.filter(({ kind }) => kind === "done")).length;
  return { ...told, change: { ...told.change, ids: idsOf(all) }, done };
}
