// Feedback on suggestions. It affects only the suggestions to its author, not the Task or other members.
import * as contract from "@svc/contract/planning/tasks/own-work/suggestions.ts";
import { QUEUE } from "../../../accounts/account/access.ts";
import { type Access, implement } from "../../../platform/kernel/implement-operation.ts";
import { refuse, refuseAt } from "../../../platform/wire/problem.ts";
import { insideTask, type TaskTarget } from "../access.ts";
import { subjectOf } from "../events.ts";
import { suggestionRated } from "./suggestion-events.ts";
import { look, rate } from "./suggestion-store.ts";

const readable = insideTask("work:read");
/** The caller's own feedback on a visible Task; requests of one caller are serialized. */
const own: Access<TaskTarget> = {
  ...readable,
  load: async (tx, params, change) => {
    const [, target] = await Promise.all([tx.rows(QUEUE), readable.load(tx, params, change)]);
    return target;
  },
};

const SUBJECT = "/body/subject_id";
function subjectOfSuggestion(kind: "related_task" | "current_work", sent: string | undefined, taskId: string): string {
  const subjectId = sent?.toLowerCase();
  if (kind === "current_work") {
    if (subjectId !== undefined && subjectId !== taskId)
      refuseAt(SUBJECT, "invalid_reference", "must be the Task itself, or left out");
    return taskId;
  }
  if (subjectId === taskId) refuseAt(SUBJECT, "invalid_reference", "must be another Task");
  return subjectId ?? refuseAt(SUBJECT, "invalid_request", "is required for related_task", "required");
}

export const giveSuggestionFeedback = implement(
  contract.giveSuggestionFeedback,
  own,
  async ({ tx, principal, record, defer }, { target, body }) => {
    const { kind, verdict } = body;
    const subject_id = subjectOfSuggestion(kind, body.subject_id, target.id);
    const before = await look(tx, target.id, kind, subject_id);
    if (!before.seen) refuseAt(SUBJECT, "invalid_reference", "must be a Task that you see");
    const said = { task_id: target.id, kind, subject_id, verdict };
    if (before.verdict === verdict) return { ...said, created_at: before.created_at, updated_at: before.updated_at };
    if (before.verdict === null && before.given >= contract.MOST_FEEDBACK) refuse("limit_reached");
    const feedback = { ...said, created_at: before.created_at ?? principal.now, updated_at: principal.now };
    defer(rate(tx, feedback));
    record(suggestionRated(subjectOf(target), { kind, subject_id, from: before.verdict, to: verdict }));
    return feedback;
  },
);
