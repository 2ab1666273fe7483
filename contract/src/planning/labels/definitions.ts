// Label definitions, of the Workspace or of one Project. A label's purpose decides on the resources that it can be
// assigned to; it never changes.
import Type from "typebox";
import { list, M, op, S } from "../../kit.ts";
import { Color, Id, Line, Name, nullable, object, patch, resource, single } from "../../types.ts";

export const LabelPurpose = Type.Enum(["general", "task", "project", "document"]);

const writable = {
  name: { ...Name(80), examples: ["Bug"] },
  color: { ...Color, examples: ["red"] },
  description: { ...nullable(Line(500)), examples: ["It does not do what it should."] },
};

export const LabelRow = object({
  ...resource,
  workspace_id: Id,
  project_id: { ...nullable(Id), description: "Project that the label belongs to; null: the whole Workspace." },
  ...writable,
  purpose: { ...LabelPurpose, description: "Kind of resource that the label is for; general: any kind." },
  created_by_actor_id: Id,
});
export const Label = single(LabelRow);

/** A label as one Project shows it. */
export const ProjectLabelRow = object({
  ...LabelRow.properties,
  overridden: Type.Boolean({
    description: "Whether the Project overrides how the label is shown; `revision` remains the label's.",
  }),
  hidden: Type.Boolean({ description: "Whether the Project hides the label from selection." }),
});

const usableFor = Type.Optional({
  ...Type.Enum(["task", "project", "document"]),
  description: "Only labels that can be assigned to this kind of resource.",
});
const NewLabel = object({
  name: writable.name,
  color: Type.Optional({ ...writable.color, description: "A color family, a pinned shade or a hex. Omitted: gray." }),
  description: Type.Optional(writable.description),
  purpose: Type.Optional({
    ...LabelPurpose,
    description: "Kind of resource that the label is for; general: any kind. Omitted: task.",
  }),
});
const NATIVE = "A native client sees only the labels that can be assigned to Tasks.";
const MANAGED = "Only someone who manages the Workspace, or the Project that the label belongs to, can do it.";
const UNIQUE = "The name is unique, regardless of case, among the labels of the same";

export const listWorkspaceLabels = list(
  "GET /workspaces/{workspace_id}/label-definitions",
  "List the labels of a Workspace by name",
  {
    description:
      "Labels of a Project are listed with the Project. A native client must send purpose=task, and sees " +
      "the labels that can be assigned to Tasks.",
    auth: [S, M],
    query: object({ purpose: usableFor }),
    include: ["people"],
    items: LabelRow,
  },
);

export const createWorkspaceLabel = op("POST /workspaces/{workspace_id}/label-definitions", "Add a Workspace label", {
  description:
    `Creates a label for every Project; any member who can write work may do it. ${UNIQUE} Workspace; ` +
    "a Workspace has at most 500 labels of its own.",
  auth: [S],
  status: 201,
  creates: "/label-definitions/{id}",
  body: NewLabel,
  example: { name: "Bug", color: "red", purpose: "task" },
  returns: Label,
  errors: ["name_taken", "limit_reached"],
});

export const listProjectLabels = list(
  "GET /projects/{project_id}/label-definitions",
  "List the labels that can be used in a Project by name",
  {
    description: `Lists the Project's own labels, and those of the Workspace as this Project shows them. ${NATIVE}`,
    auth: [S, M],
    query: object({
      purpose: usableFor,
      include_hidden: Type.Optional(Type.Boolean({ description: "true: includes the labels that the Project hides." })),
    }),
    include: ["people"],
    items: ProjectLabelRow,
  },
);

export const createProjectLabel = op("POST /projects/{project_id}/label-definitions", "Add a label of one Project", {
  description:
    `Any member who can write the work of the Project may create it. ${UNIQUE} Project; a Project has ` +
    "at most 500 labels of its own.",
  auth: [S],
  status: 201,
  creates: "/label-definitions/{id}",
  body: NewLabel,
  example: { name: "Brass", color: "amber-400" },
  returns: Label,
  errors: ["project_archived", "name_taken", "limit_reached"],
});

export const getLabel = op("GET /label-definitions/{label_id}", "Read a label", {
  auth: [S],
  include: ["people"],
  returns: Label,
});

export const updateLabel = op("PATCH /label-definitions/{label_id}", "Change a label", {
  description: MANAGED,
  auth: [S],
  ifMatch: "required",
  body: patch(writable),
  example: { name: "Defect", color: "rose-600" },
  returns: Label,
  errors: ["project_archived", "name_taken"],
});

export const deleteLabel = op("DELETE /label-definitions/{label_id}", "Delete a label", {
  description: [
    MANAGED,
    "Removes the label from everything that has it; above 1,000 assignments, the rest are removed within moments.",
  ].join(" "),
  auth: [S],
  ifMatch: "optional",
  errors: ["project_archived"],
});
