// Moves a Task to another Project, and duplicates a Task.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { Id, object } from "../../types.ts";
import { Task } from "./tasks.ts";

export const moveTask = op("POST /tasks/{task_id}/move", "Move a Task to another Project", {
  description:
    "It gets the next number there, and is still found by the codes that it had. Without status_id it keeps its " +
    "Status where that applies, else it goes to the one of the same name or else the first one in the same " +
    "category, else to where new Tasks start. It leaves its Milestone; labels of the Project that it leaves " +
    "become those of the same name, where there are some. One that is in that Project, and in that Status, " +
    "stays as it is.",
  auth: [S],
  ifMatch: "required",
  takesNumber: true,
  body: object({ project_id: Id, status_id: Type.Optional(Id) }),
  returns: Task,
  errors: ["project_archived", "task_trashed", "invalid_reference", "project_closed", "review_required"],
});

export const duplicateTask = op("POST /tasks/{task_id}/duplicate", "Duplicate a Task", {
  description:
    "A new Task in the same Project with its title, description, priority, labels, dates and, while that takes " +
    "new work, Milestone. It starts where new Tasks start and is assigned to nobody; " +
    "comments, history and relations stay with the original.",
  auth: [S],
  status: 201,
  creates: "/tasks/{id}",
  idempotencyKey: "required",
  takesNumber: true,
  returns: Task,
  errors: ["project_archived", "task_trashed", "project_closed"],
});
