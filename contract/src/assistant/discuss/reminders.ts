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
    description: "What it is about, under what you may see now; null where it is about nothing.",
  },
  state: Type.Enum([...states]),
  delivered_at: { ...nullable(Timestamp), description: "When it was told last; null until then." },
});
const Reminder = single(ReminderRow);

export const listReminders = list(
  "GET /workspaces/{workspace_id}/discuss/reminders",
  "List your reminders, those due first",
  {
    ...reading,
    description: "Without a state those that are open: scheduled or delivered. What is closed is kept for 90 days.",
    query: object({ state: Type.Optional(Type.Enum([...states, "open", "all"])) }),
    items: ReminderRow,
  },
);

export const createReminder = op("POST /workspaces/{workspace_id}/discuss/reminders", "Set a reminder", {
  ...writing,
  description:
    "Only with confirmed: true, which says that you have seen and wanted exactly this. " +
    "Told within seconds of its time, at most ten years ahead. A member has at most 500 that are open.",
  status: 201,
  creates: "/workspaces/{workspace_id}/discuss/reminders/{id}",
  idempotencyKey: "required",
  body: object({
    text: Title(500),
    due_at: Moment,
    target: Type.Optional({ ...Reference, description: "What it is about: something that you see." }),
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
      "What is snoozed is scheduled again, for snooze_until. What was told of it in the inbox is read then. " +
      "A reminder that is completed or cancelled stays so.",
    ifMatch: "required",
    body: object({
      action: Type.Enum(["complete", "cancel", "snooze"]),
      snooze_until: Type.Optional({ ...Moment, description: "With snooze, and only then." }),
    }),
    example: { action: "complete" },
    returns: Reminder,
    errors: ["reminder_closed"],
  },
);
