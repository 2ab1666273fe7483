// The people in a Project, each with a role there. Only its members see a private Project.
import Type from "typebox";
import { list, op, S } from "../../kit.ts";
import {
  Id,
  MembershipState,
  NameBeginning,
  nullable,
  object,
  PictureUrl,
  ProjectRole,
  patch,
  projectRoles,
  resource,
  several,
  single,
} from "../../types.ts";

export const ProjectMemberRow = object({
  ...resource,
  project_id: Id,
  actor_id: Id,
  user_id: Id,
  role: ProjectRole,
  state: MembershipState,
  display_name: nullable(Type.String()),
  username: nullable(Type.String()),
  picture_url: PictureUrl,
});
export const ProjectMember = single(ProjectMemberRow);

export const listProjectMembers = list("GET /projects/{project_id}/members", "List the members of a Project", {
  description:
    "Lists members by the time they joined the Workspace. state is that of their membership in it: " +
    "only an active one gives access. With a filter, a page may hold fewer items than its limit, even " +
    "none, while has_more is true.",
  auth: [S],
  include: ["people"],
  query: object({ q: Type.Optional(NameBeginning), role: Type.Optional(several({ of: projectRoles })) }),
  items: ProjectMemberRow,
});

export const addProjectMember = op("POST /projects/{project_id}/members", "Add a member to a Project", {
  description:
    "The person must be an active member of the Workspace. A viewer of the Workspace can only read, " +
    "whatever the role in the Project.",
  auth: [S],
  status: 201,
  creates: "/projects/{project_id}/members/{actor_id}",
  body: object({ actor_id: Id, role: ProjectRole }),
  example: { actor_id: "01900000-0000-7000-8000-000000000000", role: "member" },
  returns: ProjectMember,
  errors: ["project_archived", "invalid_reference", "already_member"],
});

export const updateProjectMember = op("PATCH /projects/{project_id}/members/{actor_id}", "Change a member's role", {
  auth: [S],
  ifMatch: "required",
  body: patch({ role: ProjectRole }),
  example: { role: "lead" },
  returns: ProjectMember,
  errors: ["project_archived"],
});

export const removeProjectMember = op(
  "DELETE /projects/{project_id}/members/{actor_id}",
  "Remove a member from a Project",
  {
    description: "The person loses access to a private Project at once. Removing them again returns the same answer.",
    auth: [S],
  },
);
