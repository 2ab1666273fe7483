// What can be taken back, and made again: the commands of this tab, by their ids. Undo and Redo are changes like any other; they wait in the
// queue, show at once and may be refused.
import type { Client } from "@svc/client";
import { type Change, inOrder } from "./change.ts";
import type { Brought, Domain, Domains } from "./domain.ts";
import type { Making } from "./making.ts";
import type { AnyRow, Kind } from "./rows.ts";
import { merge, pick } from "./sender.ts";
import type { Store } from "./store.ts";

export interface Undoable {
  commandId: string;
  change: Change;
}
const MOST = 50;

const isOne = (one: Pick<Change, "key" | "batch">, other: Pick<Change, "key" | "batch">) =>
  one.key === other.key || (one.batch !== undefined && one.batch === other.batch);

/** It takes another one back, or makes it again. */
export const isBack = ({ operation }: Change) => operation === "undoCommand" || operation === "redoCommand";

/** What is shown until the service has answered: the fields as they were, or the row that comes or goes. */
interface Back {
  fields: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  rows: Readonly<Record<string, AnyRow | null>>;
  /** Of the change that is taken back, where it says how its rows are read again. */
  from?: Pick<Change, "operation" | "guess">;
}
const apply = (row: AnyRow | undefined, { guess }: Pick<Change, "guess">, id: string): AnyRow | undefined => {
  const { fields, rows } = guess as unknown as Back;
  const whole = rows[id];
  if (whole !== undefined) return whole ?? undefined;
  return row && { ...row, ...fields[id] };
};

/** The answer is a receipt: what was changed is read again. */
export const undoDomain = (domains: () => Domains): Domain => {
  const rows = async (change: Change, api: Client): Promise<Brought> => {
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
  /** Whether the change with this key was made in this tab. */
  isMine(key: string): boolean;
  queue(kind: Kind, operation: string, making: Making): void;
  /** Told of a change that is taken back once there is an answer. */
  waits(change: Change): void;
}

export class UndoStack {
  private readonly name: string;
  private readonly around: Around;
  private undos: Undoable[];
  private redos: Undoable[] = [];
  /** Changes that are to be taken back as soon as they are answered. */
  private wishes: Pick<Change, "key" | "batch">[] = [];

  constructor(name: string, around: Around) {
    this.name = `undo:${name}`;
    this.around = around;
    this.undos = JSON.parse(sessionStorage.getItem(this.name) ?? "[]") as Undoable[];
  }
  done(entry: Undoable) {
    const all = [...this.undos, entry];
    // What was made as one is kept whole.
    this.undos = all.slice(-Math.max(MOST, all.filter(({ change }) => isOne(change, entry.change)).length));
    this.redos = this.redos.filter(({ change }) => isOne(change, entry.change));
    this.keep();
  }
  get all(): readonly Undoable[] {
    return this.undos;
  }

  /** The newest change, or this one, with all that was made as one with it: what was made last goes first. */
  undo(named?: Undoable) {
    const waiting = this.around.store.pending.filter(this.canBeTakenBack).sort(inOrder);
    const newest = named ? undefined : this.newest(waiting);
    const entry = newest ? undefined : (named ?? this.undos.at(-1));
    const change = newest ?? entry?.change;
    if (!change) return;
    const isIts = (other: Change) => isOne(other, change);
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
  private guess({ change: { operation, guess } }: Undoable, back: Back): Change["guess"] {
    const from = this.around.domains.operation(operation).rows && { operation, guess };
    return { ...back, ...(from && { from }) } as never;
  }
  private readonly forth = new Map<string, Back>();
  redo() {
    // What was to be taken back stays after all.
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

  private readonly canBeTakenBack = (change: Change) => {
    const { final, quiet } = this.around.domains.operation(change.operation);
    const isMine = this.around.isMine(change.key) && change.state === "waiting";
    const isWished = this.wishes.some(({ key }) => key === change.key);
    return isMine && !isWished && !isBack(change) && !final && !quiet?.(change);
  };
  /** Moves it to the other side; `redo` the way back. */
  private move(entry: Undoable, to: "redo" | "undo") {
    const isOther = ({ commandId }: Undoable) => commandId !== entry.commandId;
    this.undos = this.undos.filter(isOther);
    this.redos = this.redos.filter(isOther);
    if (to === "redo") this.redos.push(entry);
    else this.undos.push(entry);
    this.keep();
  }
  /** Of the changes that wait, the newest, where nothing that was answered is newer. */
  private newest(waiting: readonly Change[]): Change | undefined {
    const found = waiting.at(-1);
    return found && found.order >= (this.undos.at(-1)?.change.order ?? 0) ? found : undefined;
  }
  /** Whether that was wished for; asked once. */
  isWished(key: string): boolean {
    const isThere = this.wishes.some((each) => each.key === key);
    this.wishes = this.wishes.filter((each) => each.key !== key);
    return isThere;
  }
  /** It is sent again under another key. */
  rekey(from: string, to: string) {
    this.wishes = this.wishes.map((each) => (each.key === from ? { ...each, key: to } : each));
  }
  /** It cannot be taken back any more. */
  drop(commandId: string) {
    this.undos = this.undos.filter((entry) => entry.commandId !== commandId);
    this.redos = this.redos.filter((entry) => entry.commandId !== commandId);
    this.keep();
  }
  private keep() {
    sessionStorage.setItem(this.name, JSON.stringify(this.undos));
  }
}

/** What Undo of this shows at once. */
export function backOf({ change }: Undoable): Back {
  const rows = change.creates === null ? {} : Object.fromEntries(change.ids.map((id) => [id, null]));
  return { fields: change.saw, rows };
}
/** What Redo shows: as it is now, before it is taken back. */
export function forthOf({ change }: Undoable, store: Store): Back {
  const shown = change.ids.flatMap((id) => (store.get(change.kind, id) as AnyRow | undefined) ?? []);
  if (change.creates !== null) return { fields: {}, rows: Object.fromEntries(shown.map((row) => [row.id, row])) };
  const names = (id: string) => Object.keys(change.saw[id] ?? {});
  return { fields: Object.fromEntries(shown.map((row) => [row.id, pick(row as never, names(row.id))])), rows: {} };
}
