// Project states. workflow/steps.ts and workflow/step-operations.ts hold the code shared with Statuses.
import * as contract from "@svc/contract/planning/projects/project-states.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { implement, implementList } from "../../platform/kernel/implement-operation.ts";
import { archiveStep, deleteStep, moveStep, updateStep } from "./workflow/step-operations.ts";
import { createStep, listSteps } from "./workflow/steps.ts";
import { managedStep, projectWorkflow } from "./workflow/workflow.ts";

export const listProjectStates = implementList(contract.listProjectStates, workspace("work:read"), (tx, { page }) =>
  listSteps(tx, projectWorkflow, page),
);

export const createProjectState = implement(
  contract.createProjectState,
  workspace("workspace:manage"),
  (context, { body }) => createStep(projectWorkflow, context, body),
);

const managed = managedStep(projectWorkflow);

export const updateProjectState = implement(contract.updateProjectState, managed, (context, { target, body }) =>
  updateStep(projectWorkflow, context, target, body),
);

export const deleteProjectState = implement(contract.deleteProjectState, managed, (context, { target }) =>
  deleteStep(projectWorkflow, context, target),
);

export const archiveProjectState = implement(contract.archiveProjectState, managed, (context, { target, body }) =>
  archiveStep(projectWorkflow, context, target, body),
);

export const moveProjectState = implement(contract.moveProjectState, managed, (context, { target, body }) =>
  moveStep(projectWorkflow, context, target, body),
);
