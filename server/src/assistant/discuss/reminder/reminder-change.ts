// Creates a reminder, for a person, or for the assistant after its person has confirmed it.
import { MOST_DAYS } from "@svc/contract/assistant/discuss/reminders.ts";
import { QUEUE } from "../../../accounts/account/access.ts";
import type { Context } from "../../../platform/kernel/implement-operation.ts";
import { newId } from "../../../platform/wire/ids.ts";
import { refuse, refuseAt } from "../../../platform/wire/problem.ts";
import { resolve } from "../attachments/reference-store.ts";
import { keepReminder, type ReminderInput } from "./reminder-store.ts";

/** Requires a time in the future, by the database's clock, and within MOST_DAYS. */
export function requireTime(at: string, now: string, pointer: string): void {
  const ahead = Date.parse(at) - Date.parse(now);
  if (ahead <= 0) refuseAt(pointer, "invalid_request", "must be in the future", "out_of_range");
  if (ahead > MOST_DAYS * 86_400_000)
    refuseAt(pointer, "invalid_request", `must be at most ${MOST_DAYS} days ahead`, "out_of_range");
}

/** Creates it for the Actor of the transaction. */
export async function setReminder({ tx, now }: Pick<Context, "tx"> & { now: string }, reminding: ReminderInput) {
  requireTime(reminding.due_at, now, "/body/due_at");
  const [, found] = await Promise.all([tx.rows(QUEUE), reminding.target ? resolve(tx, [reminding.target]) : []]);
  if (found.some(({ state }) => state === "unavailable"))
    refuseAt("/body/target", "invalid_reference", "must be something that you see");
  return (await keepReminder(tx, newId(), reminding)) ?? refuse("limit_reached");
}
