// SQL of feedback on suggestions. Queries that suggest something use it to leave out what the caller has dismissed.
import { MOST_FEEDBACK, type SuggestionFeedback } from "@svc/contract/planning/tasks/own-work/suggestions.ts";
import type { Static } from "typebox";
import type { Queries } from "../../../platform/database/db.ts";
import { projectOfCaller, projectVisible } from "../../projects/access.ts";

type Feedback = Static<typeof SuggestionFeedback>;

/** Whether the caller has dismissed Task `subjectId` as related to `taskId`. */
export const dismissedRelated = (taskId: string, subjectId: string) => `
exists (select from suggestion_feedback d
  where d.workspace_id = current_workspace() and d.actor_id = current_actor() and d.task_id = ${taskId}
  and d.kind = 'related_task' and d.subject_id = ${subjectId} and d.verdict = 'dismissed')`;

const ofCaller = "workspace_id = current_workspace() and actor_id = current_actor() and task_id = $1";
const LOOK = `
select f.verdict, wire_time(f.created_at) as created_at, wire_time(f.updated_at) as updated_at,
  exists (select from tasks t
    join projects p on p.workspace_id = t.workspace_id and p.id = t.project_id ${projectOfCaller}
    where t.workspace_id = current_workspace() and t.id = $3 and ${projectVisible}) as seen,
  (select count(*)::int from (select from suggestion_feedback where ${ofCaller} limit ${MOST_FEEDBACK}) every) as given
from (select) it left join suggestion_feedback f on f.workspace_id = current_workspace()
  and f.actor_id = current_actor()
  and f.task_id = $1 and f.kind = $2 and f.subject_id = $3`;

export interface SuggestionVerdict {
  /** Former verdict; null if there is none. */
  verdict: Feedback["verdict"] | null;
  created_at: string;
  updated_at: string;
  /** The caller can see the suggested Task. */
  seen: boolean;
  /** Number of the caller's verdicts on this Task, capped at the limit. */
  given: number;
}
export const look = (tx: Queries, taskId: string, kind: Feedback["kind"], subjectId: string) =>
  tx.one<SuggestionVerdict>(LOOK, [taskId, kind, subjectId]);

const RATE = `
insert into suggestion_feedback (workspace_id, actor_id, task_id, kind, subject_id, verdict)
values (current_workspace(), current_actor(), $1, $2, $3, $4)
on conflict (workspace_id, actor_id, task_id, kind, subject_id) do update
set verdict = excluded.verdict, updated_at = now()`;
export const rate = (tx: Queries, { task_id, kind, subject_id, verdict }: Feedback) =>
  tx.rows(RATE, [task_id, kind, subject_id, verdict]);
