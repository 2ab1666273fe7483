// Tasks of a whole Workspace, in the order and with the filters that somebody asks for.
import Type from "typebox";
import { C, list, M, S, T } from "../../kit.ts";
import { Category, Day, Id, Line, Moment, object, Priority } from "../../types.ts";
import { includeInList, TaskRow } from "../tasks.ts";

const IdOrNone = Type.String({
  minLength: 4,
  maxLength: 36,
  pattern: "^(?:none|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$",
  description: "An identifier, or none for Tasks without one.",
});

/** What Tasks are narrowed down by, in a list and on a board. */
export const taskFilters = {
  assignee_actor_id: Type.Optional(IdOrNone),
  label_id: Type.Optional(Id),
  milestone_id: Type.Optional(IdOrNone),
  priority: Type.Optional(Priority),
  due_before: Type.Optional(Day),
  due_after: Type.Optional(Day),
  created_by_actor_id: Type.Optional(Id),
  text: Type.Optional({ ...Line(200), minLength: 1, description: "The title contains it, in any case." }),
  updated_since: Type.Optional(Moment),
};

export const TaskSort = Type.Enum(["updated", "created", "due", "priority", "position"]);

export const listWorkspaceTasks = list("GET /workspaces/{workspace_id}/tasks", "List the Tasks of a Workspace", {
  description:
    "Filters can be combined. sort: updated (the default) and created are newest first, created within a Project or Milestone by number, so that a Task that was moved there counts from then on; due is soonest first and lists only Tasks with a due date; priority is urgent first, and within one priority newest change first; position is the order that people have given the Tasks of a Status, as a board shows it, and needs project_id and status_id. due_before and due_after include the day itself. trashed=true lists the trash instead, latest first, and takes no sort. At most 800 Tasks are examined for a page: where few of them match, it holds fewer items than limit or none, and only has_more says whether there are more.",
  auth: [S, M, T, C],
  query: object({
    project_id: Type.Optional(Id),
    status_id: Type.Optional(Id),
    category: Type.Optional(Category),
    ...taskFilters,
    trashed: Type.Optional(Type.Boolean()),
    sort: Type.Optional(TaskSort),
  }),
  include: includeInList,
  items: TaskRow,
});
