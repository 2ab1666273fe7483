// Access rules of workflow steps of both kinds, including a deleted one.
import type { Access } from "../../../platform/kernel/implement-operation.ts";
import { type InProject, inProject, projectOfCaller, projectVisible, unlessArchived } from "../access.ts";
import { managedStep, manages, projectWorkflow, QUEUE, statusWorkflow, type Workflow } from "./workflow.ts";

export type { StepTarget, Workflow } from "./workflow.ts";
export const workflows: Record<Workflow["noun"], Workflow> = { status: statusWorkflow, project_state: projectWorkflow };
/** A step, for a caller who manages it. */
export const stepOf = (workflow: Workflow) => managedStep(workflow);

const absent = ({ table }: Workflow) => `
select $2::uuid as project_id, ${inProject}
from (select) one left join (projects p ${projectOfCaller}) on p.workspace_id = current_workspace() and p.id = $2::uuid
where ($2::uuid is null or ${projectVisible})
  and not exists (select from ${table} where workspace_id = current_workspace() and id = $1)`;
/** The scope of a deleted step, for callers who could create it there. */
export const absentStep = (workflow: Workflow): Access<InProject & { project_id: string | null }> => {
  const sql = absent(workflow);
  return {
    reach: "membership",
    load: async (tx, { id, project_id }, change) => {
      const queued = change && tx.rows(QUEUE, [workflow.kind]);
      return (
        await Promise.all([queued, tx.maybe<InProject & { project_id: string | null }>(sql, [id, project_id || null])])
      )[1];
    },
    permits: (context, target) => unlessArchived(manages(context, target), target),
  };
};
