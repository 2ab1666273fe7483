// Workflow Statuses: the columns that Tasks move through, Workspace-wide or of one Project.
import Type from "typebox";
import { C, list, M, op, S, T } from "../../kit.ts";
import { Category, Id, nullable, object, Placement, resource, single } from "../../types.ts";
import { BehaviorChange } from "../lifecycle/behaviors.ts";
import { NewStep, StepChange, StepReplacement, stepErrors, stepFields, words } from "./steps.ts";

export const StatusRow = object({ ...resource, project_id: nullable(Id), ...stepFields });
export const Status = single(StatusRow);

export const listWorkspaceStatuses = list(
  "GET /workspaces/{workspace_id}/statuses",
  "List the Workspace-wide Statuses in workflow order",
  {
    auth: [S],
    items: StatusRow,
  },
);

export const createWorkspaceStatus = op("POST /workspaces/{workspace_id}/statuses", "Add a Workspace-wide Status", {
  description: `Adds a Status that applies to every Project. ${words.create}`,
  auth: [S],
  status: 201,
  creates: "/statuses/{id}",
  body: NewStep,
  example: { name: "Blocked", category: "started", color: "red" },
  returns: Status,
  errors: stepErrors.create,
});

export const listProjectStatuses = list(
  "GET /projects/{project_id}/statuses",
  "List the Statuses that apply to a Project in workflow order",
  {
    auth: [S, M, T, C],
    items: StatusRow,
  },
);

export const createProjectStatus = op("POST /projects/{project_id}/statuses", "Add a Status of one Project", {
  description: words.create,
  auth: [S],
  status: 201,
  creates: "/statuses/{id}",
  body: NewStep,
  example: { name: "In the workshop", category: "started" },
  returns: Status,
  errors: ["project_archived", ...stepErrors.create],
});

export const getStatus = op("GET /statuses/{status_id}", "Read a Status", {
  description: "Returns archived Statuses too, because past changes of Tasks refer to them.",
  auth: [S],
  returns: Status,
});

export const updateStatus = op("PATCH /statuses/{status_id}", "Change a Status", {
  description:
    `${words.update} Tasks in the Status count as started and completed by the new category; at most ` +
    "1,000 are changed with it.",
  auth: [S],
  ifMatch: "required",
  body: StepChange,
  example: { name: "In progress", color: "amber-400" },
  returns: Status,
  errors: ["project_archived", ...stepErrors.update],
});

export const deleteStatus = op("DELETE /statuses/{status_id}", "Delete a Status that nothing uses", {
  description: words.remove,
  auth: [S],
  ifMatch: "optional",
  errors: ["project_archived", ...stepErrors.remove],
});

export const archiveStatus = op("POST /statuses/{status_id}/archive-and-replace", "Replace a Status and archive it", {
  description:
    `${words.archive} Only a Workspace-wide Status can replace a Workspace-wide one; any Status that ` +
    "applies to the Project can replace a Project's own.",
  auth: [S],
  body: StepReplacement,
  example: { replacement_id: "0198c5a0-0000-7000-8000-000000000000", acknowledged: true },
  returns: Status,
  errors: ["project_archived", ...stepErrors.archive],
});

export const moveStatus = op("POST /statuses/{status_id}/move", "Move a Status within its category", {
  description: words.move,
  auth: [S],
  body: Placement,
  example: { after_id: null },
  returns: Status,
  errors: ["project_archived", ...stepErrors.move],
});

export const LifecyclePreview = object({
  category: Category,
  stage_id: Id,
  stage_name: Type.String(),
  affected: Type.Integer({
    description:
      "Number of Tasks in the Status, trash included; 10,000 means 10,000 or more. Callers who cannot " +
      "change the Status get the number of Tasks that they see.",
  }),
  affected_capped: Type.Boolean(),
  behavior_changes: Type.Array(BehaviorChange),
  acknowledgement_required: Type.Boolean(),
  too_large: Type.Boolean({
    description: "Whether more Tasks would change than one request allows: use mapping-applications.",
  }),
});

export const previewStatusLifecycle = op(
  "GET /statuses/{status_id}/lifecycle-preview",
  "Preview another category or stage of a Status",
  {
    description: "Returns the effects of a PATCH with this category or stage_id, and writes nothing.",
    auth: [S],
    query: object({ category: Type.Optional(Category), stage_id: Type.Optional(Id) }),
    returns: LifecyclePreview,
    errors: ["forbidden", "invalid_reference", "status_archived"],
  },
);
