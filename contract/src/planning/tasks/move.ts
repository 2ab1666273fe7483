// Moves a Task to another Project, and duplicates a Task.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { Id, object } from "../../types.ts";
import { Task } from "./tasks.ts";

export const moveTask = op("POST /tasks/{task_id}/move", "Move a Task to another Project", {
  description:
    "The Task gets the next number in that Project, and its earlier codes still find it. Without " +
    "status_id it keeps its Status if that applies there, otherwise it gets the Status of the same " +
    "name, the first one in the same category, or the Project's start Status. It leaves its Milestone; " +
    "labels of the previous Project become those of the same name, if they exist. A Task that is " +
    "already in that Project and Status does not change.",
  auth: [S],
  ifMatch: "required",
  takesNumber: true,
  body: object({ project_id: Id, status_id: Type.Optional(Id) }),
  returns: Task,
  errors: ["project_archived", "task_trashed", "invalid_reference", "project_closed", "review_required"],
});

export const duplicateTask = op("POST /tasks/{task_id}/duplicate", "Duplicate a Task", {
  description:
    "Creates a Task in the same Project with the title, description, priority, labels, dates and, if " +
    "it accepts new work, Milestone of the original. The new Task is in the Project's start Status and " +
    "has no assignee; comments, history and relations are not copied.",
  auth: [S],
  status: 201,
  creates: "/tasks/{id}",
  idempotencyKey: "required",
  takesNumber: true,
  returns: Task,
  errors: ["project_archived", "task_trashed", "project_closed"],
});
