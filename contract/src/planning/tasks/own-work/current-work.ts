// The Task that a person has marked as their current work in the Workspace of their session, and the candidates for it.
// Nobody else reads it.
import Type from "typebox";
import { op, S } from "../../../kit.ts";
import { Day, Id, nullable, object, Priority, Revision, TaskCode, Timestamp } from "../../../types.ts";
import { StatusName } from "../context/context.ts";

export const MOST_CANDIDATES = 20;

export const WorkedTask = object({
  id: Id,
  project_id: Id,
  code: TaskCode,
  title: Type.String(),
  priority: Priority,
  status_id: Id,
  status: StatusName,
  assignee_actor_id: nullable(Id),
  due_date: nullable(Day),
});
export const CurrentWork = object({
  task: {
    ...nullable(WorkedTask),
    description:
      "Your current Task; null if you have set none, or if it is completed, cancelled, in the trash, in " +
      "an archived Project or hidden from you.",
  },
  since: { ...nullable(Timestamp), description: "Time at which you set it." },
  revision: { ...Revision, description: '"0" until you have set a current Task.' },
  updated_at: nullable(Timestamp),
});

/** A session without a Workspace has no current work. */
const own = { auth: [S], private: true, errors: ["not_found"] } as const;

export const getCurrentWork = op("GET /me/current-work", "Read your current work", {
  description: "Returns your private choice in the Workspace of the session.",
  ...own,
  returns: CurrentWork,
});

export const setCurrentWork = op("PUT /me/current-work", "Set your current work", {
  description:
    "The Task must be open and visible to you, whoever it is assigned to; it does not change. Setting " +
    "the same Task again changes nothing, not even since.",
  ...own,
  body: object({ task_id: Id }),
  example: { task_id: "01980000-0000-7000-8000-000000000001" },
  returns: CurrentWork,
  errors: ["not_found", "invalid_reference"],
});

export const clearCurrentWork = op("DELETE /me/current-work", "Clear your current work", {
  description: "Clearing it again changes nothing.",
  ...own,
  ifMatch: "optional",
});

export const WorkReason = Type.Enum([
  "in_progress",
  "due_soon",
  "reviewing",
  "time_recorded",
  "recently_touched",
  "assigned",
]);
export const WorkCandidate = object({
  task: WorkedTask,
  reasons: Type.Array(WorkReason, { minItems: 1, description: "Reasons, the strongest first." }),
});
export const WorkCandidates = object({ items: Type.Array(WorkCandidate, { maxItems: MOST_CANDIDATES }) });

export const listCurrentWorkCandidates = op(
  "GET /me/current-work/candidates",
  "List candidates for your current work",
  {
    description:
      "Lists at most 20 open Tasks, the most likely first, without the current one. in_progress: " +
      "assigned to you and started. due_soon: assigned to you and overdue or due within seven days of " +
      "your own calendar. reviewing: awaits a review in a Project that you lead or manage. " +
      "time_recorded: you recorded time on it in the last 14 days. recently_touched: you changed or " +
      "commented on it in the last 14 days, and it is assigned to you or to nobody. assigned: to you. " +
      "Candidates are ordered by the strongest reason, then the number of reasons, the priority, the due " +
      "date and the latest change. Candidates that you marked as not helpful come last, and those that " +
      "you dismissed are left out (POST .../suggestion-feedback with kind current_work).",
    ...own,
    returns: WorkCandidates,
  },
);
