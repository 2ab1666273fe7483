// Background jobs of reminders: deliver due ones, and delete old closed ones. Each may run twice, or concurrently.
import { tellReminders } from "../../../history/inbox/change.ts";
import { type Background, inPages, TENANT } from "../../../platform/background/jobs.ts";
import type { Database } from "../../../platform/database/db.ts";
import { placesOf, takeDue } from "./reminder-store.ts";

const AT_ONCE = 200;
/**
 * Claims and delivers in the same transaction: each reminder is delivered exactly once, whatever happens to the
 * process.
 */
export const deliverReminders = ({ writer }: Pick<Database, "writer">): Promise<void> =>
  inPages(() =>
    writer.use(async (tx) => {
      const [, taken] = await Promise.all([tx.begin(), takeDue(tx, AT_ONCE)]);
      for (const [workspaceId, theirs] of Map.groupBy(taken, ({ workspace_id }) => workspace_id)) {
        const [, placed] = await Promise.all([tx.rows(TENANT, [workspaceId]), placesOf(tx, theirs)]);
        await tellReminders(tx, placed);
      }
      await tx.commit();
      return taken.length === AT_ONCE;
    }),
  );

// Across all Workspaces: background jobs act as the owner of the tables. Includes rows that a member wrote in the
// moment of leaving.
export const sweeps = [
  "delete from discuss_reminders where state in ('completed', 'cancelled') and updated_at < now() - interval '90 days'",
  ...["discuss_reminders", "discuss_preferences"].map(
    (table) => `delete from ${table} r using memberships m
   where m.workspace_id = r.workspace_id and m.actor_id = r.actor_id and m.state in ('removed', 'left')
     and m.updated_at > now() - interval '30 days'`,
  ),
];

export const background: Background = {
  frequent: ({ database }) => ({ deliver_reminders: () => deliverReminders(database) }),
  schedule: "51 * * * * sweep_reminders",
  jobs: () => ({ sweep_reminders: (_payload, { query }) => query(sweeps.join(";")).then(() => {}) }),
};
