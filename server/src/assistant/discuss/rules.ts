// Rules of Discuss: budgets of a run, the parts that a message keeps, and error texts. Pure.
import { type MessagePart, MOST_PARTS } from "@svc/contract/assistant/discuss/messages.ts";
import type { TurnMetadata } from "@svc/contract/assistant/discuss/turns.ts";
import type { Static } from "typebox";
import type { RunBudgets } from "../runs/rules.ts";

export type AnswerPart = Static<typeof MessagePart>;
export type PartOf<Kind extends AnswerPart["kind"]> = Extract<AnswerPart, { kind: Kind }>;

/** Input of a run: answer a turn, or carry out a decision of its person. */
export type RunInput =
  | { kind: "turn"; metadata: Metadata[] }
  | { kind: "decided"; interaction_id: string; choice_id: string; metadata: Metadata[] };
export type Metadata = Static<typeof TurnMetadata>;

/** Budgets of one run. */
export const budgets: RunBudgets = { ms: 10 * 60_000, rounds: 12, calls: 24, tokens: 200_000, output: 4096 };
export const INTERACTION_HOURS = 24;
/** Choice that is stored for an approval whose ChangeSet was no longer open: the change is proposed again. */
export const AGAIN = "again";
/** Earlier messages, and characters of them, that an answer receives. */
export const MOST_HISTORY = 20;
export const MOST_HISTORY_CHARACTERS = 24_000;

/** Reason of a failed answer, for its reader. */
export const failures: Record<string, string> = {
  cancelled: "You stopped it.",
  credential_ended: "The credential that it was asked with has ended.",
  time_exceeded: "It took longer than a run may take.",
  steps_exceeded: "It needed more steps than a run may take.",
  tokens_exceeded: "It needed more tokens than a run may take.",
  model_refused: "The model did not want to answer.",
  model_unavailable: "The model did not answer.",
  model_timeout: "The model did not answer in time.",
  model_busy: "The provider of the model is busy.",
  answer_empty: "The model gave no answer.",
  answer_too_large: "The model's answer was too large and was cut off.",
  ai_access_disabled: "The Workspace lets no AI in from outside any more.",
  internal: "Something failed here.",
};

/**
 * Kinds of parts by priority: decisions, then changes, then what was read. If there is no room for all, parts of other
 * kinds, such as tool activity, are dropped first.
 */
const order = [
  "specialist_result",
  "interaction",
  "action_result",
  "operation_receipts",
  "task_result",
  "entity_references",
  "context_capsule",
];
const rankOf = ({ kind }: AnswerPart) => (order.includes(kind) ? order.indexOf(kind) : order.length);
export function partsWithin(parts: readonly AnswerPart[]): AnswerPart[] {
  const kept = new Set(parts.toSorted((one, other) => rankOf(one) - rankOf(other)).slice(0, MOST_PARTS));
  return parts.filter((part) => kept.has(part));
}
