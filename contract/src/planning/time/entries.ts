// Time entries on Tasks. An entry stores the Project of its Task and the rounding policy at the time of recording; it
// is corrected or voided, and never erased. The author and those who manage that Project can read it.
import Type from "typebox";
import { list, op, S } from "../../kit.ts";
import { Capabilities, Day, Id, nullable, object, patch, resource, single } from "../../types.ts";
import { RoundingMode } from "./tracking.ts";

/** Live entries that one collection may hold, and that can be read. */
export const MOST_ENTRIES = 800;

export const Seconds = Type.Integer({ minimum: 0, description: "As they count: rounded." });
export const IsoDuration = Type.String({ description: "The same as ISO 8601.", examples: ["PT1H30M"] });
export const EntryCount = Type.Integer({ minimum: 0, description: "Live entries." });
export const DisplayName = nullable(Type.String({ description: "Null where it is not available." }));

const Note = nullable(Type.String({ maxLength: 2000, format: "text" }));
const Duration = Type.String({
  minLength: 2,
  maxLength: 128,
  format: "line",
  description: "`1h 30m`, `90m`, `1.5h`, `1:30` or `PT1H30M`; more than nothing and at most 24 hours.",
  examples: ["1h 30m"],
});

export const TimeEntryRow = object({
  ...resource,
  task_id: Id,
  project_id: {
    ...nullable(Id),
    description: "Captured when it was recorded; null where you do not see that Project.",
  },
  actor_id: { ...nullable(Id), description: "Null where redacted." },
  display_name: DisplayName,
  work_date: Day,
  seconds: Seconds,
  duration: IsoDuration,
  recorded_seconds: {
    ...nullable(Type.Integer({ minimum: 1 })),
    description: "As said, before rounding; null where redacted.",
  },
  rounding_mode: { ...RoundingMode, description: "Captured when it was recorded; a correction is rounded by it too." },
  note: Note,
  redacted: Type.Boolean({
    description: "Somebody else's, in a Project that you do not manage: who and what for is not shown.",
  }),
});
export const TimeEntry = single(TimeEntryRow);

export const listTaskTimeEntries = list("GET /tasks/{task_id}/time-entries", "List the time recorded on a Task", {
  description:
    "In the order in which it was recorded, without what was voided. A continuation is refused once the " +
    `collection has changed (409 revision_conflict), and a collection of more than ${MOST_ENTRIES} entries is not ` +
    "listed (413).",
  auth: [S],
  baseline: true,
  include: ["people", "project", "task"],
  items: TimeEntryRow,
  errors: ["revision_conflict", "retained_limit_exceeded"],
});

export const createTimeEntry = op("POST /tasks/{task_id}/time-entries", "Record your time on a Task", {
  description: "Rounded as the Workspace has decided. The entry stays with the Project that the Task is in now.",
  auth: [S],
  status: 201,
  creates: "/time-entries/{id}",
  idempotencyKey: "required",
  body: Type.Object({ duration: Duration, work_date: Day, note: Type.Optional(Note) }, { additionalProperties: false }),
  example: { duration: "1h 30m", work_date: "2026-05-04", note: "Cut the first gear." },
  returns: TimeEntry,
  errors: ["project_archived", "invalid_duration", "time_tracking_disabled", "task_trashed"],
});

export const updateTimeEntry = op("PATCH /time-entries/{entry_id}", "Correct recorded time", {
  description:
    "By its author while they write in the Project that it was recorded in, or by whoever manages that. " +
    "A corrected duration is rounded as the entry was. What changes nothing leaves the revision alone.",
  auth: [S],
  ifMatch: "required",
  idempotencyKey: "required",
  body: patch({ duration: Duration, work_date: Day, note: Note }),
  example: { duration: "PT2H", note: "Cut the first two gears." },
  returns: TimeEntry,
  errors: ["project_archived", "invalid_duration", "time_entry_voided", "task_trashed"],
});

export const deleteTimeEntry = op("DELETE /time-entries/{entry_id}", "Void recorded time", {
  description:
    "By its author while they write in the Project that it was recorded in, or by whoever manages that. " +
    "It counts nowhere any more; voiding again changes nothing.",
  auth: [S],
  ifMatch: "optional",
  errors: ["project_archived"],
});

export const TaskTimeTotals = object({
  task_id: Id,
  seconds: Seconds,
  duration: IsoDuration,
  entries: EntryCount,
  own_seconds: { ...Seconds, description: "Yours among them." },
  own_duration: IsoDuration,
  capabilities: Capabilities,
});

export const getTaskTimeTotals = op("GET /tasks/{task_id}/time-totals", "Read how much time a Task has taken", {
  auth: [S],
  baseline: true,
  returns: TaskTimeTotals,
});
