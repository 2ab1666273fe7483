// A member's feedback on suggestions that the service made for a Task. It affects only that member's screen.
import Type from "typebox";
import { op, S } from "../../../kit.ts";
import { Id, object, Timestamp } from "../../../types.ts";

/** Feedback entries of one member about one Task. */
export const MOST_FEEDBACK = 500;

export const SuggestionKind = Type.Enum(["related_task", "current_work"], {
  description:
    "related_task: another Task in the related context of this one. current_work: " +
    "this Task as a candidate for what to work on.",
});
export const SuggestionVerdict = Type.Enum(["helpful", "not_helpful", "dismissed"], {
  description: "What is dismissed is not suggested to you again, until you say something else about it.",
});
export const SuggestionFeedback = object({
  task_id: Id,
  kind: SuggestionKind,
  subject_id: { ...Id, description: "The Task that was suggested." },
  verdict: SuggestionVerdict,
  created_at: Timestamp,
  updated_at: Timestamp,
});

export const giveSuggestionFeedback = op(
  "POST /workspaces/{workspace_id}/tasks/{task_id}/suggestion-feedback",
  "Say what you think of a suggestion",
  {
    description:
      "The last word counts: one is kept for each suggestion, and the same again changes nothing. " +
      `subject_id is needed for related_task. At most ${MOST_FEEDBACK} about one Task.`,
    auth: [S],
    private: true,
    body: object({ kind: SuggestionKind, subject_id: Type.Optional(Id), verdict: SuggestionVerdict }),
    example: { kind: "current_work", verdict: "dismissed" },
    returns: SuggestionFeedback,
    errors: ["invalid_reference", "limit_reached"],
  },
);
