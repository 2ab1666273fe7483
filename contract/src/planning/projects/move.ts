// The manual order of a Workspace's Projects.
import { op, S } from "../../kit.ts";
import { Placement } from "../../types.ts";
import { Project } from "./projects.ts";

export const moveProject = op("POST /projects/{project_id}/move", "Move a Project in the Workspace's order", {
  description:
    "Owners and admins set the order, which is the same for everybody. The order is not part of the " +
    "Project: the revision does not change.",
  auth: [S],
  body: Placement,
  example: { after_id: null },
  returns: Project,
  errors: ["invalid_reference"],
});
