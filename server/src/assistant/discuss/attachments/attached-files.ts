// Files attached to a turn, with their text if they have any.
import { isRead, MOST_BYTES, textOfFile } from "../../../knowledge/retrieval/extraction/file-rules.ts";
import { objectKeys } from "../../../planning/attachments/store.ts";
import type { AnswerRequest } from "../answers/answer.ts";
import { readableFiles } from "../answers/run-store.ts";

/** Characters of text per file. */
const MOST_TEXT = 20_000;
export interface Attached {
  filename: string;
  text: string | null;
}

/**
 * Attached files, in the order of the attachments; those that are gone, or that the scanner no longer passes, are
 * omitted.
 */
export async function attachedTo({ kit, run, gate, journal, fileIds }: AnswerRequest): Promise<Attached[]> {
  if (fileIds.length === 0) return [];
  const read = async () => {
    const { workspaceId } = journal.held;
    const files = await readableFiles(kit.writer, workspaceId, fileIds, run.actor_id);
    const sent = fileIds.flatMap((id) => files.find((file) => file.id === id) ?? []);
    return Promise.all(
      sent.map(async ({ id, filename, content_type, size }) => {
        const bytes = isRead(content_type) && size <= MOST_BYTES ? await get(kit, workspaceId, id) : null;
        const text = bytes && (await textOfFile(content_type, bytes));
        return { filename, text: text?.slice(0, MOST_TEXT) ?? null };
      }),
    );
  };
  // The author of a file's text is unknown, so that it counts as text of others.
  return gate.look({ files: fileIds }, read, true);
}
const get = (kit: AnswerRequest["kit"], workspaceId: string, id: string) =>
  kit.storage.get(objectKeys(workspaceId, id).file);
