// A member's own time in a Workspace, as pages and as a file. Both read the same entries, in the same order and within
// the same limits.
import { MOST_ENTRIES } from "@svc/contract/planning/time/entries.ts";
import * as contract from "@svc/contract/planning/time/timesheets.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { view } from "../../platform/database/view.ts";
import { implement, implementList } from "../../platform/kernel/implement-operation.ts";
import { NIL } from "../../platform/wire/ids.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { pageOf, type ReportRow, report } from "./report.ts";
import { csvOf, requireRange } from "./rules.ts";
import { entryColumns, entryParts, keyOfProject, taskOf } from "./view.ts";

const OWN = `
from time_entries e where e.workspace_id = current_workspace() and e.actor_id = current_actor() and e.voided_at is null
  and e.work_date between $1::date and $2::date`;

const rowView = view(contract.TimesheetRow, "e", {
  ...entryColumns,
  task_code: "t.task_code",
  task_title: "t.task_title",
});
// $3 and $4 are the day and the id after which the page starts.
const LIST = report(
  "current_actor()",
  `select ${rowView} as json, array[e.work_date::text, e.id::text] as place
   from (select * ${OWN} and (e.work_date, e.id) > ($3::date, $4::uuid) order by e.work_date, e.id limit $5) e
   ${entryParts} ${taskOf("e.task_id")}`,
  `, s.*, iso_duration(s.seconds) as duration`,
  // Sorted by day like the index: a plan made while there were few would otherwise scan the entries of all members.
  `(select count(*)::int as entries, coalesce(sum(e.seconds), 0)::int as seconds
    from (select e.seconds ${OWN} order by e.work_date limit ${MOST_ENTRIES + 1}) e) s`,
);
interface Total {
  entries: number;
  seconds: number;
  duration: string;
}
export const listTimesheet = implementList(
  contract.listTimesheet,
  workspace("time:read"),
  async (tx, { query, page }) => {
    requireRange(query);
    const [, day = "0001-01-01", id = NIL] = page.after ?? [];
    const found = await tx.rows<ReportRow<Total>>(LIST, [query.from, query.to, day, id, page.limit + 1]);
    const { entries, seconds, duration } = found[0] as Total;
    return { ...pageOf(found, page), beside: { entries, seconds, duration } };
  },
);

const columns = [
  ...[
    "work_date",
    "project_key",
    "task_code",
    "task_title",
    "duration",
    "seconds",
    "recorded_seconds",
    "rounding_mode",
  ],
  ...["note", "entry_id"],
];
const EXPORT = `
select e.work_date, ${keyOfProject("e.project_id")} as project_key, t.task_code, t.task_title,
  iso_duration(e.seconds) as duration,
  e.seconds, e.recorded_seconds, e.rounding_mode, e.note, e.id as entry_id
from (select * ${OWN} order by e.work_date, e.id limit ${MOST_ENTRIES + 1}) e ${taskOf("e.task_id")}
order by e.work_date, e.id`;
export const getTimesheetExport = implement(
  contract.getTimesheetExport,
  workspace("time:read"),
  async ({ tx }, { query }) => {
    requireRange(query);
    const rows = await tx.rows<Record<string, unknown>>(EXPORT, [query.from, query.to]);
    if (rows.length > MOST_ENTRIES) refuse("retained_limit_exceeded");
    return { csv: csvOf(columns, rows), filename: `timesheet-${query.from}-${query.to}.csv` };
  },
);
