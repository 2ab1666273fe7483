// Actions of an installation, validation of their input, and retries of failed attempts. Pure.
import Type, { type TSchema } from "typebox";
import { faultsIn } from "../../../platform/wire/input/validation.ts";
import type { Fault } from "../../../platform/wire/problem.ts";
import type { ProviderAction, ProviderDefinition } from "../client/provider.ts";
import type { FaultCode, ProviderFault } from "../client/provider-http.ts";

/** Actions of the provider, or those that this installation has declared. */
export const actionsOf = (provider: ProviderDefinition, declared: unknown): Readonly<Record<string, ProviderAction>> =>
  provider.declares?.(declared) ?? provider.actions;

export function actionOf(provider: ProviderDefinition, declared: unknown, key: string): ProviderAction | undefined {
  const actions = actionsOf(provider, declared);
  return Object.hasOwn(actions, key) ? actions[key] : undefined;
}

export const inputRow = (actionId: string) => `integration action ${actionId}`;

/**
 * Marker in what is created at a provider without idempotency keys: a search finds it again, and a delivery that
 * contains it is recognised as ours.
 */
export const markerOf = (actionId: string) => `svc-action-${actionId}`;
export const isMarked = (text: string) => /svc-action-[0-9a-f]{8}-[0-9a-f]{4}-7/.test(text);

const bodies = new WeakMap<TSchema, TSchema>();
/** Validates with the action's own check, if a connector has declared it, else with its schema. */
export function faultsOfInput(action: ProviderAction, input: Record<string, unknown>): Fault[] {
  if (action.faults) return action.faults(input);
  const body = bodies.get(action.input) ?? Type.Object({ input: action.input });
  bodies.set(action.input, body);
  return faultsIn("body", body, { input });
}

/** Seconds before each retry. */
const PAUSES = [5, 30, 120, 600, 1800, 3600];
/** Limit of attempts, including those that the provider has throttled. */
const MOST_ATTEMPTS = 50;
/** An uncertain attempt is repeated only after the provider has surely ended the earlier one. */
const SETTLING_SECONDS = 60;

export type Next =
  | { state: "failed" | "unknown"; code: FaultCode }
  | { state: "again"; code: FaultCode; seconds: number; uncertain: boolean };

/**
 * Decides what follows a failed attempt. `uncertain`: an earlier attempt may have had its effect. `recognises`: a
 * repeat is recognised by its key, or by a search for the marker.
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
