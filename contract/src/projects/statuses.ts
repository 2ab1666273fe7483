// Workflow Statuses: the columns that Tasks move through, Workspace-wide or of one Project.
import Type from "typebox";
import { C, list, M, op, S, T } from "../kit.ts";
import { Category, Color, Id, Name, nullable, object, resource, single } from "../types.ts";

export const StatusRow = object({
  ...resource,
  project_id: nullable(Id),
  name: Name(60),
  category: Category,
  color: nullable(Color),
  position: Type.Integer(),
  lifecycle: Type.Null({ description: "The lifecycle policy of the stage it is bound to; null without one." }),
});
export const Status = single(StatusRow);

export const listWorkspaceStatuses = list(
  "GET /workspaces/{workspace_id}/statuses",
  "List the Workspace-wide Statuses in workflow order",
  {
    auth: [S],
    items: StatusRow,
  },
);

export const createWorkspaceStatus = op("POST /workspaces/{workspace_id}/statuses", "Add a Workspace-wide Status", {
  auth: [S],
  status: 201,
  body: object({ name: Name(60), category: Category, color: Type.Optional(nullable(Color)) }),
  example: { name: "Blocked", category: "started", color: "red" },
  returns: Status,
  errors: ["name_taken", "limit_reached"],
});

export const listProjectStatuses = list(
  "GET /projects/{project_id}/statuses",
  "List the Statuses that apply to a Project in workflow order",
  {
    auth: [S, M, T, C],
    items: StatusRow,
  },
);
