// SQL of the workflow: the state of a Task in it, and the Project's next Statuses.
import type { Queries } from "../../platform/database/db.ts";
import { effectiveStatus, policyOfProject } from "../projects/store.ts";

export interface WorkflowState {
  review_required: boolean;
  /** Behaviors of the Task's Status, from its stage. */
  active: boolean;
  in_review: boolean;
  completed: boolean;
  /** Null if the Project has none. */
  active_status_id: string | null;
  review_status_id: string | null;
  done_status_id: string | null;
}

const STANDING = `
select coalesce(c.review_required, false) as review_required,
  coalesce(at.counts_as_active and at.awaits_review is not true, false) as active,
  coalesce(at.awaits_review, false) as in_review,
  coalesce(at.counts_as_completed, false) as completed, ${effectiveStatus("active")} as active_status_id,
  ${effectiveStatus("review")} as review_status_id, ${effectiveStatus("done")} as done_status_id
from projects p ${policyOfProject}
join statuses current on current.workspace_id = p.workspace_id and current.id = $2
join lifecycle_stages at on at.workspace_id = current.workspace_id and at.id = current.stage_id
where p.workspace_id = current_workspace() and p.id = $1`;
export const standingOf = (tx: Queries, projectId: string, statusId: string) =>
  tx.one<WorkflowState>(STANDING, [projectId, statusId]);
