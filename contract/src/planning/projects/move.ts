// The manual order of a Workspace's Projects.
import { op, S } from "../../kit.ts";
import { Placement } from "../../types.ts";
import { Project } from "./projects.ts";

export const moveProject = op("POST /projects/{project_id}/move", "Move a Project in the Workspace's order", {
  description:
    "The order is everybody's, so owners and admins make it. It is no part of the Project: the revision stays.",
  auth: [S],
  body: Placement,
  example: { after_id: null },
  returns: Project,
  errors: ["invalid_reference"],
});
