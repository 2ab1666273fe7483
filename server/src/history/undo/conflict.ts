// How undoing refuses, and how it reaches what a command was about, under today's rights. What is gone and what cannot be read any more are
// one and the same here.
import { errors } from "@svc/contract/errors.ts";
import { settle } from "../../platform/kernel/context.ts";
import type { Access, Context, Permission } from "../../platform/kernel/implement.ts";
import { type Fault, Refusal, refuse } from "../../platform/wire/problem.ts";
import type { Told } from "./store.ts";

/** What a command did, its place among the effects, and all that the command did. */
export interface Done extends Told {
  place: number;
  beside: readonly Told[];
}
/** Takes back what was compared. It refuses nothing and waits for nothing: what it writes goes out with the commit. */
type Apply = () => void;
/**
 * Finds out whether all of these can be taken back, in one round-trip, and refuses where they cannot. A receipt asks so much and no more;
 * with `change` all that matters is locked or held, and what comes back takes them back.
 */
export type Inverse = (context: Context, done: readonly Done[], change: boolean) => Promise<Apply>;

/** Of each by itself. */
export const each =
  (one: (context: Context, done: Done, change: boolean) => Promise<Apply>): Inverse =>
  async (context, done, change) => {
    const found = await settle(done.map((effect) => one(context, effect, change)));
    return () => {
      for (const apply of found) apply();
    };
  };

/** What was started together with something else that is looked at first. */
export const later = <T>(started: Promise<T>): Promise<() => T> =>
  started.then(
    (value) => () => value,
    (error) => () => {
      throw error;
    },
  );

const pointerTo = ({ place }: Done, field = "") => `/effects/${place}${field && `/${field}`}`;
export const movedOn = (done: Done, field?: string): Fault => ({
  pointer: pointerTo(done, field),
  code: "moved_on",
  detail: "is not as the command left it",
});
export const hindered = (done: Done, field: string, code: string, detail: string): Fault => ({
  pointer: pointerTo(done, field),
  code,
  detail,
});
export const gone = (done: Done): Fault => hindered(done, "", "not_found", "does not exist, or you cannot read it");

export const conflict = (faults: Fault[]): never => refuse("undo_conflict", { errors: faults });
export function requireNone(faults: Fault[]): void {
  if (faults.length > 0) conflict(faults);
}

/** What the domain refuses is in the way; what the caller may not do is told as it is. */
export async function withoutHindrance<T>(done: Done, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === "forbidden" || error.code === "undo_conflict") throw error;
    const { code, extra } = error;
    const faults = extra.errors ?? [{ pointer: "", detail: errors[code].detail }];
    return conflict(
      faults.map(({ pointer, detail }) => hindered(done, pointer.replace(/^\/body\//, ""), code, detail)),
    );
  }
}

/** What the role does not allow is told as it is; what the state does not allow is in the way. */
export function requireMay(done: Done, permission: Permission): void {
  if (permission === true) return;
  if (permission === false) refuse("forbidden");
  else conflict([hindered(done, "", permission, errors[permission].detail)]);
}

/** What it is about, where the caller may do this to it. */
export async function reach<Target>(
  context: Context,
  done: Done,
  access: Access<Target>,
  params: Record<string, string>,
  change: boolean,
): Promise<Target> {
  const target = await access.load(context.tx, params, change);
  if (target === undefined) return conflict([gone(done)]);
  requireMay(done, access.permits(context, target));
  return target;
}

/** Values as the wire shows them. */
export const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
