// Time reports of a Project. An entry counts for the Project in which it was recorded, even if its Task has moved
// since.
import Type from "typebox";
import { list, op, S } from "../../kit.ts";
import { Capabilities, Day, Id, nullable, object } from "../../types.ts";
import { DisplayName, EntryCount, IsoDuration, MOST_ENTRIES, Seconds, TimeEntryRow } from "./entries.ts";

/** Both days are inclusive. */
export const range = { from: Day, to: Day };
const RANGE = "`from` and `to` are both included: at most 366 days.";
const CHANGED = "A cursor is refused once time in the Project has changed (409 revision_conflict).";

const sums = { seconds: Seconds, duration: IsoDuration, entries: EntryCount };

export const ProjectTimeTotals = object({
  project_id: Id,
  from: Day,
  to: Day,
  ...sums,
  tasks: Type.Integer({ minimum: 0, description: "Number of Tasks with recorded time." }),
  capabilities: Capabilities,
});
export const getProjectTimeTotals = op(
  "GET /projects/{project_id}/time-totals",
  "Read how much time went into a Project",
  {
    description: RANGE,
    auth: [S],
    baseline: true,
    query: object(range),
    returns: ProjectTimeTotals,
    errors: ["invalid_range"],
  },
);

export const TaskTimeRow = object({
  task_id: Id,
  task_code: {
    ...nullable(Type.String()),
    description: "Code of the Task; null if you cannot see it or it no longer exists.",
  },
  task_title: nullable(Type.String()),
  ...sums,
});
export const listProjectTimeByTask = list(
  "GET /projects/{project_id}/time-task-breakdown",
  "List how much time went into each Task of a Project",
  {
    description: `Lists Tasks by id. ${RANGE} ${CHANGED}`,
    auth: [S],
    baseline: true,
    query: object(range),
    pageOf: 100,
    items: TaskTimeRow,
    errors: ["invalid_range", "revision_conflict"],
  },
);

export const listProjectTimeTaskEntries = list(
  "GET /projects/{project_id}/time-task-entries",
  "List the time recorded on one Task of a Project",
  {
    description:
      `Only those who manage the Project can read it. Lists entries by id. ${RANGE} ${CHANGED} More than ` +
      `${MOST_ENTRIES} entries are not listed (413).`,
    auth: [S],
    baseline: true,
    query: object({ task_id: Id, ...range }),
    pageOf: 100,
    include: ["people", "project", "task"],
    items: TimeEntryRow,
    errors: ["forbidden", "invalid_range", "revision_conflict", "retained_limit_exceeded"],
  },
);

export const ContributorTimeRow = object({ actor_id: Id, display_name: DisplayName, ...sums });
export const listProjectTimeByContributor = list(
  "GET /projects/{project_id}/time-contributor-breakdown",
  "List how much time each person put into a Project",
  {
    description:
      "Lists people by Actor id. Callers who do not manage the Project get no rows, and redacted: true. " +
      `${RANGE} ${CHANGED}`,
    auth: [S],
    baseline: true,
    include: ["people"],
    query: object(range),
    pageOf: 100,
    items: ContributorTimeRow,
    beside: { redacted: Type.Boolean({ description: "Whether the contributors are hidden from you." }) },
    errors: ["invalid_range", "revision_conflict"],
  },
);
