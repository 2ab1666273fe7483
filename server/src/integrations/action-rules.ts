// What the input of an action must be, and by what its effect is found again. Pure.
import Type, { type TSchema } from "typebox";
import type { Fault } from "../wire/problem.ts";
import { faultsIn } from "../wire/validate.ts";
import type { Action } from "./provider.ts";

/** In what is made at a provider that takes no keys: found again by it, and known as ours when the provider tells of it. */
export const markerOf = (actionId: string) => `svc-action-${actionId}`;
export const isMarked = (text: string) => /svc-action-[0-9a-f]{8}-[0-9a-f]{4}-7/.test(text);

const bodies = new WeakMap<TSchema, TSchema>();
/** Where an action has a check of its own, because somebody else has declared it, that one. */
export function faultsOfInput(action: Action, input: Record<string, unknown>): Fault[] {
  if (action.faults) return action.faults(input);
  const body = bodies.get(action.input) ?? Type.Object({ input: action.input });
  bodies.set(action.input, body);
  return faultsIn("body", body, { input });
}
