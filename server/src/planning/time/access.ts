// Access rules of time entries: visible to callers who can see the Task or the Project of the entry, and always to the
// author. rules.ts decides the actions.
import { type Access, type Context, type Permission, unlessHidden } from "../../platform/kernel/implement-operation.ts";
import { type InProject, insideProject, type ProjectTarget, unlessArchived } from "../projects/access.ts";
import type { ProjectRole } from "../projects/rules.ts";
import { insideTask, type TaskTarget } from "../tasks/access.ts";
import {
  available,
  type EntryAction,
  permitted,
  type RoundingMode,
  type TimeCapability,
  timeCapabilities,
} from "./rules.ts";
import { entryParts, entryView, seesProject } from "./view.ts";

const allowed = ({ member }: Context, { project_role }: InProject) => timeCapabilities(member.role, project_role);
/** Capabilities of the caller in the Project's current state. */
export const capabilities = (context: Context, target: InProject): TimeCapability[] =>
  target.project_archived ? ["time:read"] : allowed(context, target);
const permits =
  (capability: TimeCapability) =>
  (context: Context, target: InProject): Permission => {
    const may = allowed(context, target).includes(capability);
    return capability === "time:write" ? unlessArchived(may, target) : may;
  };

export const timedTask = (): Access<TaskTarget> => ({ ...insideTask("work:read"), permits: permits("time:read") });
export const timedProject = (capability: TimeCapability): Access<ProjectTarget> => ({
  ...insideProject("work:read"),
  permits: permits(capability),
});

export interface Recording extends TaskTarget {
  enabled: boolean;
  rounding_mode: RoundingMode;
}
const POLICY = `
select coalesce(s.enabled, true) as enabled, coalesce(s.rounding_mode, 'exact') as rounding_mode
from (select) request left join time_tracking_policies s on s.workspace_id = current_workspace()`;
/** A Task to record time on, with the Workspace's time tracking policy. */
export const recording = (capability: TimeCapability): Access<Recording> => ({
  reach: "membership",
  permits: permits(capability),
  async load(tx, params, change) {
    const place = insideTask("work:read").load(tx, params, change);
    const [task, policy] = await Promise.all([place, tx.one<Pick<Recording, "enabled" | "rounding_mode">>(POLICY)]);
    return task && { ...task, ...policy };
  },
});

/** No time is recorded on a Task in the trash, or while the Workspace has time tracking disabled. */
export const recordingCapabilities = (context: Context, target: Recording) =>
  capabilities(context, target).filter((each) => each !== "time:write" || (target.enabled && !target.trashed));

export interface EntryTarget extends InProject {
  id: string;
  task_id: string;
  project_id: string;
  actor_id: string;
  work_date: string;
  recorded_seconds: number;
  seconds: number;
  rounding_mode: RoundingMode;
  note: string | null;
  revision: string;
  voided: boolean;
  /** The Task is in the trash. */
  trashed: boolean;
  /** The caller can see the Project of the entry, and not only its Task's current Project or its own entry. */
  seen: boolean;
  json: string;
}
/** Whether the Project of the entry, or the current one of its Task, is archived. */
const ARCHIVED = `exists (
  select from projects p where p.workspace_id = e.workspace_id and p.id in (e.project_id, t.project_id)
    and p.archived_at is not null)`;
const LOAD = `
select e.id, e.task_id, e.project_id, e.actor_id, e.work_date, e.recorded_seconds, e.seconds, e.rounding_mode, e.note,
  e.revision::text,
  e.voided_at is not null as voided, coalesce(t.trashed_at is not null, false) as trashed, k.project_seen as seen,
  own.role as project_role,
  ${ARCHIVED} as project_archived, ${entryView} as json
from time_entries e ${entryParts}
left join tasks t on t.workspace_id = e.workspace_id and t.id = e.task_id
left join project_members own on own.workspace_id = e.workspace_id and own.project_id = e.project_id
  and own.actor_id = current_actor()
where e.workspace_id = current_workspace() and e.id = $1
  and (k.project_seen or e.actor_id = current_actor() or ${seesProject("t.project_id")})`;
const CHANGE = `${LOAD} for no key update of e`;

const actions = ({ member }: Context, target: EntryTarget) =>
  permitted(timeCapabilities(member.role, target.project_role as ProjectRole | null), {
    own: target.actor_id === member.actorId,
    seen: target.seen,
  });
export const entry = (action: EntryAction): Access<EntryTarget> => ({
  reach: "membership",
  load: (tx, params, change) => tx.maybe<EntryTarget>(change ? CHANGE : LOAD, [params.entry_id]),
  permits: (context, target) =>
    unlessHidden(unlessArchived(actions(context, target).includes(action), target), target.voided),
});
export const entryCapabilities = (context: Context, target: EntryTarget) => available(actions(context, target), target);
