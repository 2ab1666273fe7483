// A person's own timesheet in a Workspace, as JSON and as a CSV file. It remains readable after they lose access to a
// Task.
import Type from "typebox";
import { list, op, S } from "../../kit.ts";
import { nullable, object } from "../../types.ts";
import { EntryCount, IsoDuration, MOST_ENTRIES, Seconds, TimeEntryRow } from "./entries.ts";
import { range } from "./project-reports.ts";

export const TimesheetRow = object({
  ...TimeEntryRow.properties,
  task_code: { ...nullable(Type.String()), description: "Code of the Task; null if you can no longer see it." },
  task_title: nullable(Type.String()),
});

const LIMITS = `\`from\` and \`to\` are both included: at most 366 days, and at most ${MOST_ENTRIES} entries (413).`;

export const listTimesheet = list("GET /timesheets/me", "List your own time", {
  description:
    `Lists your entries in the session's Workspace, by day. ${LIMITS} A cursor is refused once your ` +
    "time has changed (409 revision_conflict).",
  auth: [S],
  baseline: true,
  include: ["people", "project", "task"],
  query: object(range),
  items: TimesheetRow,
  beside: {
    entries: { ...EntryCount, description: "Number of entries in the whole range." },
    seconds: Seconds,
    duration: IsoDuration,
  },
  errors: ["not_found", "invalid_range", "revision_conflict", "retained_limit_exceeded"],
});

export const getTimesheetExport = op("GET /timesheets/me/export", "Download your own time as a file", {
  description:
    "Returns CSV (RFC 4180) in UTF-8 with a header row: the whole range at once, by day. " +
    `\`project_key\` is that of the Project of the entry. ${LIMITS} A text that a spreadsheet would ` +
    "interpret as a formula starts with an apostrophe.",
  auth: [S],
  baseline: true,
  query: object(range),
  csv: true,
  errors: ["not_found", "invalid_range", "retained_limit_exceeded"],
});
