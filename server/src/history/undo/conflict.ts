// Refusals of undo, and loading the targets of a command under current rights. A deleted target and an unreadable one
// are reported alike.
import { errors } from "@svc/contract/errors.ts";
import { settle } from "../../platform/kernel/context.ts";
import type { Access, Context, Permission } from "../../platform/kernel/implement-operation.ts";
import { type Fault, Refusal, refuse } from "../../platform/wire/problem.ts";
import type { RecordedEffect } from "./store.ts";

/** An effect of a command, its position among the effects, and all effects of the command. */
export interface OrderedEffect extends RecordedEffect {
  place: number;
  beside: readonly RecordedEffect[];
}
/**
 * Writes the inverse of an effect that was compared. It neither refuses nor waits: its statements go out with the
 * commit.
 */
type Apply = () => void;
/**
 * Checks in one round-trip whether these effects can be reverted, and refuses otherwise. A receipt stops there. With
 * `change`, targets are locked, and the returned function reverts the effects.
 */
export type Inverse = (context: Context, done: readonly OrderedEffect[], change: boolean) => Promise<Apply>;

/** Applies an inverse to each effect by itself. */
export const each =
  (one: (context: Context, done: OrderedEffect, change: boolean) => Promise<Apply>): Inverse =>
  async (context, done, change) => {
    const found = await settle(done.map((effect) => one(context, effect, change)));
    return () => {
      for (const apply of found) apply();
    };
  };

/** Defers the error of a promise until its value is read, so that an earlier check can refuse first. */
export const later = <T>(started: Promise<T>): Promise<() => T> =>
  started.then(
    (value) => () => value,
    (error) => () => {
      throw error;
    },
  );

const pointerTo = ({ place }: OrderedEffect, field = "") => `/effects/${place}${field && `/${field}`}`;
export const movedOn = (done: OrderedEffect, field?: string): Fault => ({
  pointer: pointerTo(done, field),
  code: "moved_on",
  detail: "is not as the command left it",
});
export const hindered = (done: OrderedEffect, field: string, code: string, detail: string): Fault => ({
  pointer: pointerTo(done, field),
  code,
  detail,
});
export const gone = (done: OrderedEffect): Fault =>
  hindered(done, "", "not_found", "does not exist, or you cannot read it");

export const conflict = (faults: Fault[]): never => refuse("undo_conflict", { errors: faults });
export function requireNone(faults: Fault[]): void {
  if (faults.length > 0) conflict(faults);
}

/** Turns refusals of the domain into undo conflicts; missing permissions are reported unchanged. */
export async function withoutHindrance<T>(done: OrderedEffect, work: () => T | Promise<T>): Promise<T> {
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

/** Reports a missing permission unchanged, and a state that forbids the change as a conflict. */
export function requireMay(done: OrderedEffect, permission: Permission): void {
  if (permission === true) return;
  if (permission === false) refuse("forbidden");
  else conflict([hindered(done, "", permission, errors[permission].detail)]);
}

/** Loads the target and requires the caller's permission to change it. */
export async function reach<Target>(
  context: Context,
  done: OrderedEffect,
  access: Access<Target>,
  params: Record<string, string>,
  change: boolean,
): Promise<Target> {
  const target = await access.load(context.tx, params, change);
  if (target === undefined) return conflict([gone(done)]);
  requireMay(done, access.permits(context, target));
  return target;
}

/** Compares values as the wire shows them. */
export const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
