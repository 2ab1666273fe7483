// The files that were sent along with a turn, with their text where they have one.

import { isRead, MOST_BYTES, textOfFile } from "../../knowledge/retrieval/file-rules.ts";
import { objectKeys } from "../../planning/attachments/store.ts";
import type { Asked } from "./answer.ts";
import { readableFiles } from "./run-store.ts";

/** Of each, in characters. */
const MOST_TEXT = 20_000;
export interface Attached {
  filename: string;
  text: string | null;
}

/** In the order in which they were sent; those that are gone, or that the scanner does not let pass any more, are left out. */
export async function attachedTo({ kit, run, gate, journal, fileIds }: Asked): Promise<Attached[]> {
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
  // Whose words stand in a file, nobody knows.
  return gate.look({ files: fileIds }, read, true);
}
const get = (kit: Asked["kit"], workspaceId: string, id: string) => kit.storage.get(objectKeys(workspaceId, id).file);
