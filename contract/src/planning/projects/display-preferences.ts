// A member's display preferences for the Projects of a Workspace. The server stores them for clients and does not
// filter by them.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { nullable, object, Revision, Timestamp } from "../../types.ts";

export const projectColumns = [
  "key",
  "state",
  "lead",
  "members",
  "progress",
  "start_date",
  "target_date",
  "updated_at",
] as const;

const fields = {
  layout: Type.Enum(["list", "board", "timeline"]),
  group_by: Type.Enum(["none", "state", "category", "lead"]),
  order_by: Type.Enum(["manual", "key", "name", "start_date", "target_date", "updated_at"]),
  show_archived: Type.Boolean(),
  show_completed: Type.Boolean(),
  columns: Type.Array(Type.Enum([...projectColumns]), {
    maxItems: projectColumns.length,
    uniqueItems: true,
    description: "Visible columns, from left to right.",
  }),
};
export const ProjectDisplay = object(fields);
export const ProjectDisplayPreferences = object({ ...fields, revision: Revision, updated_at: nullable(Timestamp) });

export const getProjectDisplayPreferences = op(
  "GET /workspaces/{workspace_id}/project-display-preferences",
  "Read your Project display preferences",
  {
    description: "Returns your private preferences; the defaults have revision 0 until you change them.",
    auth: [S],
    private: true,
    unchanging: true,
    returns: ProjectDisplayPreferences,
  },
);

export const replaceProjectDisplayPreferences = op(
  "PUT /workspaces/{workspace_id}/project-display-preferences",
  "Replace your Project display preferences",
  {
    auth: [S],
    private: true,
    ifMatch: "required",
    body: ProjectDisplay,
    example: {
      layout: "board",
      group_by: "state",
      order_by: "manual",
      show_archived: false,
      show_completed: true,
      columns: ["key", "state", "lead"],
    },
    returns: ProjectDisplayPreferences,
  },
);
