// Reminders that a member sets for themselves. A due reminder goes to the inbox, and by push and mail according to the
// member's preferences; nobody else sees it.
import Type from "typebox";
import { list, op } from "../../kit.ts";
import { Moment, nullable, object, resource, single, Timestamp, Title } from "../../types.ts";
import { reading, writing } from "./private.ts";
import { Reference, ResolvedReference } from "./references.ts";

/** Reminders that one member may have, scheduled or delivered. */
export const MOST_REMINDERS = 500;
/** Furthest due time, in days from now. */
export const MOST_DAYS = 3_660;

const states = ["scheduled", "delivered", "completed", "cancelled"] as const;
export const ReminderRow = object({
  ...resource,
  text: Title(500),
  due_at: Timestamp,
  target: {
    ...nullable(ResolvedReference),
    description: "Target of the reminder, as far as you may see it now; null if there is none.",
  },
  state: Type.Enum([...states]),
  delivered_at: { ...nullable(Timestamp), description: "Time of the last notification; null until then." },
});
const Reminder = single(ReminderRow);

export const listReminders = list(
  "GET /workspaces/{workspace_id}/discuss/reminders",
  "List your reminders, those due first",
  {
    ...reading,
    description: "Lists open reminders without a state: scheduled or delivered. Closed ones are retained for 90 days.",
    query: object({ state: Type.Optional(Type.Enum([...states, "open", "all"])) }),
    items: ReminderRow,
  },
);

export const createReminder = op("POST /workspaces/{workspace_id}/discuss/reminders", "Set a reminder", {
  ...writing,
  description:
    "Needs confirmed: true, which confirms that you have seen exactly this and want it. The " +
    "notification arrives within seconds of its time, at most ten years ahead. A member has at most " +
    "500 open reminders.",
  status: 201,
  creates: "/workspaces/{workspace_id}/discuss/reminders/{id}",
  idempotencyKey: "required",
  body: object({
    text: Title(500),
    due_at: Moment,
    target: Type.Optional({ ...Reference, description: "Target of the reminder, which you must be able to see." }),
    confirmed: Type.Literal(true),
  }),
  example: { text: "Ask Grace about the gears", due_at: "2030-01-15T09:00:00.000Z", confirmed: true },
  returns: Reminder,
  errors: ["invalid_reference", "limit_reached"],
});

export const updateReminder = op(
  "PATCH /workspaces/{workspace_id}/discuss/reminders/{reminder_id}",
  "Complete, cancel or snooze a reminder",
  {
    ...writing,
    description:
      "Snoozing schedules the reminder again, for snooze_until. The reminder's notification in the inbox " +
      "is marked as read. A completed or cancelled reminder cannot change.",
    ifMatch: "required",
    body: object({
      action: Type.Enum(["complete", "cancel", "snooze"]),
      snooze_until: Type.Optional({ ...Moment, description: "Required with snooze, refused otherwise." }),
    }),
    example: { action: "complete" },
    returns: Reminder,
    errors: ["reminder_closed"],
  },
);
