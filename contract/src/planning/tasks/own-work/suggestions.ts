// A member's feedback on suggestions that the service made for a Task. It affects only that member's screen.
import Type from "typebox";
import { op, S } from "../../../kit.ts";
import { Id, object, Timestamp } from "../../../types.ts";

/** Feedback entries of one member about one Task. */
export const MOST_FEEDBACK = 500;

export const SuggestionKind = Type.Enum(["related_task", "current_work"], {
  description:
    "related_task: another Task in the related context of this one. current_work: this Task as a " +
    "candidate for your current work.",
});
export const SuggestionVerdict = Type.Enum(["helpful", "not_helpful", "dismissed"], {
  description: "A dismissed suggestion does not appear again until you give it another verdict.",
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
  "Give feedback on a suggestion",
  {
    description:
      "The latest feedback on a suggestion replaces the previous one; the same feedback again changes " +
      `nothing. related_task requires subject_id. You can give feedback on at most ${MOST_FEEDBACK} ` +
      "suggestions about one Task.",
    auth: [S],
    private: true,
    body: object({ kind: SuggestionKind, subject_id: Type.Optional(Id), verdict: SuggestionVerdict }),
    example: { kind: "current_work", verdict: "dismissed" },
    returns: SuggestionFeedback,
    errors: ["invalid_reference", "limit_reached"],
  },
);
