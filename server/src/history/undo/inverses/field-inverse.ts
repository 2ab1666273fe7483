// Inverse of a change to the fields of one resource of any kind. All changes of one command to it are reverted as one
// change, by the same code as any other, and only while each of these fields has the value that the command set. The
// other fields keep their current values.
import { settle } from "../../../platform/kernel/context.ts";
import type { Access, Context } from "../../../platform/kernel/implement-operation.ts";
import { type Fault, refuse } from "../../../platform/wire/problem.ts";
import { hindered, type Inverse, movedOn, type OrderedEffect, reach, requireNone, same } from "../conflict.ts";

export type FieldValues = Record<string, unknown>;
/** The changed fields, before and after the command. */
interface Turn {
  was: FieldValues;
  made: FieldValues;
}

export interface Fielded<Target> {
  access: Access<Target>;
  /** Name of the parameter that takes the id of the resource. */
  param: string;
  /** All current fields of the resource. */
  fields: (target: Target) => FieldValues;
  /** Per single-value event type: the field that it changes. */
  single?: Record<string, string>;
  /** Whether the change can never be undone. */
  final?: (turn: Turn) => boolean;
  /** Finds faults that prevent the former values, in the round-trip that loads the resource. */
  hindrances?: (context: Context, done: OrderedEffect, was: FieldValues, change: boolean) => Promise<Fault[]>;
  write: (context: Context, target: Target, before: FieldValues, changed: FieldValues) => void;
}

type Payload = { from?: unknown; to?: unknown; texts?: { from: string; to: string } };
function turnOf({ type, payload }: OrderedEffect, single: Record<string, string> = {}): Turn {
  const { from, to, texts } = payload as Payload;
  const field = single[type];
  if (field !== undefined) return { was: { [field]: from }, made: { [field]: to } };
  const text = (of?: string) => (of === undefined ? {} : { description_markdown: of });
  return {
    was: { ...(from as FieldValues), ...text(texts?.from) },
    made: { ...(to as FieldValues), ...text(texts?.to) },
  };
}

/** Faults of dates that would no longer be in order. */
const misdated = (done: OrderedEffect, { start_date, target_date }: FieldValues): Fault[] =>
  start_date && target_date && (start_date as string) > (target_date as string)
    ? [hindered(done, "target_date", "invalid_dates", "lies before start_date")]
    : [];

export const undoFields = <Target>(kind: Fielded<Target>): Inverse => {
  const { access, param, fields, single, final, hindrances, write } = kind;
  const one = async (context: Context, own: readonly OrderedEffect[], change: boolean) => {
    const turns = own.map((done) => ({ done, ...turnOf(done, single) }));
    const was: FieldValues = Object.assign({}, ...turns.map((turn) => turn.was));
    const made: FieldValues = Object.assign({}, ...turns.map((turn) => turn.made));
    const owner = (field: string) => (turns.find((turn) => field in turn.made) ?? turns[0])?.done as OrderedEffect;
    const last = own[0] as OrderedEffect;
    // Older events recorded only the names of the fields.
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
