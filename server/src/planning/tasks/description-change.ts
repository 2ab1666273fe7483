// Saves a collaboratively edited Task description: a change like any other, which archives the replaced text and
// appears in feeds. The caller decides which texts are saved.
import type { Queries } from "../../platform/database/db.ts";
import { writeEvents } from "../../platform/kernel/ledger.ts";
import { newId } from "../../platform/wire/ids.ts";
import { subjectOf, taskDescriptionChanged } from "./events.ts";
import { nextRevision, type TaskFields } from "./rules.ts";
import * as store from "./store.ts";

/** Content hash of the text. */
const TAG = "encode(sha256(convert_to(t.description_markdown, 'UTF8')), 'hex')";
const READ = `select ${TAG} as tag, t.description_markdown as text, length(t.description_markdown) as size from tasks t
  where t.workspace_id = $1 and t.id = $2`;
export const readDescription = (tx: Queries, workspaceId: string, taskId: string) =>
  tx.maybe<{ tag: string; text: string; size: number }>(READ, [workspaceId, taskId]);

type Before = Pick<TaskFields, "id" | "project_id" | "revision" | "description_markdown"> & { user_id: string | null };
const HOLD = `
select t.id, t.project_id, t.revision::text, t.description_markdown,
  (select a.user_id from actors a where a.workspace_id = t.workspace_id and a.id = $4) as user_id
from tasks t where t.workspace_id = $1 and t.id = $2 and ${TAG} = $3 for no key update of t`;
/**
 * Compare-and-set: returns the tag of the new text, or null if the Task's text no longer has the tag `was`. The first
 * author is recorded as the Actor of the change.
 */
export async function writeDescription(
  tx: Queries,
  workspaceId: string,
  taskId: string,
  was: string,
  markdown: string,
  authors: readonly string[],
): Promise<string | null> {
  const [actorId] = authors as [string];
  const before = await tx.maybe<Before>(HOLD, [workspaceId, taskId, was, actorId]);
  if (!before) return null;
  const { revision, description_markdown: text, user_id: userId } = before;
  const together = authors.length > 1 ? { author_actor_ids: authors } : {};
  const fact = taskDescriptionChanged(subjectOf(before), { from: revision, to: nextRevision(before), ...together });
  const [, , , after] = await Promise.all([
    store.updateTask(tx, workspaceId, before, { description_markdown: markdown }),
    store.keepDescription(tx, workspaceId, taskId, revision, text, actorId),
    writeEvents(tx, { commandId: newId(), author: { userId, credentialKind: "session" } }, workspaceId, actorId, [
      fact,
    ]),
    readDescription(tx, workspaceId, taskId),
  ]);
  return after?.tag ?? null;
}
