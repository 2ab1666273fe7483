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
  public_id: nullable(Type.String({ description: "Where it is published: GET /public/projects/{public_id}." })),
  archived_at: nullable(Timestamp),
};
/** A row of a list. It has only ids and revisions of the lifecycle. */
export const ProjectRow = object({ ...fields, lifecycle: nullable(LifecycleIdentity) });
export const ProjectFields = object({ ...fields, lifecycle: nullable(LifecyclePolicy) });
export const Project = single(ProjectFields);

export const listProjects = list("GET /workspaces/{workspace_id}/projects", "List the Projects you can see", {
  description:
    "In the order that people have given them, or by key. Left out are archived Projects and those in a stage " +
    "that is hidden by default, unless asked for. A page ends early once it holds 1 MiB of descriptions: " +
    "only has_more says whether there are more.",
  auth: [S, M, T, C],
  baseline: true,
  query: object({
    order: Type.Optional(Type.Enum(["manual", "key"], { description: "manual where it is left out." })),
    archived: Type.Optional(Type.Boolean({ description: "true: the archived ones, and only those." })),
    hidden: Type.Optional(
      Type.Boolean({
        description: "true: those in a stage that is hidden by default as well. A state_id asks for its own.",
      }),
    ),
    state_id: Type.Optional(Id),
  }),
  include: ["state", "stage"],
  items: ProjectRow,
});

export const createProject = op("POST /workspaces/{workspace_id}/projects", "Create a Project", {
  description:
    "Without visibility it has the one that the Workspace's settings name, without state_id the state in which " +
    "its new Projects start. It stands last in the order, and you lead it.",
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
    "published gives it a public_id that nobody can guess, or takes that away for good: " +
    "publishing it later makes another one. A private Project is not published, and making one private " +
    "takes it back.",
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
    "It is gone for everybody at once, with its Tasks, Documents, Statuses and Milestones, and erased after 30 " +
    "days. Its key stays taken.",
  auth: [S],
  ifMatch: "optional",
});
