// Time reports of a Project: total, by Task and by person. Entries count for the Project in which they were recorded,
// wherever their Task is now.
import * as contract from "@svc/contract/planning/time/project-reports.ts";
import { implement, implementList } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { NIL } from "../../platform/wire/ids.ts";
import { capabilities, timedProject } from "./access.ts";
import { counted, pageOf, type ReportRow, report } from "./report.ts";
import { requireRange } from "./rules.ts";
import { entryParts, entryView, managesProject, nameOf, taskOf } from "./view.ts";

const IN_RANGE = `
from time_entries e where e.workspace_id = current_workspace() and e.project_id = $1 and e.voided_at is null
  and e.work_date between $2::date and $3::date`;
/**
 * Entries to sum up, sorted by day like the index: a plan made while there were few would otherwise scan all entries of
 * the Workspace.
 */
const spent = (more = "") =>
  `from (select e.task_id, e.actor_id, e.seconds ${IN_RANGE} ${more} order by e.work_date) e`;
const SUMS = "sum(e.seconds)::bigint as seconds, count(*) as entries";
const sums = "'seconds', s.seconds, 'duration', iso_duration(s.seconds), 'entries', s.entries";

const TOTALS = `
/* reads all that it adds up: every entry of the Project in the range */
select json_build_object('project_id', $1::uuid, 'from', $2::date, 'to', $3::date, ${sums},
  'tasks', s.tasks)::text as json
from (select coalesce(sum(seconds), 0)::bigint as seconds, coalesce(sum(entries), 0)::bigint as entries,
  count(*) as tasks
  from (select ${SUMS} ${spent()} group by e.task_id) task) s`;
export const getProjectTimeTotals = implement(
  contract.getProjectTimeTotals,
  timedProject("time:read"),
  async (context, { target, query }) => {
    requireRange(query);
    const row = await context.tx.one<{ json: string }>(TOTALS, [target.id, query.from, query.to]);
    return render(row, capabilities(context, target));
  },
);

const BY_TASK = report(
  "$1",
  `select json_build_object('task_id', s.task_id, 'task_code', t.task_code, 'task_title', t.task_title,
     ${sums})::text as json,
     array[s.task_id::text] as place
   from (select e.task_id, ${SUMS} ${spent("and e.task_id > $4")} group by e.task_id order by e.task_id limit $5) s
   ${taskOf("s.task_id")}`,
);
export const listProjectTimeByTask = implementList(
  contract.listProjectTimeByTask,
  timedProject("time:read"),
  async (tx, { params, query, page }) => {
    requireRange(query);
    const values = [params.project_id, query.from, query.to, page.after?.[1] ?? NIL, page.limit + 1];
    return pageOf(await tx.rows<ReportRow>(BY_TASK, values), page);
  },
);

const OF_TASK = `${IN_RANGE} and e.task_id = $4`;
const ENTRIES = report(
  "$1",
  `select ${entryView} as json, array[e.id::text] as place
   from (select * ${OF_TASK} and e.id > $5 order by e.id limit $6) e ${entryParts}`,
  counted(OF_TASK),
);
export const listProjectTimeTaskEntries = implementList(
  contract.listProjectTimeTaskEntries,
  timedProject("time:manage"),
  async (tx, { params, query, page }) => {
    requireRange(query);
    const { from, to, task_id } = query;
    const values = [params.project_id, from, to, task_id, page.after?.[1] ?? NIL, page.limit + 1];
    return pageOf(await tx.rows<ReportRow>(ENTRIES, values), page);
  },
);

const BY_CONTRIBUTOR = report(
  "$1",
  `select json_build_object('actor_id', s.actor_id, 'display_name', n.display_name, ${sums})::text as json,
   array[s.actor_id::text] as place
   from (select e.actor_id, ${SUMS} ${spent("and e.actor_id > $4 and head.whole")} group by e.actor_id
     order by e.actor_id limit $5) s
   ${nameOf("s.actor_id")}`,
  `, ${managesProject("$1")} as whole`,
);
export const listProjectTimeByContributor = implementList(
  contract.listProjectTimeByContributor,
  timedProject("time:read"),
  async (tx, { params, query, page }) => {
    requireRange(query);
    const values = [params.project_id, query.from, query.to, page.after?.[1] ?? NIL, page.limit + 1];
    const found = await tx.rows<ReportRow<{ whole: boolean }>>(BY_CONTRIBUTOR, values);
    return { ...pageOf(found, page), beside: { redacted: !found[0]?.whole } };
  },
);
