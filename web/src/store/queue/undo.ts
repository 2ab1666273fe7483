// Undo and redo stacks of this tab, by command id. Undo and Redo are changes themselves: queued, applied
// optimistically, and possibly rejected.
import type { Client } from "@svc/client";
import type { Brought, Domain, Domains } from "../domain.ts";
import type { AnyRow, RowKind } from "../rows.ts";
import type { Store } from "../store.ts";
import type { Making } from "./build-change.ts";
import { inOrder, type QueuedChange } from "./change.ts";
import { merge, pick } from "./sender.ts";

export interface Undoable {
  commandId: string;
  change: QueuedChange;
}
const MOST = 50;

const isOne = (one: Pick<QueuedChange, "key" | "batch">, other: Pick<QueuedChange, "key" | "batch">) =>
  one.key === other.key || (one.batch !== undefined && one.batch === other.batch);

/** True for an Undo or a Redo. */
export const isBack = ({ operation }: QueuedChange) => operation === "undoCommand" || operation === "redoCommand";

/** Optimistic result until the response arrives: the previous fields, or the row that appears or disappears. */
interface Back {
  fields: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  rows: Readonly<Record<string, AnyRow | null>>;
  /** Original change, if its operation defines how to refresh its rows. */
  from?: Pick<QueuedChange, "operation" | "guess">;
}
const apply = (row: AnyRow | undefined, { guess }: Pick<QueuedChange, "guess">, id: string): AnyRow | undefined => {
  const { fields, rows } = guess as unknown as Back;
  const whole = rows[id];
  if (whole !== undefined) return whole ?? undefined;
  return row && { ...row, ...fields[id] };
};

/** The response is a receipt, so the changed rows are read again. */
export const undoDomain = (domains: () => Domains): Domain => {
  const rows = async (change: QueuedChange, api: Client): Promise<Brought> => {
    const { from } = change.guess as unknown as Back;
    const many = from && domains().operation(from.operation).rows;
    if (many) return many({ ...change, guess: from.guess }, api);
    const read = domains().read(change.kind) as NonNullable<ReturnType<Domains["read"]>>;
    return (await Promise.all(change.ids.map((id) => read(api, id)))).reduce(merge, {});
  };
  const operation = { kind: "task" as const, apply, rows, unmatched: true as const };
  return { operations: { undoCommand: operation as never, redoCommand: operation as never } };
};

interface Around {
  store: Store;
  domains: Domains;
  /** True if this tab made the change with this key. */
  isMine(key: string): boolean;
  queue(kind: RowKind, operation: string, making: Making): void;
  /** Called for a change that will be undone once its response arrives. */
  waits(change: QueuedChange): void;
}

export class UndoStack {
  private readonly name: string;
  private readonly around: Around;
  private undos: Undoable[];
  private redos: Undoable[] = [];
  /** Changes to undo as soon as their response arrives. */
  private wishes: Pick<QueuedChange, "key" | "batch">[] = [];

  constructor(name: string, around: Around) {
    this.name = `undo:${name}`;
    this.around = around;
    this.undos = JSON.parse(sessionStorage.getItem(this.name) ?? "[]") as Undoable[];
  }
  done(entry: Undoable) {
    const all = [...this.undos, entry];
    // Never splits a batch.
    this.undos = all.slice(-Math.max(MOST, all.filter(({ change }) => isOne(change, entry.change)).length));
    this.redos = this.redos.filter(({ change }) => isOne(change, entry.change));
    this.keep();
  }
  get all(): readonly Undoable[] {
    return this.undos;
  }

  /** Undoes the given entry or the newest change, with its whole batch, the latest change first. */
  undo(named?: Undoable) {
    const waiting = this.around.store.pending.filter(this.canBeTakenBack).sort(inOrder);
    const newest = named ? undefined : this.newest(waiting);
    const entry = newest ? undefined : (named ?? this.undos.at(-1));
    const change = newest ?? entry?.change;
    if (!change) return;
    const isIts = (other: QueuedChange) => isOne(other, change);
    this.wishes.push(...waiting.filter(isIts).toReversed());
    if (newest) this.around.waits(newest);
    const others = this.undos.filter((each) => each.commandId !== entry?.commandId && isIts(each.change));
    const all = [...others, ...(entry ? [entry] : [])].sort((one, other) => inOrder(other.change, one.change));
    for (const each of all) this.takeBack(each);
  }
  private takeBack(entry: Undoable) {
    const { store, domains, queue } = this.around;
    const { kind, ids, operation, batch } = entry.change;
    const { inverse } = domains.operation(operation);
    if (inverse) {
      this.drop(entry.commandId);
      return queue(kind, operation, { ids, input: inverse(entry.change) });
    }
    this.move(entry, "redo");
    this.forth.set(entry.commandId, forthOf(entry, store));
    queue(kind, "undoCommand", {
      ids,
      input: { command_id: entry.commandId },
      guess: this.guess(entry, backOf(entry)),
      batch,
    });
  }
  private guess({ change: { operation, guess } }: Undoable, back: Back): QueuedChange["guess"] {
    const from = this.around.domains.operation(operation).rows && { operation, guess };
    return { ...back, ...(from && { from }) } as never;
  }
  private readonly forth = new Map<string, Back>();
  redo() {
    // Redo cancels a scheduled undo.
    const change = this.wishes.at(-1) ?? this.redos.at(-1)?.change;
    if (!change) return;
    this.wishes = this.wishes.filter((each) => !isOne(each, change));
    const all = this.redos.filter((each) => isOne(each.change, change));
    for (const entry of all.sort((one, other) => inOrder(one.change, other.change))) {
      const forth = this.forth.get(entry.commandId);
      if (!forth) continue;
      this.move(entry, "undo");
      const { kind, ids, batch } = entry.change;
      const input = { command_id: entry.commandId };
      this.around.queue(kind, "redoCommand", { ids, input, guess: this.guess(entry, forth), batch });
    }
  }

  private readonly canBeTakenBack = (change: QueuedChange) => {
    const { final, quiet } = this.around.domains.operation(change.operation);
    const isMine = this.around.isMine(change.key) && change.state === "waiting";
    const isWished = this.wishes.some(({ key }) => key === change.key);
    return isMine && !isWished && !isBack(change) && !final && !quiet?.(change);
  };
  /** Moves an entry to the other stack; `redo` is the stack of undone changes. */
  private move(entry: Undoable, to: "redo" | "undo") {
    const isOther = ({ commandId }: Undoable) => commandId !== entry.commandId;
    this.undos = this.undos.filter(isOther);
    this.redos = this.redos.filter(isOther);
    if (to === "redo") this.redos.push(entry);
    else this.undos.push(entry);
    this.keep();
  }
  /** Newest waiting change, unless an answered one is newer. */
  private newest(waiting: readonly QueuedChange[]): QueuedChange | undefined {
    const found = waiting.at(-1);
    return found && found.order >= (this.undos.at(-1)?.change.order ?? 0) ? found : undefined;
  }
  /** True if an undo was scheduled for this change; removes the schedule. */
  isWished(key: string): boolean {
    const isThere = this.wishes.some((each) => each.key === key);
    this.wishes = this.wishes.filter((each) => each.key !== key);
    return isThere;
  }
  /** Call when a change is sent again under a new key. */
  rekey(from: string, to: string) {
    this.wishes = this.wishes.map((each) => (each.key === from ? { ...each, key: to } : each));
  }
  /** Removes an entry that can no longer be undone. */
  drop(commandId: string) {
    this.undos = this.undos.filter((entry) => entry.commandId !== commandId);
    this.redos = this.redos.filter((entry) => entry.commandId !== commandId);
    this.keep();
  }
  private keep() {
    sessionStorage.setItem(this.name, JSON.stringify(this.undos));
  }
}

/** Optimistic result of undoing the entry. */
export function backOf({ change }: Undoable): Back {
  const rows = change.creates === null ? {} : Object.fromEntries(change.ids.map((id) => [id, null]));
  return { fields: change.saw, rows };
}
/** Optimistic result of redoing the entry: the current rows, captured before the undo. */
export function forthOf({ change }: Undoable, store: Store): Back {
  const shown = change.ids.flatMap((id) => (store.get(change.kind, id) as AnyRow | undefined) ?? []);
  if (change.creates !== null) return { fields: {}, rows: Object.fromEntries(shown.map((row) => [row.id, row])) };
  const names = (id: string) => Object.keys(change.saw[id] ?? {});
  return { fields: Object.fromEntries(shown.map((row) => [row.id, pick(row as never, names(row.id))])), rows: {} };
}
