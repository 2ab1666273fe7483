// What an Agent is made of, and how much it may use. Pure.

export const triggerKinds = ["manual", "mention", "assignment", "schedule", "event"] as const;
export type TriggerKind = (typeof triggerKinds)[number];
/** What may start an Agent. By hand is one like the others: without it nobody starts it so. */
export type Trigger =
  | { kind: "manual" | "mention" | "assignment" }
  /** At this time of the day, `07:30`, in this time zone; on these days of the week (1 is Monday), or on every one. */
  | { kind: "schedule"; at: string; timezone: string; weekdays?: number[] }
  /** Whenever this happens, as the domain event is called. */
  | { kind: "event"; action: string };

export interface Budgets {
  /** Runs that begin within an hour, whoever starts them. */
  runs_per_hour: number;
  seconds_per_run: number;
  /** Questions to a model and calls of tools. */
  steps_per_run: number;
  /** In and out. */
  tokens_per_run: number;
  /** Of all its runs, in a day of UTC. */
  tokens_per_day: number;
}

export type AgentState = "active" | "paused" | "quarantined";
