// Wire representation of time entries. The query must provide the entry as e, joined with `entryParts`. Only the author
// and those who manage the Project of the entry see whose time it is and what for; others see only its duration and
// date.
import { TimeEntryRow } from "@svc/contract/planning/time/entries.ts";
import { callerManages } from "../../accounts/workspaces/access.ts";
import { nameOfActor } from "../../accounts/workspaces/people-view.ts";
import { view } from "../../platform/database/view.ts";
import { projectOfCaller, projectVisible } from "../projects/access.ts";

const seen = (columns: string, id: string) => `
select ${columns} from projects p ${projectOfCaller}
where p.workspace_id = current_workspace() and p.id = ${id} and ${projectVisible}`;
/** Whether the caller can see the Project with this id. */
export const seesProject = (id: string) => `exists (${seen("", id)})`;
/** The key of the Project with this id, if the caller can see it. */
export const keyOfProject = (id: string) => `(${seen("p.key", id)})`;
/** Whether the caller manages the Project with this id: see workCapabilities. */
export const managesProject = (
  id: string,
) => `(${callerManages} or (current_setting('svc.role', true) = 'member' and exists (
  select from project_members l
  where l.workspace_id = current_workspace() and l.project_id = ${id} and l.actor_id = current_actor()
    and l.role = 'lead')))`;

export const entryParts = `
cross join lateral (select e.actor_id = current_actor() or ${managesProject("e.project_id")} as whole,
  ${seesProject("e.project_id")} as project_seen) k
${nameOf("e.actor_id")}`;

/** Joins an Actor's name as n; null if there is none. */
export function nameOf(actorId: string): string {
  return `left join lateral (${nameOfActor(actorId)}) n on true`;
}

/** Joins the Task with this id as t, if the caller can see it. */
export const taskOf = (id: string) => `left join lateral (
  select p.key || '-' || t.number as task_code, t.title as task_title
  from tasks t join projects p on p.workspace_id = t.workspace_id and p.id = t.project_id ${projectOfCaller}
  where t.workspace_id = current_workspace() and t.id = ${id} and ${projectVisible}) t on true`;

const shown = (sql: string) => `case when k.whole then ${sql} end`;
export const entryColumns: Record<string, string> = {
  project_id: "case when k.project_seen then e.project_id end",
  actor_id: shown("e.actor_id"),
  display_name: shown("n.display_name"),
  duration: "iso_duration(e.seconds)",
  recorded_seconds: shown("e.recorded_seconds"),
  note: shown("e.note"),
  redacted: "not k.whole",
};
export const entryView = view(TimeEntryRow, "e", entryColumns);
