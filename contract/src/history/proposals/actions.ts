// Actions of a ChangeSet. Each action is one operation applied to one resource. The change's `set` is the operation's
// body; the change names a revision if the operation compares one.

import type { AnyOperation } from "../../kit.ts";
import { replaceDocumentMarkdown } from "../../knowledge/documents/content/content.ts";
import { createTaskComment, updateComment } from "../../planning/comments/comments.ts";
import { createMilestone, deleteMilestone, updateMilestone } from "../../planning/projects/milestones.ts";
import { moveTask } from "../../planning/tasks/move.ts";
import {
  createTaskRelation,
  deleteTaskRelation,
  updateTaskRelation,
} from "../../planning/tasks/relations/relations.ts";
import { createTask, updateTask } from "../../planning/tasks/tasks.ts";
import { restoreTask, trashTask } from "../../planning/tasks/trash.ts";
import { createTimeEntry, deleteTimeEntry, updateTimeEntry } from "../../planning/time/entries.ts";

/** Fields that identify the resource of a change; each is also the parameter in its operation's path. */
export const places = ["project_id", "task_id", "relation_id", "comment_id", "milestone_id", "entry_id"] as const;

/** Operations by their operationId: `collect` sets `operation.id` only after the descriptions here are built. */
const operations = {
  createTask,
  updateTask,
  moveTask,
  trashTask,
  restoreTask,
  createTaskRelation,
  updateTaskRelation,
  deleteTaskRelation,
  createTaskComment,
  updateComment,
  createMilestone,
  updateMilestone,
  deleteMilestone,
  createTimeEntry,
  updateTimeEntry,
  deleteTimeEntry,
  replaceDocumentMarkdown,
};

interface Action {
  runs: keyof typeof operations;
  /** Field that identifies the resource of the change. A Document patch identifies it itself. */
  at: (typeof places)[number] | "patch_id";
  /** The only field of `set`, for an action that changes a single field. */
  only?: string;
}

export const actions = {
  "task.create": { runs: "createTask", at: "project_id" },
  "task.update": { runs: "updateTask", at: "task_id" },
  "task.assign": { runs: "updateTask", at: "task_id", only: "assignee_actor_id" },
  "task.label": { runs: "updateTask", at: "task_id", only: "label_ids" },
  "task.move": { runs: "moveTask", at: "task_id" },
  "task.trash": { runs: "trashTask", at: "task_id" },
  "task.restore": { runs: "restoreTask", at: "task_id" },
  "relation.create": { runs: "createTaskRelation", at: "task_id" },
  "relation.update": { runs: "updateTaskRelation", at: "relation_id" },
  "relation.delete": { runs: "deleteTaskRelation", at: "relation_id" },
  "comment.create": { runs: "createTaskComment", at: "task_id" },
  "comment.update": { runs: "updateComment", at: "comment_id" },
  "milestone.create": { runs: "createMilestone", at: "project_id" },
  "milestone.update": { runs: "updateMilestone", at: "milestone_id" },
  "milestone.delete": { runs: "deleteMilestone", at: "milestone_id" },
  "time_entry.create": { runs: "createTimeEntry", at: "task_id" },
  "time_entry.update": { runs: "updateTimeEntry", at: "entry_id" },
  "time_entry.delete": { runs: "deleteTimeEntry", at: "entry_id" },
  "document.patch": { runs: "replaceDocumentMarkdown", at: "patch_id" },
} as const satisfies Record<string, Action>;

export type ActionName = keyof typeof actions;
export const actionNames = Object.keys(actions) as ActionName[];
export const actionOf = (name: ActionName): Action & { operation: AnyOperation } => {
  const action: Action = actions[name];
  return { ...action, operation: operations[action.runs] };
};
