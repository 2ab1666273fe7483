// Defaults that all members of a Workspace share.
import { M, op, S } from "../../kit.ts";
import { Language, Line, object, patch, policy, single, TimeZone, Visibility, WeekStart } from "../../types.ts";

export const WorkspaceSettings = object({
  ...policy,
  timezone: Line(100),
  locale: Line(35),
  week_start: WeekStart,
  default_project_visibility: { ...Visibility, description: "Visibility of a new Project that does not specify one." },
});

export const getWorkspaceSettings = op("GET /workspaces/{workspace_id}/settings", "Read the shared defaults", {
  auth: [S, M],
  returns: single(WorkspaceSettings),
});

export const updateWorkspaceSettings = op("PATCH /workspaces/{workspace_id}/settings", "Change the shared defaults", {
  description: "Needs workspace:manage. The defaults apply to new resources only.",
  auth: [S],
  ifMatch: "required",
  body: patch({
    timezone: TimeZone,
    locale: Language,
    week_start: WeekStart,
    default_project_visibility: Visibility,
  }),
  example: { timezone: "Europe/London", week_start: "monday" },
  returns: single(WorkspaceSettings),
});
