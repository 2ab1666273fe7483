// How undoing refuses, and how it reaches what a command was about: locked, under today's rights. What is gone and what cannot be read any
// more are one and the same here.
import { errors } from "@svc/contract/errors.ts";
import type { Access, Context, Permission } from "../kernel/implement.ts";
import { type Fault, Refusal, refuse } from "../kernel/problem.ts";
import type { Told } from "./store.ts";

/** What a command did, and its place among the effects. */
export interface Done extends Told {
  place: number;
}
/** Takes all of these back, or refuses. Nothing is written before everything has been compared. */
export type Inverse = (context: Context, done: readonly Done[]) => Promise<void>;

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
): Promise<Target> {
  const target = await access.load(context.tx, params, true);
  if (target === undefined) return conflict([gone(done)]);
  requireMay(done, access.permits(context, target));
  return target;
}

/** Values as the wire shows them. */
export const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
