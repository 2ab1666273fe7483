// Projects: what Tasks are grouped in. The key is the first half of every Task code and never changes.
import Type from "typebox";
import { C, list, M, op, S, T } from "../kit.ts";
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
} from "../types.ts";

const plan = { start_date: nullable(Day), target_date: nullable(Day) };
const look = { icon: nullable(Line(64)), color: nullable(Color) };

export const ProjectRow = object({
  ...resource,
  workspace_id: Id,
  key: ProjectKey,
  name: Name(200),
  description_markdown: MarkdownText,
  visibility: Visibility,
  state_id: nullable(Id),
  ...look,
  ...plan,
  public_id: nullable(Type.String()),
  archived_at: nullable(Timestamp),
});
export const Project = single(ProjectRow);

export const listProjects = list("GET /workspaces/{workspace_id}/projects", "List the Projects you can see, by key", {
  auth: [S, M, T, C],
  items: ProjectRow,
});

export const createProject = op("POST /workspaces/{workspace_id}/projects", "Create a Project", {
  auth: [S, M],
  status: 201,
  body: object({
    key: ProjectKey,
    name: Name(200),
    description_markdown: Type.Optional(MarkdownText),
    visibility: Type.Optional(Visibility),
    icon: Type.Optional(look.icon),
    color: Type.Optional(look.color),
    start_date: Type.Optional(plan.start_date),
    target_date: Type.Optional(plan.target_date),
  }),
  example: { key: "ENG", name: "Difference Engine" },
  returns: Project,
  errors: ["project_key_taken", "invalid_dates"],
});

export const getProject = op("GET /projects/{project_id}", "Read a Project", { auth: [S, M, T, C], returns: Project });

export const updateProject = op("PATCH /projects/{project_id}", "Change a Project", {
  auth: [S],
  ifMatch: "required",
  body: patch({ name: Name(200), description_markdown: MarkdownText, visibility: Visibility, ...look, ...plan }),
  example: { name: "Difference Engine No. 2", target_date: "2027-03-31" },
  returns: Project,
  errors: ["invalid_dates"],
});
