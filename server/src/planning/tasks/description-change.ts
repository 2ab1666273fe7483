// The description of a Task as those write it who write it together: a change like any other, that names the text it replaces and is told of in the feeds.
// Which texts these are is not decided here.
import type { Queries } from "../../platform/database/db.ts";
import { writeEvents } from "../../platform/kernel/ledger.ts";
import { newId } from "../../platform/wire/ids.ts";
import { subjectOf, taskDescriptionChanged } from "./events.ts";
import { nextRevision, type TaskFields } from "./rules.ts";
import * as store from "./store.ts";

/** Two texts never have the same. */
const TAG = "encode(sha256(convert_to(t.description_markdown, 'UTF8')), 'hex')";
const READ = `select ${TAG} as tag, t.description_markdown as text, length(t.description_markdown) as size from tasks t where t.workspace_id = $1 and t.id = $2`;
export const readDescription = (tx: Queries, workspaceId: string, taskId: string) =>
  tx.maybe<{ tag: string; text: string; size: number }>(READ, [workspaceId, taskId]);

type Before = Pick<TaskFields, "id" | "project_id" | "revision" | "description_markdown"> & { user_id: string | null };
const HOLD = `
select t.id, t.project_id, t.revision::text, t.description_markdown, (select a.user_id from actors a where a.workspace_id = t.workspace_id and a.id = $4) as user_id
from tasks t where t.workspace_id = $1 and t.id = $2 and ${TAG} = $3 for no key update of t`;
/** The tag of the new text, or null where the Task does not have the text `was` any more. The first author is who has changed it. */
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
