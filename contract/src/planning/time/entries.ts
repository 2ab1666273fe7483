// Time entries on Tasks. An entry stores the Project of its Task and the rounding policy at the time of recording; it
// is corrected or voided, and never erased. The author and those who manage that Project can read it.
import Type from "typebox";
import { list, op, S } from "../../kit.ts";
import { Capabilities, Day, Id, nullable, object, patch, resource, single } from "../../types.ts";
import { RoundingMode } from "./tracking.ts";

/** Live entries that one collection may hold, and that can be read. */
export const MOST_ENTRIES = 800;

export const Seconds = Type.Integer({ minimum: 0, description: "Rounded duration in seconds." });
export const IsoDuration = Type.String({ description: "The same duration in ISO 8601.", examples: ["PT1H30M"] });
export const EntryCount = Type.Integer({ minimum: 0, description: "Number of live entries." });
export const DisplayName = nullable(Type.String({ description: "Display name; null if it is not available." }));

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
    description: "Project at the time of recording; null if you do not see it.",
  },
  actor_id: { ...nullable(Id), description: "Author; null if redacted." },
  display_name: DisplayName,
  work_date: Day,
  seconds: Seconds,
  duration: IsoDuration,
  recorded_seconds: {
    ...nullable(Type.Integer({ minimum: 1 })),
    description: "Duration as entered, before rounding; null if redacted.",
  },
  rounding_mode: {
    ...RoundingMode,
    description: "Rounding mode at the time of recording, which also applies to corrections.",
  },
  note: Note,
  redacted: Type.Boolean({
    description:
      "Whether author and details are hidden: the entry is somebody else's, in a Project that you do not " + "manage.",
  }),
});
export const TimeEntry = single(TimeEntryRow);

export const listTaskTimeEntries = list("GET /tasks/{task_id}/time-entries", "List the time recorded on a Task", {
  description:
    "Lists entries in the order of recording, without voided ones. A cursor is refused once the " +
    `collection has changed (409 revision_conflict), and a collection of more than ${MOST_ENTRIES} ` +
    "entries is not listed (413).",
  auth: [S],
  baseline: true,
  include: ["people", "project", "task"],
  items: TimeEntryRow,
  errors: ["revision_conflict", "retained_limit_exceeded"],
});

export const createTimeEntry = op("POST /tasks/{task_id}/time-entries", "Record your time on a Task", {
  description:
    "The duration is rounded by the Workspace's policy. The entry stays with the Project that the Task " + "is in now.",
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
    "Only the author, while they can write in the Project of the entry, or someone who manages that " +
    "Project can correct it. A corrected duration is rounded by the entry's rounding mode. A " +
    "correction without a change keeps the revision.",
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
    "Only the author, while they can write in the Project of the entry, or someone who manages that " +
    "Project can void it. A voided entry no longer counts; voiding it again changes nothing.",
  auth: [S],
  ifMatch: "optional",
  errors: ["project_archived"],
});

export const TaskTimeTotals = object({
  task_id: Id,
  seconds: Seconds,
  duration: IsoDuration,
  entries: EntryCount,
  own_seconds: { ...Seconds, description: "Your share of the seconds." },
  own_duration: IsoDuration,
  capabilities: Capabilities,
});

export const getTaskTimeTotals = op("GET /tasks/{task_id}/time-totals", "Read how much time a Task has taken", {
  auth: [S],
  baseline: true,
  returns: TaskTimeTotals,
});
