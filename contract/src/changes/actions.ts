// What a ChangeSet can do: each action is one of the operations, with what it is about, and nothing else. What the operation takes as its
// body is the change's `set`; where the operation compares a revision, the change names it.
import { createTaskComment, updateComment } from "../comments/comments.ts";
import { replaceDocumentMarkdown } from "../documents/content/content.ts";
import type { AnyOperation } from "../kit.ts";
import { createMilestone, deleteMilestone, updateMilestone } from "../projects/milestones.ts";
import { moveTask } from "../tasks/move.ts";
import { createTaskRelation, deleteTaskRelation, updateTaskRelation } from "../tasks/relations/relations.ts";
import { createTask, updateTask } from "../tasks/tasks.ts";
import { restoreTask, trashTask } from "../tasks/trash.ts";
import { createTimeEntry, deleteTimeEntry, updateTimeEntry } from "../time/entries.ts";

/** The fields that say what a change is about; each is also the parameter of its operation's path. */
export const places = ["project_id", "task_id", "relation_id", "comment_id", "milestone_id", "entry_id"] as const;

interface Action {
  operation: AnyOperation;
  /** What it is about; of a Document patch, the patch says it. */
  at: (typeof places)[number] | "patch_id";
  /** The one field that `set` has, where the action is about that alone. */
  only?: string;
}

export const actions = {
  "task.create": { operation: createTask, at: "project_id" },
  "task.update": { operation: updateTask, at: "task_id" },
  "task.assign": { operation: updateTask, at: "task_id", only: "assignee_actor_id" },
  "task.label": { operation: updateTask, at: "task_id", only: "label_ids" },
  "task.move": { operation: moveTask, at: "task_id" },
  "task.trash": { operation: trashTask, at: "task_id" },
  "task.restore": { operation: restoreTask, at: "task_id" },
  "relation.create": { operation: createTaskRelation, at: "task_id" },
  "relation.update": { operation: updateTaskRelation, at: "relation_id" },
  "relation.delete": { operation: deleteTaskRelation, at: "relation_id" },
  "comment.create": { operation: createTaskComment, at: "task_id" },
  "comment.update": { operation: updateComment, at: "comment_id" },
  "milestone.create": { operation: createMilestone, at: "project_id" },
  "milestone.update": { operation: updateMilestone, at: "milestone_id" },
  "milestone.delete": { operation: deleteMilestone, at: "milestone_id" },
  "time_entry.create": { operation: createTimeEntry, at: "task_id" },
  "time_entry.update": { operation: updateTimeEntry, at: "entry_id" },
  "time_entry.delete": { operation: deleteTimeEntry, at: "entry_id" },
  "document.patch": { operation: replaceDocumentMarkdown, at: "patch_id" },
} as const satisfies Record<string, Action>;

export type ActionName = keyof typeof actions;
export const actionNames = Object.keys(actions) as ActionName[];
export const actionOf = (name: ActionName): Action => actions[name];
