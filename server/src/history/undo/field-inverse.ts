// Undoing a change of fields of one resource, whatever it is: all that one command changed in it is put back as one change, by the same code as any
// other, and only while every one of these fields has the value that the command gave it. The other fields stay as they are now.
import { settle } from "../../platform/kernel/context.ts";
import type { Access, Context } from "../../platform/kernel/implement.ts";
import { type Fault, refuse } from "../../platform/wire/problem.ts";
import { type Done, hindered, type Inverse, movedOn, reach, requireNone, same } from "./conflict.ts";

export type Fields = Record<string, unknown>;
/** What a command changed: what was, and what it made of it. */
interface Turn {
  was: Fields;
  made: Fields;
}

export interface Fielded<Target> {
  access: Access<Target>;
  /** The name that the access knows its id by. */
  param: string;
  /** All of its fields, as they are now. */
  fields: (target: Target) => Fields;
  /** The field that an event of one value is about. */
  single?: Record<string, string>;
  /** Whether this cannot come back at all, whatever happens since. */
  final?: (turn: Turn) => boolean;
  /** What is in the way of putting these back: asked together with the resource itself. */
  hindrances?: (context: Context, done: Done, was: Fields, change: boolean) => Promise<Fault[]>;
  write: (context: Context, target: Target, before: Fields, changed: Fields) => void;
}

type Payload = { from?: unknown; to?: unknown; texts?: { from: string; to: string } };
function turnOf({ type, payload }: Done, single: Record<string, string> = {}): Turn {
  const { from, to, texts } = payload as Payload;
  const field = single[type];
  if (field !== undefined) return { was: { [field]: from }, made: { [field]: to } };
  const text = (of?: string) => (of === undefined ? {} : { description_markdown: of });
  return {
    was: { ...(from as Fields), ...text(texts?.from) },
    made: { ...(to as Fields), ...text(texts?.to) },
  };
}

/** Of dates that would not fit together any more. */
const misdated = (done: Done, { start_date, target_date }: Fields): Fault[] =>
  start_date && target_date && (start_date as string) > (target_date as string)
    ? [hindered(done, "target_date", "invalid_dates", "lies before start_date")]
    : [];

export const undoFields = <Target>(kind: Fielded<Target>): Inverse => {
  const { access, param, fields, single, final, hindrances, write } = kind;
  const one = async (context: Context, own: readonly Done[], change: boolean) => {
    const turns = own.map((done) => ({ done, ...turnOf(done, single) }));
    const was: Fields = Object.assign({}, ...turns.map((turn) => turn.was));
    const made: Fields = Object.assign({}, ...turns.map((turn) => turn.made));
    const owner = (field: string) => (turns.find((turn) => field in turn.made) ?? turns[0])?.done as Done;
    const last = own[0] as Done;
    // Once events kept only the names of the fields.
    if (Object.keys(made).length === 0 || final?.({ was, made })) refuse("not_undoable");
    const [target, faults] = await settle([
      reach(context, last, access, { [param]: last.id }, change),
      hindrances?.(context, last, was, change) ?? [],
    ]);
    const before = fields(target);
    const moved = Object.keys(made).filter((field) => !same(before[field], made[field]));
    requireNone(moved.map((field) => movedOn(owner(field), field)));
    requireNone([...faults, ...misdated(last, { ...before, ...was })]);
    return () => write(context, target, before, was);
  };
  return async (context, done, change) => {
    const found = await settle([...Map.groupBy(done, ({ id }) => id).values()].map((own) => one(context, own, change)));
    return () => {
      for (const apply of found) apply();
    };
  };
};
