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
  project_id: { ...nullable(Id), description: "The Project that it is of; null: the whole Workspace." },
  ...writable,
  purpose: { ...LabelPurpose, description: "What it can be put on; general: anything." },
  created_by_actor_id: Id,
});
export const Label = single(LabelRow);

/** A label as one Project shows it. */
export const ProjectLabelRow = object({
  ...LabelRow.properties,
  overridden: Type.Boolean({ description: "The Project shows it in its own way; `revision` stays the label's." }),
  hidden: Type.Boolean({ description: "The Project does not offer it." }),
});

const usableFor = Type.Optional({
  ...Type.Enum(["task", "project", "document"]),
  description: "Only those that can be put on this.",
});
const NewLabel = object({
  name: writable.name,
  color: Type.Optional({ ...writable.color, description: "A color family, a pinned shade or a hex. Left out: gray." }),
  description: Type.Optional(writable.description),
  purpose: Type.Optional({ ...LabelPurpose, description: "What it can be put on; general: anything. Left out: task." }),
});
const NATIVE = "A native client sees those that can be put on Tasks.";
const MANAGED = "By whoever manages the Workspace, or the Project that it is of.";
const UNIQUE = "Its name is unique, whatever the case, among those of the same";

export const listWorkspaceLabels = list(
  "GET /workspaces/{workspace_id}/label-definitions",
  "List the labels of a Workspace by name",
  {
    description:
      "Labels of a Project are listed with the Project. A native client must send purpose=task, " +
      "and sees the labels that Tasks can have.",
    auth: [S, M],
    query: object({ purpose: usableFor }),
    include: ["people"],
    items: LabelRow,
  },
);

export const createWorkspaceLabel = op("POST /workspaces/{workspace_id}/label-definitions", "Add a Workspace label", {
  description:
    `It can be used in every Project. By whoever writes its work. ${UNIQUE} Workspace; ` +
    "a Workspace has at most 500 of its own.",
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
    description: `Its own, and those of the Workspace as this Project shows them. ${NATIVE}`,
    auth: [S, M],
    query: object({
      purpose: usableFor,
      include_hidden: Type.Optional(Type.Boolean({ description: "Those too that the Project hides." })),
    }),
    include: ["people"],
    items: ProjectLabelRow,
  },
);

export const createProjectLabel = op("POST /projects/{project_id}/label-definitions", "Add a label of one Project", {
  description: `By whoever writes the work of the Project. ${UNIQUE} Project; a Project has at most 500 of its own.`,
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
    "It is taken off everything that bears it; of more than 1,000 the rest follow within moments.",
  ].join(" "),
  auth: [S],
  ifMatch: "optional",
  errors: ["project_archived"],
});
