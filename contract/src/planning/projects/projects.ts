// Projects group Tasks. A Project's key is the first half of every Task code and never changes.
import Type from "typebox";
import { C, list, M, op, S, T } from "../../kit.ts";
import {
  Color,
  Day,
  Id,
  Line,
  MarkdownText,
  Name,
  nullable,
  object,
  ProjectKey,
  patch,
  resource,
  single,
  Timestamp,
  Visibility,
} from "../../types.ts";
import { LifecycleIdentity, LifecyclePolicy } from "../lifecycle/behaviors.ts";

const plan = { start_date: nullable(Day), target_date: nullable(Day) };
const look = { icon: nullable(Line(64)), color: nullable(Color) };

const fields = {
  ...resource,
  workspace_id: Id,
  key: ProjectKey,
  name: Name(200),
  description_markdown: MarkdownText,
  visibility: Visibility,
  state_id: nullable(Id),
  ...look,
  ...plan,
  public_id: nullable(
    Type.String({ description: "Public id of the published Project: GET /public/projects/{public_id}." }),
  ),
  archived_at: nullable(Timestamp),
};
/** A row of a list. It has only ids and revisions of the lifecycle. */
export const ProjectRow = object({ ...fields, lifecycle: nullable(LifecycleIdentity) });
export const ProjectFields = object({ ...fields, lifecycle: nullable(LifecyclePolicy) });
export const Project = single(ProjectFields);

export const listProjects = list("GET /workspaces/{workspace_id}/projects", "List the Projects you can see", {
  description:
    "Lists Projects in their manual order or by key. Archived Projects, and those in a stage that is " +
    "hidden by default, are left out unless the request includes them. A page ends early once it holds " +
    "1 MiB of descriptions: only has_more indicates whether there are more.",
  auth: [S, M, T, C],
  baseline: true,
  query: object({
    order: Type.Optional(Type.Enum(["manual", "key"], { description: "manual if omitted." })),
    archived: Type.Optional(Type.Boolean({ description: "true: only archived Projects." })),
    hidden: Type.Optional(
      Type.Boolean({
        description:
          "true: includes Projects in a stage that is hidden by default. A state_id includes its own " + "Projects.",
      }),
    ),
    state_id: Type.Optional(Id),
  }),
  include: ["state", "stage"],
  items: ProjectRow,
});

export const createProject = op("POST /workspaces/{workspace_id}/projects", "Create a Project", {
  description:
    "Without visibility, the Project has the one in the Workspace's settings; without state_id, the " +
    "default state for new Projects. It is last in the order, and you are its lead.",
  auth: [S, M],
  status: 201,
  creates: "/projects/{id}",
  body: object({
    key: ProjectKey,
    name: Name(200),
    description_markdown: Type.Optional(MarkdownText),
    visibility: Type.Optional(Visibility),
    state_id: Type.Optional(Id),
    icon: Type.Optional(look.icon),
    color: Type.Optional(look.color),
    start_date: Type.Optional(plan.start_date),
    target_date: Type.Optional(plan.target_date),
  }),
  example: { key: "ENG", name: "Difference Engine" },
  returns: Project,
  errors: ["project_key_taken", "invalid_dates", "invalid_reference"],
});

export const getProject = op("GET /projects/{project_id}", "Read a Project", {
  auth: [S, M, T, C],
  include: ["state", "stage"],
  returns: Project,
});

export const updateProject = op("PATCH /projects/{project_id}", "Change a Project", {
  description:
    "published: true gives the Project a public_id that nobody can guess; false removes it for good, " +
    "so that publishing it later creates another one. A private Project cannot be published, and " +
    "making a Project private unpublishes it.",
  auth: [S],
  ifMatch: "required",
  body: patch({
    name: Name(200),
    description_markdown: MarkdownText,
    visibility: Visibility,
    state_id: Id,
    ...look,
    ...plan,
    archived: Type.Boolean(),
    published: Type.Boolean(),
  }),
  example: { name: "Difference Engine No. 2", target_date: "2027-03-31" },
  returns: Project,
  errors: ["invalid_dates", "invalid_reference", "project_private"],
});

export const deleteProject = op("DELETE /projects/{project_id}", "Delete a Project and everything in it", {
  description:
    "Removes it for everybody at once, with its Tasks, Documents, Statuses and Milestones, and erases " +
    "it after 30 days. The key stays taken.",
  auth: [S],
  ifMatch: "optional",
});
