// Contents of an Agent definition, their validation, budgets and costs. Pure.
import type { Capability } from "@svc/contract/capabilities.ts";
import { may } from "../../accounts/workspaces/rules.ts";
import type { Role } from "../../platform/kernel/authentication.ts";
import type { Fault } from "../../platform/wire/problem.ts";

export type TriggerKind = "manual" | "mention" | "assignment" | "schedule" | "event";
/** Trigger of an Agent. A manual start needs a trigger as well. */
export interface Trigger {
  kind: TriggerKind;
  /** Time of the day of a schedule, `07:30`, in this time zone. */
  at?: string;
  timezone?: string;
  /** Days of the week (1 is Monday); absent: every day. */
  weekdays?: number[];
  /** Type of the domain event that triggers the Agent. */
  action?: string;
}

export interface DefinitionBudgets {
  /** Runs that begin within an hour, whoever starts them. */
  runs_per_hour: number;
  seconds_per_run: number;
  /** Model requests and tool calls. */
  steps_per_run: number;
  /** Input and output tokens. */
  tokens_per_run: number;
  /** Tokens of all its runs in a UTC day. */
  tokens_per_day: number;
  /** Small changes that a run makes without approval. */
  changes_at_once: number;
}
export const defaultBudgets: DefinitionBudgets = {
  runs_per_hour: 20,
  seconds_per_run: 300,
  steps_per_run: 36,
  tokens_per_run: 100_000,
  tokens_per_day: 1_000_000,
  changes_at_once: 0,
};

export type AgentState = "active" | "paused" | "quarantined";
export type DefinitionState = "draft" | "published" | "retired";

/** Editable content of a definition. */
export interface DefinitionContent {
  name: string;
  description: string;
  instructions: string;
  tools: string[];
  triggers: Trigger[];
  project_ids: string[];
  budgets: DefinitionBudgets;
}

/**
 * Cost of a run: thousands of tokens, where an output token counts as four input tokens, about as providers price them.
 * It is not a number of credits: nothing is charged by it.
 */
export const costOf = (inputTokens: number, outputTokens: number) => (inputTokens + 4 * outputTokens) / 1000;

const TAKES: Record<TriggerKind, readonly (keyof Trigger)[]> = {
  manual: [],
  mention: [],
  assignment: [],
  schedule: ["at", "timezone", "weekdays"],
  event: ["action"],
};
const NEEDS: Partial<Record<TriggerKind, readonly (keyof Trigger)[]>> = {
  schedule: ["at", "timezone"],
  event: ["action"],
};
const fault = (pointer: string, code: string, detail: string): Fault => ({ pointer: `/body/${pointer}`, code, detail });

/** Faults of the triggers. */
export function triggerFaults(triggers: readonly Trigger[]): Fault[] {
  const seen = new Set<string>();
  return triggers.flatMap((trigger, at) => {
    const given = Object.keys(trigger).filter((name) => name !== "kind") as (keyof Trigger)[];
    const same = JSON.stringify([trigger.kind, trigger.at, trigger.timezone, trigger.action]);
    const repeated = seen.has(same);
    seen.add(same);
    return [
      ...(NEEDS[trigger.kind] ?? [])
        .filter((name) => trigger[name] === undefined)
        .map((name) => fault(`triggers/${at}/${name}`, "required", `is needed for ${trigger.kind}`)),
      ...given
        .filter((name) => !TAKES[trigger.kind].includes(name))
        .map((name) => fault(`triggers/${at}/${name}`, "not_allowed", `is not for ${trigger.kind}`)),
      ...(repeated ? [fault(`triggers/${at}`, "not_unique", "is there already")] : []),
    ];
  });
}

/** Faults of tool names that do not exist. */
export const toolFaults = (tools: readonly string[], known: ReadonlySet<string>): Fault[] =>
  tools.flatMap((name, at) =>
    known.has(name) ? [] : [fault(`tools/${at}`, "invalid_reference", "is no tool that an Agent can use")],
  );

/**
 * Projects that an Agent of this version is narrowed to; null if the intersection is empty. An empty list means every
 * Project.
 */
export function narrowedProjects(own: readonly string[], ofVersion: readonly string[]): readonly string[] | null {
  if (own.length === 0) return ofVersion;
  if (ofVersion.length === 0) return own;
  const left = own.filter((id) => ofVersion.includes(id));
  return left.length > 0 ? left : null;
}

export function agentCapabilities(role: Role, { state }: { state: AgentState }): Capability[] {
  const stops: Capability[] = state === "quarantined" ? [] : ["agent:quarantine"];
  if (may(role, "agents:manage")) return ["agent:update", "agent:delete", ...stops, "agent:revert"];
  return may(role, "agents:run") ? stops : [];
}

export interface DefinitionStanding {
  curated: string | null;
  own: boolean;
  published_version: number | null;
  state: DefinitionState;
  enabled: boolean;
}
/** `newer`: the service has a later version of a curated one. */
export function definitionCapabilities(role: Role, definition: DefinitionStanding & { newer: boolean }): Capability[] {
  const { curated, own, published_version, state, enabled, newer } = definition;
  if (!may(role, "agents:run")) return [];
  const manages = may(role, "agents:manage");
  const enables = manages && !enabled && published_version !== null && state !== "retired";
  return [
    ...(curated === null && (manages || own) ? (["agent_definition:update"] as const) : []),
    ...((curated === null || newer) && manages ? (["agent_definition:publish"] as const) : []),
    ...(enables ? (["agent_definition:enable"] as const) : []),
    "agent_definition:request",
  ];
}
