// The trash of Tasks: a trashed Task is read-only and keeps its content. It is restored unchanged, or deleted
// permanently.
import { op, S } from "../../kit.ts";
import { Task } from "./tasks.ts";

export const trashTask = op("POST /tasks/{task_id}/trash", "Put a Task into the trash", {
  description:
    "It keeps its number, Status, assignee and comments, is only read from now on, and is in no list. " +
    "One that is in the trash already is answered as it is.",
  auth: [S],
  ifMatch: "required",
  returns: Task,
  errors: ["project_archived"],
});

export const restoreTask = op("POST /tasks/{task_id}/restore", "Take a Task out of the trash", {
  description:
    "It is back in its Status, or in the one that has replaced it meanwhile. One that is not in the trash is " +
    "answered as it is.",
  auth: [S],
  ifMatch: "required",
  returns: Task,
  errors: ["project_archived"],
});

export const deleteTask = op("DELETE /tasks/{task_id}", "Delete a Task for ever", {
  description:
    "Only from the trash, and only by who manages the Project. Its assignments, texts, comments and everything " +
    "else that hangs on it go too; its number is never used again.",
  auth: [S],
  ifMatch: "optional",
  errors: ["project_archived", "task_not_trashed"],
});
