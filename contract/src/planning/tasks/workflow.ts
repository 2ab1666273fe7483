// Starts work on a Task by id. The command line's operations declare start, done and reopen by code.
import Type from "typebox";
import { C, M, op, S, T } from "../../kit.ts";
import { object, single } from "../../types.ts";
import { TaskFields } from "./tasks.ts";

export const reassigned = Type.Boolean({
  description: "Whether the Task was assigned to somebody else before: show a warning.",
});

export const StartedTask = single(object({ ...TaskFields.properties, reassigned }));

export const startTask = op("POST /tasks/{task_id}/start", "Start work on a Task", {
  description:
    "Moves the Task to the Project's active Status and assigns it to you; an earlier assignment ends. " +
    "A Task that is already yours and active does not change.",
  auth: [S, M, T, C],
  idempotencyKey: "required",
  ifMatch: "required",
  returns: StartedTask,
  errors: ["project_archived", "task_trashed", "workflow_status_unavailable"],
});
