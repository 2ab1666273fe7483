// What can be taken back, and made again: the commands of this tab, by their ids. Undo and Redo are changes like any other; they wait in the
// queue, show at once and may be refused.
import type { Change } from "./change.ts";
import type { Brought, Domain } from "./domain.ts";
import type { AnyRow, Kind } from "./rows.ts";
import { pick } from "./sender.ts";
import type { Store } from "./store.ts";

export interface Undoable {
  commandId: string;
  change: Change;
}
const MOST = 50;

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

export class UndoStack {
  private readonly name: string;
  private undos: Undoable[];
  private redos: Undoable[] = [];

  constructor(name: string) {
    this.name = `undo:${name}`;
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
  get last(): Undoable | undefined {
    return this.undos.at(-1);
  }
  get lastUndone(): Undoable | undefined {
    return this.redos.at(-1);
  }
  /** Moves it to the other side; `redo` the way back. */
  move(entry: Undoable, to: "redo" | "undo") {
    const isOther = ({ commandId }: Undoable) => commandId !== entry.commandId;
    this.undos = this.undos.filter(isOther);
    this.redos = this.redos.filter(isOther);
    if (to === "redo") this.redos.push(entry);
    else this.undos.push(entry);
    this.keep();
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
