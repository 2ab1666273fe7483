// What became of changes, for whoever tells people. Changes that were made as one, such as of more Tasks than one operation takes, are told as one,
// once none of them waits for an answer.
import type { Change } from "./change.ts";
import type { Outcome } from "./sender.ts";
import type { Store } from "./store.ts";

/** wished: it is taken back as soon as there is an answer. */
export type Told = Outcome | { kind: "wished"; change: Change };
/** `done`: of changes that were made as one, how many objects were changed. */
export type Noticed = Told & { id: number; done?: number };

export class Notices {
  /** The newest last, until somebody has seen it. */
  all: readonly Noticed[] = [];
  private readonly store: Pick<Store, "pending" | "tell">;
  private readonly answered = new Map<string, Told[]>();
  private count = 0;

  constructor(store: Pick<Store, "pending" | "tell">) {
    this.store = store;
  }
  tell(told: Told) {
    const { batch, operation } = told.change;
    if (batch === undefined || told.kind === "wished") return this.add(told);
    const known = [...(this.answered.get(batch) ?? []), told];
    this.answered.set(batch, known);
    if (this.store.pending.some((change) => change.batch === batch && change.state === "waiting")) return;
    this.answered.delete(batch);
    // What was taken back meanwhile is told as that alone.
    this.add(asOne(known.filter(({ change }) => change.operation === operation)));
  }
  seen(id: number) {
    this.all = this.all.filter((notice) => notice.id !== id);
    this.store.tell();
  }
  private add(told: Told & { done?: number }) {
    this.all = [...this.all, { ...told, id: ++this.count }].slice(-5);
    this.store.tell();
  }
}

/** The first that did not happen, if any, about all of them. */
function asOne(all: readonly Told[]): Told & { done: number } {
  const told = all.find(({ kind }) => kind !== "done") ?? (all.at(-1) as Told);
  const idsOf = (some: readonly Told[]) =>
    some.flatMap(({ change: { ids, creates } }) => (ids.length > 0 ? ids : (creates ?? [])));
  const done = idsOf(all.filter(({ kind }) => kind === "done")).length;
  return { ...told, change: { ...told.change, ids: idsOf(all) }, done };
}
