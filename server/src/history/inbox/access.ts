// An inbox belongs to its owner, whatever their role. An item is visible while its Task, Document or Project is.

import { callerManages } from "../../accounts/workspaces/access.ts";
import { documentVisible, projectOfDocument } from "../../knowledge/documents/access.ts";
import { projectOfCaller, projectVisible } from "../../planning/projects/access.ts";
import { checked } from "../../platform/database/sql.ts";
import type { Access } from "../../platform/kernel/implement-operation.ts";

/** Categories about no work that only managers receive; the others go to whoever made the request. */
export const MANAGERS_ALONE = "('request_received', 'webhook_disabled')";
/** Whether the recipient sees an item that is not about work; `manages`: whether they manage the Workspace. */
export const aboutSeen = (item: string, manages: string) =>
  `${item}.about_id is not null and (${item}.category not in ${MANAGERS_ALONE} or ${manages})`;

/**
 * Joins the subject of item i, as the caller sees it now, as p. `subject_id` is set for every visible item, the other
 * columns for a Task, a Document or a resource in a Project. A reminder stays visible whatever became of its subject;
 * an item about no work is visible to its recipients. `left` keeps items without a visible subject, `cross` drops them,
 * and `from` begins a subquery.
 */
export function visibleSubject(how: "left" | "cross" | "from"): string {
  const join = { left: "left join lateral", cross: "cross join lateral", from: "from" }[how];
  return `${join} (
  (select i.subject_id, p.id, p.key, p.name, t.id as task_id, t.number, t.title, null::uuid as document_id, null as path
  from projects p ${projectOfCaller}
  left join tasks t on t.workspace_id = i.workspace_id and t.id = i.task_id and t.trashed_at is null
  where p.workspace_id = i.workspace_id and p.id = case when i.task_id is null then i.project_id else (
      select n.project_id from tasks n where n.workspace_id = i.workspace_id and n.id = i.task_id) end
    and (i.task_id is null or t.id is not null) and ${projectVisible} limit 1)
  union all
  (select i.subject_id, p.id, p.key, p.name, null, null, d.title, d.id, d.path from documents d ${projectOfDocument}
  where d.workspace_id = i.workspace_id and d.id = i.document_id and ${checked("d.trashed_at is null")}
    and ${documentVisible} limit 1)
  union all
  (select i.subject_id, null, null, null, null, null, null, null, null
  where i.reminder_id is not null or (${aboutSeen("i", callerManages)}))
  order by id, document_id limit 1
) p${how === "left" ? " on true" : ""}`;
}

export interface InboxItemTarget {
  id: string;
  revision: string;
}
const LOAD = `
select i.id, i.revision::text from inbox_items i
where i.workspace_id = current_workspace() and i.id = $1 and i.actor_id = current_actor() and i.listed
  and exists (select ${visibleSubject("from")})
for no key update of i`;
/** An item of the caller's own inbox. */
export const inboxItem = (): Access<InboxItemTarget> => ({
  reach: "membership",
  load: (tx, params) => tx.maybe<InboxItemTarget>(LOAD, [params.inbox_item_id]),
  permits: () => true,
});
