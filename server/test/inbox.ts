// Items of an inbox, put there without waiting for something to happen.
import { newId } from "../src/platform/wire/ids.ts";
import type { TestService } from "./world.ts";

/** One unread item about a Task, of a category in which it gathers nothing. */
export async function newInboxItem(
  running: TestService,
  { workspaceId }: { workspaceId: string },
  actorId: string,
  taskId: string,
  more: { category?: string; newest_at?: string } = {},
) {
  const id = newId();
  await running.sql(
    `insert into inbox_items (workspace_id, id, actor_id, category, task_id, event_type, count, newest_at, gathering,
     listed, mail_due)
     values ($1, $2, $3, $4, $5, 'task.assigned', 1, coalesce($6::timestamptz, now()), false, true, false)`,
    [workspaceId, id, actorId, more.category ?? "assigned", taskId, more.newest_at ?? null],
    workspaceId,
  );
  return { id, revision: "1" };
}
