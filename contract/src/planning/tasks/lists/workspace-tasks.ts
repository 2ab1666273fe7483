// Tasks of a whole Workspace, filtered and sorted as requested.
import Type from "typebox";
import { C, list, M, S, T } from "../../../kit.ts";
import { object, several } from "../../../types.ts";
import { includeInList, TaskRow } from "../tasks.ts";
import { howToFilter, howToGoOn, howToSort, looking, taskFilters } from "./filters.ts";

export const listWorkspaceTasks = list("GET /workspaces/{workspace_id}/tasks", "List the Tasks of a Workspace", {
  description:
    `${howToFilter} sort: updated (the default) and created are newest first, created within one ` +
    "Project or Milestone by number, so that a Task that was moved there counts from then on; " +
    `${howToSort} Here position also needs one project_id. ${howToGoOn}`,
  auth: [S, M, T, C],
  baseline: true,
  query: object({ project_id: Type.Optional(several()), ...taskFilters }),
  include: includeInList,
  beside: looking,
  items: TaskRow,
});
