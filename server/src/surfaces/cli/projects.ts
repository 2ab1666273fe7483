// Projects and Milestones for the command line.
import * as contract from "@svc/contract/surfaces/cli/projects.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { projectCapabilities } from "../../planning/projects/access.ts";
import { milestoneCapabilities } from "../../planning/projects/milestone/milestone-access.ts";
import { implement, implementList } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { cliMilestone, projectByCode } from "./access.ts";
import * as store from "./store.ts";

export const listCliProjects = implementList(contract.listCliProjects, workspace("work:read"), (tx, { page }) =>
  store.listProjects(tx, page),
);

export const getCliProject = implement(contract.getCliProject, projectByCode(), async (context, { target }) =>
  render(target, projectCapabilities(context, target)),
);

export const getCliMilestone = implement(contract.getCliMilestone, cliMilestone(), async (context, { target }) =>
  render(target, target.deleted ? [] : milestoneCapabilities(context, target)),
);
