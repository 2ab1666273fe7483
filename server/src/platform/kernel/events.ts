// Domain events: immutable facts, written in the transaction of the change that they record. Activity, inbox, search,
// realtime and webhooks are projections of them. A domain declares its facts with event() and a handler records them.
import type { ActivityType } from "@svc/contract/types.ts";

/** Resource that an event is about; project_id and task_id decide who may see it later. */
export interface Subject {
  kind: string;
  id: string;
  projectId?: string | null;
  taskId?: string | null;
}

export interface Fact {
  type: string;
  activity: ActivityType | null;
  subject: Subject;
  payload: Record<string, unknown>;
}

/** `activity` is the registered type under which feeds show the event; without it the event never appears in a feed. */
export function event(type: `${string}.${string}`, options: { activity?: ActivityType } = {}) {
  return (subject: Subject, payload: Record<string, unknown> = {}): Fact => ({
    type,
    activity: options.activity ?? null,
    subject,
    payload,
  });
}
