// Notifications that other domains insert directly: due reminders, requests and their decisions, disabled endpoints.
// Only the recipients receive them, according to their preferences.
import type { Queries } from "../../platform/database/db.ts";
import { pushLater } from "./fill-inboxes.ts";
import { gather, type Reminded, remindersWanted } from "./notice-store.ts";

/** All reminders are of the connection's Workspace. The same transaction lists and sends them. */
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
update inbox_items i set read_at = now(), gathering = false, mail_due = false, revision = i.revision + 1,
  updated_at = now()
where i.workspace_id = current_workspace() and i.reminder_id = $1 and i.actor_id = current_actor()
  and i.state = 'unread'`;
/** Completing or postponing a reminder marks its notifications as read. */
export const readReminder = (tx: Queries, reminderId: string) => tx.rows(READ, [reminderId]);

export { settleAbout, tellAbout } from "./other-notice-store.ts";
