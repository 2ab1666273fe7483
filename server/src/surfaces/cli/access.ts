// Projects, Tasks and Milestones by code: visible to those who see them by id.

import {
  type InProject,
  inProject,
  type ProjectTarget,
  permits,
  projectByCodeAs,
  projectClosed,
  projectOfCaller,
  projectVisible,
} from "../../planning/projects/access.ts";
import { milestoneCode, type WorkCapability } from "../../planning/projects/rules.ts";
import { type TaskTarget, taskByCodeAs } from "../../planning/tasks/access.ts";
import { materialByCode } from "../../planning/tasks/context/store.ts";
import type { Queries } from "../../platform/database/db.ts";
import type { Access } from "../../platform/kernel/implement-operation.ts";
import { refuseAt } from "../../platform/wire/problem.ts";
import { cliContextTaskView, cliMilestoneView, cliProjectView, cliTaskView } from "./view.ts";

export const projectByCode = () => projectByCodeAs<ProjectTarget>("work:read", `${cliProjectView} as json`);
/** A Project whose Tasks are listed and created. */
export const workplaceByCode = (capability: WorkCapability) =>
  projectByCodeAs<ProjectTarget & { closed: boolean }>(capability, `${projectClosed} as closed`);

const SEES = `
select from projects p ${projectOfCaller}
where p.workspace_id = current_workspace() and p.key = $1 and ${projectVisible}`;
/** Checks the Project that a query names, if any. */
export async function requireProject(tx: Queries, key: string | undefined): Promise<void> {
  if (key !== undefined && !(await tx.maybe(SEES, [key])))
    refuseAt("/query/project_code", "not_found", "must be the key of a Project that you see");
}

export const cliTask = () => taskByCodeAs("work:read", cliTaskView);

type Material = NonNullable<Awaited<ReturnType<typeof materialByCode>>>;
const readable = taskByCodeAs("work:read", cliContextTaskView);
/** Loads the Task's context in the same round-trip. */
export const cliTaskForContext: Access<TaskTarget & { material: Material }> = {
  ...readable,
  load: async (tx, params, change) => {
    const [task, material] = await Promise.all([
      readable.load(tx, params, change),
      materialByCode(tx, params.task_code as string),
    ]);
    return task && material && { ...task, material };
  },
};

export interface CliMilestoneTarget extends InProject {
  revision: string;
  deleted: boolean;
  json: string;
}
// Includes deleted Milestones, so that an old code still resolves.
const MILESTONE = `
select m.revision::text, m.deleted_at is not null as deleted, ${inProject}, ${cliMilestoneView} as json
from projects p join milestones m on m.workspace_id = p.workspace_id and m.project_id = p.id ${projectOfCaller}
where p.workspace_id = current_workspace() and p.key = $1 and m.number = $2 and ${projectVisible}`;
export const cliMilestone = (): Access<CliMilestoneTarget> => ({
  reach: "membership",
  load: async (tx, { milestone_code }) => {
    const { key, number } = milestoneCode(milestone_code as string);
    return key === null ? undefined : tx.maybe<CliMilestoneTarget>(MILESTONE, [key, number]);
  },
  permits: permits("work:read"),
});
