// What another domain puts into inboxes by itself: a reminder that is due, what somebody asks for or has asked for, an endpoint that was disabled. It is told to whom it is for, as they want to
// be told, and nobody else hears of it.
import type { Queries } from "../../platform/database/db.ts";
import { gather, type Reminded, remindersWanted } from "./notice-store.ts";
import { pushLater } from "./telling.ts";

/** All of one Workspace, which is that of the connection. Sent and listed by the transaction that they are told in. */
export async function tellReminders(tx: Queries, reminders: readonly Reminded[]): Promise<void> {
  const notices = await remindersWanted(tx, reminders);
  if (notices.length === 0) return;
  await pushLater(
    tx,
    notices,
    Map.groupBy(await gather(tx, notices), ({ actor_id }) => actor_id),
  );
}

const READ = `
update inbox_items i set read_at = now(), gathering = false, mail_due = false, revision = i.revision + 1, updated_at = now()
where i.workspace_id = current_workspace() and i.reminder_id = $1 and i.actor_id = current_actor() and i.state = 'unread'`;
/** Whoever is done with a reminder, or puts it off, has seen what was told of it. */
export const readReminder = (tx: Queries, reminderId: string) => tx.rows(READ, [reminderId]);

export { settleAbout, tellAbout } from "./about-store.ts";
