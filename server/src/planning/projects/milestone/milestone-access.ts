// Access rules of Milestones: visible to everyone who can see the Project. Found by id, or by number within the
// Project.
import type { Queries } from "../../../platform/database/db.ts";
import type { Access, Context } from "../../../platform/kernel/implement-operation.ts";
import { granted, type InProject, inProject, permits, projectOfCaller, projectVisible } from "../access.ts";
import { milestoneCode, type WorkCapability } from "../rules.ts";
import { milestoneView } from "../view.ts";

export interface MilestoneTarget extends InProject {
  id: string;
  project_id: string;
  revision: string;
  /** Wire representation for a read; the changeable fields for a change. */
  json: string;
}

const select = (json: string, where: string) => `
select m.id, m.project_id, m.revision::text, ${inProject}, ${json} as json
from milestones m join projects p on p.workspace_id = m.workspace_id and p.id = m.project_id ${projectOfCaller}
where m.workspace_id = current_workspace() and ${where} and m.deleted_at is null and ${projectVisible}`;
const before = `json_build_object('name', m.name, 'description_markdown', m.description_markdown,
  'stage_id', m.stage_id,
  'start_date', m.start_date, 'target_date', m.target_date)::text`;
const READ = select(milestoneView, "m.id = $1");
const READ_BY_CODE = select(milestoneView, "m.project_id = $1 and m.number = $2 and p.key = coalesce($3, p.key)");
const CHANGE = `${select(before, "m.id = $1")} for no key update of m`;

/**
 * Shared lock for assigning a Milestone to a stage; replacing the stages locks the same row exclusively. A stage is
 * therefore never deleted under a Milestone, and the two cannot deadlock.
 */
export const HOLD_STAGES =
  "select from lifecycle_definitions where workspace_id = current_workspace() and kind = 'milestone' for share";

export const milestone = (capability: WorkCapability): Access<MilestoneTarget> => ({
  reach: "membership",
  load: async (tx, { milestone_id }, change) => {
    if (!change) return tx.maybe<MilestoneTarget>(READ, [milestone_id]);
    return (await Promise.all([tx.rows(HOLD_STAGES), tx.maybe<MilestoneTarget>(CHANGE, [milestone_id])]))[1];
  },
  permits: permits(capability),
});

const DELETED = `
select m.id, m.project_id, m.revision::text, ${inProject}, '{}' as json
from milestones m join projects p on p.workspace_id = m.workspace_id and p.id = m.project_id ${projectOfCaller}
where m.workspace_id = current_workspace() and m.id = $1 and m.deleted_at is not null and m.stage_id is not null
  and ${projectVisible}`;
/** A deleted Milestone that still has its stage. */
export const deletedMilestone: Access<MilestoneTarget> = {
  reach: "membership",
  load: async (tx, { milestone_id }, change) => {
    if (!change) return tx.maybe<MilestoneTarget>(DELETED, [milestone_id]);
    const sql = `${DELETED} for no key update of m`;
    return (await Promise.all([tx.rows(HOLD_STAGES), tx.maybe<MilestoneTarget>(sql, [milestone_id])]))[1];
  },
  permits: permits("work:write"),
};

export const milestoneCapabilities = (context: Context, target: InProject) => [
  ...granted(context, target, "work:write", "milestone:update"),
  ...granted(context, target, "work:manage", "milestone:delete"),
];
/** Reads the Milestone for the response of a change that changes nothing. */
export const readMilestone = (tx: Queries, id: string) => tx.one<MilestoneTarget>(READ, [id]);

export const milestoneByCode = (capability: WorkCapability): Access<MilestoneTarget> => ({
  reach: "membership",
  load: (tx, { project_id, milestone_code }) => {
    const { key, number } = milestoneCode(milestone_code as string);
    return tx.maybe<MilestoneTarget>(READ_BY_CODE, [project_id, number, key]);
  },
  permits: permits(capability),
});
