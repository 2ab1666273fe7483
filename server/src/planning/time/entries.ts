// Time entries of Tasks: list, record, correct, void, sum up. A voided entry can only be voided again.
import * as contract from "@svc/contract/planning/time/entries.ts";
import { implement, implementList } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { NIL, newId } from "../../platform/wire/ids.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { type EntryTarget, entry, entryCapabilities, recording, recordingCapabilities, timedTask } from "./access.ts";
import { correctEntry, saidIn, subjectOf, voidEntry } from "./change.ts";
import { timeEntryRecorded } from "./events.ts";
import { counted, pageOf, type ReportRow, report } from "./report.ts";
import { recorded } from "./rules.ts";
import * as store from "./store.ts";
import { entryParts, entryView } from "./view.ts";

const OF_TASK =
  "from time_entries e where e.workspace_id = current_workspace() and e.task_id = $1 and e.voided_at is null";
const LIST = report(
  "$1",
  `select ${entryView} as json, array[e.id::text] as place
   from (select * ${OF_TASK} and e.id > $2 order by e.id limit $3) e ${entryParts}`,
  counted(OF_TASK),
);
export const listTaskTimeEntries = implementList(
  contract.listTaskTimeEntries,
  timedTask(),
  async (tx, { params, page }) =>
    pageOf(await tx.rows<ReportRow>(LIST, [params.task_id, page.after?.[1] ?? NIL, page.limit + 1]), page),
);

export const createTimeEntry = implement(
  contract.createTimeEntry,
  recording("time:write"),
  async (context, { target, body }) => {
    const { tx, member, record, defer } = context;
    if (target.trashed) refuse("task_trashed");
    if (!target.enabled) refuse("time_tracking_disabled");
    const { project_id, project_role, project_archived, rounding_mode } = target;
    const said = { ...recorded(body.duration, rounding_mode), work_date: body.work_date, note: body.note || null };
    const made = { id: newId(), task_id: target.id, project_id, actor_id: member.actorId };
    const row = await store.createEntry(tx, made, rounding_mode, said);
    defer(store.advanceReports(tx, made));
    record(timeEntryRecorded(subjectOf(made), { to: saidIn(said) }));
    const state = { voided: false, trashed: false, seen: true, project_archived };
    return render(row, entryCapabilities(context, { ...made, ...said, ...row, ...state, project_role, rounding_mode }));
  },
);

export const updateTimeEntry = implement(
  contract.updateTimeEntry,
  entry("time_entry:update"),
  async (context, { target, body }) => {
    const row = await correctEntry(context, target, corrected(target, body));
    return render(row ?? target, entryCapabilities(context, target));
  },
);

/** Uses the rounding mode of the original entry, so that earlier reports keep their rule. */
function corrected(
  target: EntryTarget,
  { duration, work_date, note }: { duration?: string; work_date?: string; note?: string | null },
): store.RecordedTime {
  const time = duration === undefined ? target : recorded(duration, target.rounding_mode);
  const about = note === undefined ? target.note : note || null;
  return saidIn({ ...time, work_date: work_date ?? target.work_date, note: about });
}

export const deleteTimeEntry = implement(
  contract.deleteTimeEntry,
  entry("time_entry:void"),
  async (context, { target }) => {
    if (!target.voided) voidEntry(context, target);
  },
);

const TOTALS = `
/* reads all that it adds up: every entry of the Task */
select json_build_object('task_id', $1::uuid, 'seconds', s.seconds, 'duration', iso_duration(s.seconds),
  'entries', s.entries,
  'own_seconds', s.own, 'own_duration', iso_duration(s.own))::text as json
from (select count(*) as entries, coalesce(sum(e.seconds), 0)::bigint as seconds,
  coalesce(sum(e.seconds) filter (where e.actor_id = current_actor()), 0)::bigint as own ${OF_TASK}) s`;
export const getTaskTimeTotals = implement(
  contract.getTaskTimeTotals,
  recording("time:read"),
  async (context, { target }) =>
    render(await context.tx.one<{ json: string }>(TOTALS, [target.id]), recordingCapabilities(context, target)),
);
