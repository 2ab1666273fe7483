// The trash of Tasks: a trashed Task is read-only and keeps its content. It is restored unchanged, or deleted
// permanently.
import { op, S } from "../../kit.ts";
import { Task } from "./tasks.ts";

export const trashTask = op("POST /tasks/{task_id}/trash", "Move a Task to the trash", {
  description:
    "The Task keeps its number, Status, assignee and comments, becomes read-only, and is left out of " +
    "lists. A Task that is already in the trash is returned unchanged.",
  auth: [S],
  ifMatch: "required",
  returns: Task,
  errors: ["project_archived"],
});

export const restoreTask = op("POST /tasks/{task_id}/restore", "Restore a Task from the trash", {
  description:
    "The Task returns to its Status, or to the one that has replaced it since. A Task that is not in " +
    "the trash is returned unchanged.",
  auth: [S],
  ifMatch: "required",
  returns: Task,
  errors: ["project_archived"],
});

export const deleteTask = op("DELETE /tasks/{task_id}", "Delete a Task for ever", {
  description:
    "Only someone who manages the Project can delete a Task, and only from the trash. Deletes its " +
    "assignments, texts, comments and all other data of the Task; its number is never reused.",
  auth: [S],
  ifMatch: "optional",
  errors: ["project_archived", "task_not_trashed"],
});
