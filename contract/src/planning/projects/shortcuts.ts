// A member's shortcuts to Projects, in their own order.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { Id, nullable, object, Revision, Timestamp } from "../../types.ts";

export const ProjectShortcuts = object({
  project_ids: Type.Array(Id, { maxItems: 50 }),
  revision: Revision,
  updated_at: nullable(Timestamp),
});

export const getProjectShortcuts = op(
  "GET /workspaces/{workspace_id}/project-shortcuts",
  "Read your Project shortcuts",
  {
    description: "Returns your private shortcuts. Projects that you can no longer see are left out.",
    auth: [S],
    private: true,
    returns: ProjectShortcuts,
  },
);

export const replaceProjectShortcuts = op(
  "PUT /workspaces/{workspace_id}/project-shortcuts",
  "Replace your Project shortcuts",
  {
    auth: [S],
    private: true,
    ifMatch: "required",
    body: object({ project_ids: Type.Array(Id, { maxItems: 50, uniqueItems: true }) }),
    example: { project_ids: [] },
    returns: ProjectShortcuts,
    errors: ["invalid_reference"],
  },
);
