// Tasks: the unit of work. A Task is addressed by id, and by people with its code.
import Type from "typebox";
import { Counts } from "../../included-schemas.ts";
import { C, list, M, op, S, T } from "../../kit.ts";
import {
  Day,
  Id,
  MarkdownText,
  nullable,
  object,
  Priority,
  patch,
  resource,
  single,
  TaskCode,
  Timestamp,
  Title,
} from "../../types.ts";
import { MOST_ATTACHED } from "../attachments/attachments.ts";
import { LabelIds } from "../labels/assignments.ts";
import { howToFilter, howToGoOn, howToSort, looking, taskFilters } from "./lists/filters.ts";
import { hindrances, MOST_RELATIONS, NewRelation } from "./relations/relations.ts";

export const writable = {
  title: Title(500),
  description_markdown: MarkdownText,
  priority: Priority,
  status_id: Id,
  assignee_actor_id: {
    ...nullable(Id),
    description: "An active member who sees the Project; an existing assignee who no longer sees it may remain.",
  },
  milestone_id: nullable(Id),
  start_date: nullable(Day),
  due_date: nullable(Day),
};
/** Writable fields that are stored outside the Task's row. */
const placed = {
  label_ids: LabelIds,
  parent_id: { ...nullable(Id), description: "A Task that you see, in any Project, and not in the trash." },
};
/** Fields that a Task can be created with; other operations change them later. */
const beside = {
  relations: Type.Array(NewRelation, { maxItems: MOST_RELATIONS, description: "Relations as seen from the new Task." }),
  attachment_ids: Type.Array(Id, {
    maxItems: MOST_ATTACHED,
    uniqueItems: true,
    description:
      "Files that you have uploaded and that are not attached yet; the id of a completed upload is that " +
      "of its file.",
  }),
  follower_actor_ids: Type.Array(Id, {
    maxItems: 100,
    uniqueItems: true,
    description: "Active members who see the Project. They follow the Task until they decide otherwise.",
  }),
};
const position = Type.Number({
  description: "Order within a Status, ascending. It may change without a new revision when others are moved.",
});
const sentPosition = Type.Number({ minimum: -1e15, maximum: 1e15, description: "Order within a Status, ascending." });
/** Place of a Task in its column relative to its neighbours, as an alternative to `position`. */
const neighbours = {
  after_task_id: {
    ...nullable(Id),
    description: "The Task to come after, in the same Project and Status; null is the first place.",
  },
  before_task_id: {
    ...nullable(Id),
    description: "The Task to come before, in the same Project and Status; null is the last place.",
  },
};

/** Resources that a read of a Task can include. */
export const include = ["status", "assignee", "people", "labels", "project", "milestone", "parent", "counts"] as const;
/** Resources that a list of Tasks can include. It also has the full description on request. */
export const includeInList = [...include, "description"] as const;

const { title, description_markdown, ...others } = writable;
const identity = { ...resource, workspace_id: Id, project_id: Id, number: Type.Integer(), code: TaskCode, title };
const rest = {
  ...others,
  parent_id: { ...nullable(Id), description: "The parent Task, if you see it." },
  label_ids: Type.Array(Id),
  position,
  created_by_actor_id: Id,
  started_at: nullable(Timestamp),
  completed_at: nullable(Timestamp),
  trashed_at: nullable(Timestamp),
};
export const TaskRow = object({
  ...identity,
  description_excerpt: Type.String({
    maxLength: 200,
    description: "Beginning of the description, without its Markdown.",
  }),
  ...rest,
  counts: Type.Optional(Counts),
  description_markdown: Type.Optional({
    ...description_markdown,
    description: "Present with include=description only.",
  }),
});
export const TaskFields = object({ ...identity, description_markdown, ...rest });
export const Task = single(object({ ...TaskFields.properties, counts: Type.Optional(Counts) }));

export const listProjectTasks = list("GET /projects/{project_id}/tasks", "List the Tasks of a Project", {
  description:
    `${howToFilter} sort: created (the default) is by number, newest first, so that a Task that was ` +
    "moved there " +
    `counts from then on; updated is newest change first; ${howToSort} ${howToGoOn}`,
  auth: [S, M, T, C],
  baseline: true,
  query: object(taskFilters),
  include: includeInList,
  beside: looking,
  items: TaskRow,
});

export const createTask = op("POST /projects/{project_id}/tasks", "Create a Task", {
  description:
    "Without status_id, the Task starts in the Project's first unstarted Status, at the first " +
    "position. Parent, relations, labels, files and followers follow the rules of the operations that " +
    "add them later: the parent first, then the relations in their order. Everything is one command. " +
    "Undoing it undoes all of it: the Task moves to the trash with its labels, files and followers, " +
    "and its relations end.",
  auth: [S, M, T, C],
  status: 201,
  creates: "/tasks/{id}",
  idempotencyKey: "required",
  takesNumber: true,
  body: object({
    ...Type.Partial(Type.Object({ ...writable, ...placed, ...beside })).properties,
    title: writable.title,
  }),
  example: { title: "Cut the gears", priority: "high" },
  returns: Task,
  errors: [
    "project_archived",
    "invalid_reference",
    "invalid_dates",
    "project_closed",
    "review_required",
    ...hindrances,
    "attachment_infected",
  ],
});

export const getTask = op("GET /tasks/{task_id}", "Read a Task", {
  auth: [S, M, T, C],
  baseline: true,
  include,
  returns: Task,
});

export const updateTask = op("PATCH /tasks/{task_id}", "Change a Task", {
  description:
    "after_task_id or before_task_id positions the Task beside another Task of its Status, or of the " +
    "Status in the same request; if there is no room between two, later Tasks are moved. A Task that " +
    "enters a Status without a position becomes the first.",
  auth: [S, M, T, C],
  ifMatch: "required",
  withoutIfMatch: Object.keys(neighbours),
  body: patch({ ...writable, ...placed, position: sentPosition, ...neighbours }),
  example: { priority: "urgent", due_date: "2026-12-24" },
  returns: Task,
  errors: ["project_archived", "task_trashed", "invalid_reference", "invalid_dates", "review_required", ...hindrances],
});

export const getTaskByCode = op("GET /workspaces/{workspace_id}/tasks/{task_code}", "Resolve a Task by its code", {
  auth: [S, M, T, C],
  baseline: true,
  include,
  returns: Task,
});
