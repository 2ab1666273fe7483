// Relations between Tasks. A relation is one resource with two ends, and each Task shows it from its own end.
import Type from "typebox";
import { list, op, S } from "../../../kit.ts";
import { Category, Id, nullable, object, resource, single, TaskCode, Timestamp } from "../../../types.ts";

export const RelationType = Type.Enum([
  "blocks",
  "blocked_by",
  "relates_to",
  "duplicates",
  "duplicated_by",
  "parent_of",
  "child_of",
]);

/** Relations of one Task, of all types and from both ends. */
export const MOST_RELATIONS = 200;

export const RelatedTask = object({
  id: Id,
  project_id: Id,
  code: TaskCode,
  title: Type.String(),
  status_id: Id,
  category: Category,
  assignee_actor_id: nullable(Id),
  trashed_at: nullable(Timestamp),
});
export const TaskRelationRow = object({
  ...resource,
  task_id: { ...Id, description: "The Task that the relation is seen from." },
  kind: {
    ...RelationType,
    description: "Relation as seen from task_id: `blocks` means that task_id blocks the related Task.",
  },
  type: {
    ...RelationType,
    description: "Former name of kind, and the name of the field in requests.",
  },
  related_task: RelatedTask,
  created_by_actor_id: Id,
});
export const TaskRelation = single(TaskRelationRow);

export const listTaskRelations = list("GET /tasks/{task_id}/relations", "List the relations of a Task", {
  description:
    "Lists relations oldest first, each as seen from this Task. Relations to Tasks that you cannot see " +
    "are left out. Related Tasks in the trash are shown, with trashed_at.",
  auth: [S],
  include: ["people", "status", "project"],
  items: TaskRelationRow,
});

/** Errors that prevent a relation. */
export const hindrances = ["relation_exists", "relation_cycle", "parent_exists", "limit_reached"] as const;
/** Errors of creating a relation or changing its type. */
const REFUSALS = ["project_archived", "task_trashed", "invalid_reference", ...hindrances] as const;
export const NewRelation = object({ type: RelationType, related_task_id: Id });

export const createTaskRelation = op("POST /tasks/{task_id}/relations", "Relate a Task to another one", {
  description:
    "The other Task may be in any Project that you see, but not in the trash. Two Tasks can have one " +
    "relation of each type; blocking and parent relations cannot form a cycle of any length; a Task " +
    `has at most one parent, and at most ${MOST_RELATIONS} relations.`,
  auth: [S],
  status: 201,
  creates: "/task-relations/{id}",
  body: NewRelation,
  example: { type: "blocks", related_task_id: "01980000-0000-7000-8000-000000000001" },
  returns: TaskRelation,
  errors: REFUSALS,
});

export const updateTaskRelation = op("PATCH /task-relations/{relation_id}", "Change the type of a relation", {
  description:
    "The type, in the request and the answer, is as seen from task_id, one of the two Tasks: `blocks` " +
    "means that task_id blocks the other one. You must be able to change one of the Tasks and see both.",
  auth: [S],
  ifMatch: "required",
  body: object({
    type: RelationType,
    task_id: { ...Id, description: "Which of the two Tasks the type is seen from." },
  }),
  example: { type: "blocked_by", task_id: "01980000-0000-7000-8000-000000000001" },
  returns: TaskRelation,
  errors: REFUSALS,
});

export const deleteTaskRelation = op("DELETE /task-relations/{relation_id}", "Remove a relation from both Tasks", {
  auth: [S],
  ifMatch: "optional",
  errors: ["project_archived"],
});
