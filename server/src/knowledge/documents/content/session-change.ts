// Writes a checkpoint of a collaborative session: a content revision like any other, by all of its authors. The caller
// decides its content.
import type { Queries } from "../../../platform/database/db.ts";
import type { Fact } from "../../../platform/kernel/events.ts";
import { writeEvents } from "../../../platform/kernel/ledger.ts";
import { newId } from "../../../platform/wire/ids.ts";
import { writeContent } from "./store.ts";

const READ = `
select d.content_revision::text as tag, r.content::text as text, r.size from documents d
join document_revisions r on r.workspace_id = d.workspace_id and r.document_id = d.id
  and r.revision = d.content_revision
where d.workspace_id = $1 and d.id = $2`;
/** The newest content revision and its content, as JSON text. */
export const readNewest = (tx: Queries, workspaceId: string, documentId: string) =>
  tx.maybe<{ tag: string; text: string; size: number }>(READ, [workspaceId, documentId]);

const HOLD = `
select d.id, d.project_id, (select a.user_id from actors a
  where a.workspace_id = d.workspace_id and a.id = $4) as user_id
from documents d where d.workspace_id = $1 and d.id = $2 and d.content_revision = $3::bigint for no key update of d`;
/** Returns the new revision, or null if `was` is no longer the newest. The change is attributed to the first author. */
export async function writeTogether(
  tx: Queries,
  workspaceId: string,
  documentId: string,
  was: string,
  forms: { content: string; markdown: string; text: string },
  authors: readonly string[],
): Promise<string | null> {
  const [actorId] = authors as [string];
  const document = await tx.maybe<{ id: string; project_id: string | null; user_id: string | null }>(HOLD, [
    workspaceId,
    documentId,
    was,
    actorId,
  ]);
  if (!document) return null;
  const facts: Fact[] = [];
  const here = { tx, member: { workspaceId }, record: (fact: Fact) => facts.push(fact) };
  const { content_revision } = await writeContent(here, { document, ...forms, reason: "session", authors });
  const author = { userId: document.user_id, credentialKind: "session" };
  await writeEvents(tx, { commandId: newId(), author }, workspaceId, actorId, facts);
  return content_revision;
}
