// Statuses and Project states are the same concept for two kinds: steps of a workflow, bound to the stages of the
// kind's lifecycle. This module holds their differences and their access rules. All names interpolated into their SQL
// come from the two constants here.
import type { Capability } from "@svc/contract/capabilities.ts";
import { may } from "../../../accounts/workspaces/rules.ts";
import { type Access, type Context, unlessHidden } from "../../../platform/kernel/implement-operation.ts";
import { type InProject, inProject, projectOfCaller, projectVisible, unlessArchived } from "../access.ts";
import { projectStateEvents, statusEvents } from "../events.ts";
import { workCapabilities } from "../rules.ts";
import { projectStateView, statusView } from "../view.ts";

export interface Workflow {
  /** Kind of the entities in its steps. */
  kind: "task" | "project";
  table: "statuses" | "project_states";
  noun: "status" | "project_state";
  param: "status_id" | "state_id";
  /** Whether Projects can have their own steps in addition to the Workspace's. */
  ofProjects: boolean;
  /** Wire representation of a step; the query must provide it as s. */
  view: string;
  events: typeof statusEvents;
}

export const statusWorkflow: Workflow = {
  kind: "task",
  table: "statuses",
  noun: "status",
  param: "status_id",
  ofProjects: true,
  view: statusView,
  events: statusEvents,
};
export const projectWorkflow: Workflow = {
  kind: "project",
  table: "project_states",
  noun: "project_state",
  param: "state_id",
  ofProjects: false,
  view: projectStateView,
  events: projectStateEvents,
};

export interface StepTarget extends InProject {
  id: string;
  revision: string;
  /** Null for a step of the Workspace. */
  project_id: string | null;
  category: string;
  stage_id: string;
  archived: boolean;
  json: string;
}

const select = ({ table, ofProjects, view }: Workflow) => `
select s.id, s.revision::text, s.category, s.stage_id, s.archived_at is not null as archived, ${view} as json,
  ${ofProjects ? `s.project_id, ${inProject}` : "null::uuid as project_id, null as project_role, false as project_archived"}
from ${table} s
${
  ofProjects
    ? `left join projects p on p.workspace_id = s.workspace_id
  and p.id = s.project_id ${projectOfCaller}`
    : ""
}
where s.workspace_id = current_workspace()
  and s.id = $1 ${ofProjects ? `and (s.project_id is null or ${projectVisible})` : ""}`;

/**
 * All changes of steps serialize on the definition row, in a separate statement before they read: what they then see of
 * other steps stays valid. The lock of the step itself excludes concurrent moves into it.
 */
export const QUEUE =
  "select from lifecycle_definitions where workspace_id = current_workspace() and kind = $1 for no key update";

/** Workspace managers manage the Workspace's steps; those who manage a Project manage its own. */
export const manages = (
  { member }: Context,
  { project_id, project_role }: Pick<StepTarget, "project_id" | "project_role">,
) =>
  project_id === null
    ? may(member.role, "workspace:manage")
    : workCapabilities(member.role, project_role).includes("work:manage");

const byId = (workflow: Workflow, permits: Access<StepTarget>["permits"]): Access<StepTarget> => {
  const READ = select(workflow);
  const CHANGE = `${READ} for update of s`;
  return {
    reach: "membership",
    load: async (tx, params, change) => {
      const id = params[workflow.param];
      if (!change) return tx.maybe<StepTarget>(READ, [id]);
      const [, found] = await Promise.all([tx.rows(QUEUE, [workflow.kind]), tx.maybe<StepTarget>(CHANGE, [id])]);
      return found;
    },
    permits,
  };
};
export const readableStep = (workflow: Workflow) => byId(workflow, ({ member }) => may(member.role, "work:read"));
/** An archived Project state is not listed and, unlike a Status, not readable. */
export const managedStep = (workflow: Workflow) =>
  byId(workflow, (context, target) =>
    unlessHidden(unlessArchived(manages(context, target), target), target.archived && !workflow.ofProjects),
  );

/** An archived step can only be deleted, once nothing uses it. */
export function stepCapabilities(
  { noun }: Workflow,
  context: Context,
  step: Pick<StepTarget, "project_id" | "project_role" | "project_archived" | "archived">,
): Capability[] {
  if (step.project_archived || !manages(context, step)) return [];
  return step.archived ? [`${noun}:delete`] : [`${noun}:update`, `${noun}:archive`, `${noun}:delete`];
}
