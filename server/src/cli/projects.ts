// Projects and Milestones on the command line.
import * as contract from "@svc/contract/cli/projects.ts";
import { implement, implementList } from "../kernel/implement.ts";
import { render } from "../kernel/view.ts";
import { projectCapabilities } from "../projects/access.ts";
import { milestoneCapabilities } from "../projects/milestone-access.ts";
import { workspace } from "../workspaces/access.ts";
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
