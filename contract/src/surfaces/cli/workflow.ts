// Starts, finishes and reopens a Task on the command line. The Project's policy decides on the Status, not the caller.
import Type from "typebox";
import { C, op, T } from "../../kit.ts";
import { reassigned } from "../../planning/tasks/workflow.ts";
import { Id, object, single } from "../../types.ts";
import { CliTask, CliTaskFields } from "./tasks.ts";

const step = { auth: [T, C], idempotencyKey: "required", ifMatch: "required" } as const;

export const StartedCliTask = single(object({ ...CliTaskFields.properties, reassigned }));

export const startCliTask = op("POST /cli/tasks/{task_code}/start", "Start work on a Task", {
  description:
    "Moves the Task to the Project's active Status and assigns it to you; an earlier assignment ends. " +
    "A Task that is already yours and active does not change.",
  ...step,
  returns: StartedCliTask,
  errors: ["project_archived", "task_trashed", "workflow_status_unavailable"],
});

export const completeCliTask = op("POST /cli/tasks/{task_code}/done", "Finish a Task", {
  description:
    "If the Project requires review, the Task first moves to the review Status; from there, only " +
    "someone who manages the work of the Project can move it to the done Status. Otherwise it moves to " +
    "the Status that counts as completed; if there are several, to the one that target_status_id or " +
    "the Project's completion policy names. A Task that is already done does not change.",
  ...step,
  query: object({ target_status_id: Type.Optional(Id) }),
  returns: CliTask,
  errors: [
    "project_archived",
    "task_trashed",
    "completion_target_required",
    "completion_target_invalid",
    "completion_target_unavailable",
    "workflow_status_unavailable",
  ],
});

export const reopenCliTask = op("POST /cli/tasks/{task_code}/reopen", "Reopen a Task that is done", {
  description: "Moves the Task to the Project's active Status; its assignee does not change.",
  ...step,
  returns: CliTask,
  errors: ["project_archived", "task_trashed", "task_not_completed", "workflow_status_unavailable"],
});
