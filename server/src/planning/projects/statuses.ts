// Statuses: those of the Workspace and those of a Project, in workflow order. workflow/steps.ts and
// workflow/step-operations.ts hold the code shared with Project states.
import * as contract from "@svc/contract/planning/projects/statuses.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { implement, implementList } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { insideProject } from "./access.ts";
import { archiveStep, deleteStep, moveStep, previewStep, updateStep } from "./workflow/step-operations.ts";
import { createStep, listSteps } from "./workflow/steps.ts";
import { managedStep, readableStep, statusWorkflow, stepCapabilities } from "./workflow/workflow.ts";

export const listWorkspaceStatuses = implementList(
  contract.listWorkspaceStatuses,
  workspace("work:read"),
  (tx, { page }) => listSteps(tx, statusWorkflow, page),
);

export const listProjectStatuses = implementList(
  contract.listProjectStatuses,
  insideProject("work:read"),
  (tx, { params, page }) => listSteps(tx, statusWorkflow, page, params.project_id),
);

export const createWorkspaceStatus = implement(
  contract.createWorkspaceStatus,
  workspace("workspace:manage"),
  (context, { body }) => createStep(statusWorkflow, context, body),
);

export const createProjectStatus = implement(
  contract.createProjectStatus,
  insideProject("work:manage"),
  (context, { target, body }) => createStep(statusWorkflow, context, body, target),
);

const managed = managedStep(statusWorkflow);

export const getStatus = implement(contract.getStatus, readableStep(statusWorkflow), async (context, { target }) =>
  render(target, stepCapabilities(statusWorkflow, context, target)),
);

export const updateStatus = implement(contract.updateStatus, managed, (context, { target, body }) =>
  updateStep(statusWorkflow, context, target, body),
);

export const deleteStatus = implement(contract.deleteStatus, managed, (context, { target }) =>
  deleteStep(statusWorkflow, context, target),
);

export const archiveStatus = implement(contract.archiveStatus, managed, (context, { target, body }) =>
  archiveStep(statusWorkflow, context, target, body),
);

export const moveStatus = implement(contract.moveStatus, managed, (context, { target, body }) =>
  moveStep(statusWorkflow, context, target, body),
);

export const previewStatusLifecycle = implement(
  contract.previewStatusLifecycle,
  readableStep(statusWorkflow),
  (context, { target, query }) => previewStep(statusWorkflow, context, target, query),
);
