// What an installation can be asked to do, what its input must be, and when an attempt that failed is worth another one. Pure.
import Type, { type TSchema } from "typebox";
import type { Fault } from "../../platform/wire/problem.ts";
import { faultsIn } from "../../platform/wire/validate.ts";
import type { FaultCode, ProviderFault } from "./asking.ts";
import type { Action, Provider } from "./provider.ts";

/** The provider's own, or what this installation of it has declared. */
export const actionsOf = (provider: Provider, declared: unknown): Readonly<Record<string, Action>> =>
  provider.declares?.(declared) ?? provider.actions;

export function actionOf(provider: Provider, declared: unknown, key: string): Action | undefined {
  const actions = actionsOf(provider, declared);
  return Object.hasOwn(actions, key) ? actions[key] : undefined;
}

export const inputRow = (actionId: string) => `integration action ${actionId}`;

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

/** Seconds before each further attempt. */
const PAUSES = [5, 30, 120, 600, 1800, 3600];
/** Attempts that a provider has put off count too; it is given so many. */
const MOST_ATTEMPTS = 50;
/** An uncertain one waits until the provider has surely ended what it was doing. */
const SETTLING_SECONDS = 60;

export type Next =
  | { state: "failed" | "unknown"; code: FaultCode }
  | { state: "again"; code: FaultCode; seconds: number; uncertain: boolean };

/**
 * After an attempt that failed. `asked`: the provider was asked to do it, in this attempt or in an earlier one whose effect is not known. `recognises`: by a key,
 * or by the marker that can be looked for.
 */
export function afterFault(
  { code, seconds }: Pick<ProviderFault, "code" | "seconds">,
  attempts: number,
  uncertain: boolean,
  recognises: boolean,
): Next {
  const unsure = uncertain || code === "unknown" || code === "answer_too_large";
  const end = (): Next => (unsure ? { state: "unknown", code } : { state: "failed", code });
  if (code === "rate_limited")
    return attempts < MOST_ATTEMPTS
      ? { state: "again", code, seconds: Math.max(seconds, 1), uncertain: unsure }
      : end();
  if (code !== "unreachable" && code !== "unknown") return end();
  const pause = PAUSES[attempts - 1];
  if (pause === undefined || (unsure && !recognises)) return end();
  return { state: "again", code, seconds: unsure ? Math.max(pause, SETTLING_SECONDS) : pause, uncertain: unsure };
}
