// Project states: the workflow steps of Projects, as Statuses are of Tasks. All of them belong to the Workspace.
import { list, op, S } from "../../kit.ts";
import { object, Placement, resource, single } from "../../types.ts";
import { NewStep, StepChange, StepReplacement, stepErrors, stepFields, words } from "./steps.ts";

export const ProjectStateRow = object({ ...resource, ...stepFields });
export const ProjectState = single(ProjectStateRow);

export const listProjectStates = list(
  "GET /workspaces/{workspace_id}/project-states",
  "List the states of Projects in workflow order",
  { auth: [S], items: ProjectStateRow },
);

export const createProjectState = op("POST /workspaces/{workspace_id}/project-states", "Add a state of Projects", {
  description: words.create,
  auth: [S],
  status: 201,
  creates: "/project-states/{id}",
  body: NewStep,
  example: { name: "On hold", category: "unstarted", color: "slate" },
  returns: ProjectState,
  errors: stepErrors.create,
});

export const updateProjectState = op("PATCH /project-states/{state_id}", "Change a state of Projects", {
  description: `${words.update} New Projects no longer start in the state if its stage accepts no new work.`,
  auth: [S],
  ifMatch: "required",
  body: StepChange,
  example: { name: "Paused", color: "slate-300" },
  returns: ProjectState,
  errors: stepErrors.update,
});

export const deleteProjectState = op("DELETE /project-states/{state_id}", "Delete a state that no Project is in", {
  description: words.remove,
  auth: [S],
  ifMatch: "optional",
  errors: stepErrors.remove,
});

export const archiveProjectState = op(
  "POST /project-states/{state_id}/archive-and-replace",
  "Replace a state of Projects and archive it",
  {
    description: words.archive,
    auth: [S],
    body: StepReplacement,
    example: { replacement_id: "0198c5a0-0000-7000-8000-000000000000", acknowledged: true },
    returns: ProjectState,
    errors: stepErrors.archive,
  },
);

export const moveProjectState = op("POST /project-states/{state_id}/move", "Move a state within its category", {
  description: words.move,
  auth: [S],
  body: Placement,
  example: { after_id: null },
  returns: ProjectState,
  errors: stepErrors.move,
});
