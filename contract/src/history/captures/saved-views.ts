// Saved views: queries with their display options. Each is private to its creator.
import Type from "typebox";
import { exampleId } from "../../examples.ts";
import { list, op } from "../../kit.ts";
import { Id, Name, object, Revision, resource, single, Timestamp } from "../../types.ts";
import { FOR_EVERY_ROLE, reading, writing } from "./private-captures.ts";
import { TaskQuery } from "./result-sets.ts";

export const MOST_VIEWS = 100;

const columns = [
  ...["code", "project", "status", "priority", "assignee", "milestone", "labels", "start_date", "due_date"],
  ...["created_at", "updated_at", "completed_at"],
];
export const TaskLayout = object(
  {
    kind: Type.Enum(["list", "board", "timeline", "calendar"]),
    group_by: Type.Enum(["none", "project", "status", "category", "priority", "assignee", "milestone", "label"]),
    columns: Type.Array(Type.Enum(columns), {
      maxItems: columns.length,
      uniqueItems: true,
      description: "Columns shown beside the title, from left to right.",
    }),
  },
  { examples: [{ kind: "board", group_by: "status", columns: ["code", "assignee"] }] },
);
const fields = { name: Name(100), query: TaskQuery, layout: TaskLayout };
export const TaskSavedViewRow = object({ ...resource, ...fields });
export const TaskSavedView = single(TaskSavedViewRow);

export const saveTaskView = op("POST /workspaces/{workspace_id}/task-saved-views", "Save a view of Tasks", {
  description:
    "Without view_id it creates a view; a member has at most 100. With view_id and its revision it " +
    `replaces the view. A save without a change creates no revision. ${FOR_EVERY_ROLE}`,
  ...writing,
  revisionInBody: true,
  body: object({
    ...fields,
    view_id: Type.Optional({ ...Id, description: "View to change, together with revision." }),
    revision: Type.Optional({ ...Revision, description: "Required revision of the view." }),
  }),
  example: {
    name: "Started",
    query: { category: "started", sort: "due" },
    layout: { kind: "board", group_by: "status", columns: ["code", "assignee"] },
  },
  returns: TaskSavedView,
  errors: ["limit_reached", "revision_conflict"],
});

export const listTaskSavedViews = list("GET /workspaces/{workspace_id}/task-saved-views", "List your saved views", {
  description: "Lists your private views in the order of their creation.",
  ...reading,
  items: TaskSavedViewRow,
});

export const deleteTaskView = op("POST /workspaces/{workspace_id}/task-saved-views/delete", "Delete a saved view", {
  description: "Deletes the view only at exactly this revision.",
  ...writing,
  body: object({ view_id: Id, revision: Revision }),
  example: { view_id: exampleId("view_id"), revision: "1" },
  returns: object({ view_id: Id, deleted_at: Timestamp }),
  errors: ["revision_conflict"],
});
