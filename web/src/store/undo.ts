// What can be taken back, and made again: the commands of this tab, by their ids. Undo and Redo are changes like any other; they wait in the
// queue, show at once and may be refused.
import { type Change, inOrder } from "./change.ts";
import type { Brought, Domain, Domains } from "./domain.ts";
import type { Making } from "./making.ts";
import type { AnyRow, Kind } from "./rows.ts";
import { pick } from "./sender.ts";
import type { Store } from "./store.ts";

export interface Undoable {
  commandId: string;
  change: Change;
}
const MOST = 50;

/** It takes another one back, or makes it again. */
export const isBack = ({ operation }: Change) => operation === "undoCommand" || operation === "redoCommand";

/** What is shown until the service has answered: the fields as they were, or the row that comes or goes. */
interface Back {
  fields: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  rows: Readonly<Record<string, AnyRow | null>>;
}
const apply = (row: AnyRow | undefined, { guess }: Pick<Change, "guess">, id: string): AnyRow | undefined => {
  const { fields, rows } = guess as unknown as Back;
  const whole = rows[id];
  if (whole !== undefined) return whole ?? undefined;
  return row && { ...row, ...fields[id] };
};

/** The answer is a receipt: what was changed is read again. */
export const undoDomain = (
  read: (kind: Kind, id: string) => Promise<Brought>,
  merge: (all: Brought[]) => Brought,
): Domain => {
  const took = async (_answer: unknown, { kind, ids }: Change) =>
    merge(await Promise.all(ids.map((id) => read(kind, id))));
  const operation = { kind: "task" as const, apply, took, unmatched: true as const };
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
  /** Changes that are to be taken back as soon as they are answered, by their keys. */
  private wishes: string[] = [];

  constructor(name: string, around: Around) {
    this.name = `undo:${name}`;
    this.around = around;
    this.undos = JSON.parse(sessionStorage.getItem(this.name) ?? "[]") as Undoable[];
  }
  done(entry: Undoable) {
    this.undos = [...this.undos, entry].slice(-MOST);
    this.redos = [];
    this.keep();
  }
  get all(): readonly Undoable[] {
    return this.undos;
  }

  /** The newest change, or this one. */
  undo(named?: Undoable) {
    const { store, domains, queue, waits } = this.around;
    const wished = named ? undefined : this.wish(store.pending.filter(this.canBeTakenBack));
    if (wished) return waits(wished);
    const entry = named ?? this.undos.at(-1);
    if (!entry) return;
    const { kind, ids, operation } = entry.change;
    const { inverse } = domains.operation(operation);
    if (inverse) {
      this.drop(entry.commandId);
      return queue(kind, operation, { ids, input: inverse(entry.change) });
    }
    this.move(entry, "redo");
    this.forth.set(entry.commandId, forthOf(entry, store));
    queue(kind, "undoCommand", { ids, input: { command_id: entry.commandId }, guess: backOf(entry) as never });
  }
  private readonly forth = new Map<string, Back>();
  redo() {
    // What was to be taken back stays after all.
    if (this.wishes.pop() !== undefined) return;
    const entry = this.redos.at(-1);
    const guess = entry && this.forth.get(entry.commandId);
    if (!entry || !guess) return;
    this.move(entry, "undo");
    const { kind, ids } = entry.change;
    this.around.queue(kind, "redoCommand", {
      ids,
      input: { command_id: entry.commandId },
      guess: guess as never,
    });
  }

  private readonly canBeTakenBack = (change: Change) => {
    const { final, quiet } = this.around.domains.operation(change.operation);
    return (
      this.around.isMine(change.key) && change.state === "waiting" && !isBack(change) && !final && !quiet?.(change)
    );
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
  /** Of the changes that wait, the newest is to be taken back once there is an answer, where nothing that was answered is newer. */
  private wish(waiting: readonly Change[]): Change | undefined {
    const found = waiting
      .filter(({ key }) => !this.wishes.includes(key))
      .sort(inOrder)
      .at(-1);
    if (!found || found.order < (this.undos.at(-1)?.change.order ?? 0)) return undefined;
    this.wishes.push(found.key);
    return found;
  }
  /** Whether that was wished for; asked once. */
  isWished(key: string): boolean {
    const isThere = this.wishes.includes(key);
    this.wishes = this.wishes.filter((each) => each !== key);
    return isThere;
  }
  /** It is sent again under another key. */
  rekey(from: string, to: string) {
    this.wishes = this.wishes.map((key) => (key === from ? to : key));
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
