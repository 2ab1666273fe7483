// Uploads of files into the conversation, with progress. A finished upload joins the draft and goes out with the next
// turn.
import type { Problem } from "@svc/client";
import { useSyncExternalStore } from "react";
import type { Replica } from "../store/replica.ts";
import { changeDraft, draftOf } from "./draft.ts";

export interface Sending {
  id: number;
  name: string;
  sent: number;
  total: number;
  /** Error code of a failed upload. */
  code: string | null;
  cancel: () => void;
}
/** Most files per turn. */
const MOST_FILES = 5;
let sendings: readonly Sending[] = [];
let count = 0;
const listeners = new Set<() => void>();
function tell(next: readonly Sending[]) {
  sendings = next;
  for (const listener of [...listeners]) listener();
}
addEventListener("beforeunload", (event) => {
  if (sendings.some(({ code }) => code === null)) event.preventDefault();
});

/** Starts the uploads. Returns false if there was no file. */
export function addFiles(replica: Replica, files: Iterable<File>): boolean {
  const all = [...files];
  const under = sendings.filter(({ code }) => code === null).length;
  const room = MOST_FILES - draftOf(replica).files.length - under;
  for (const [at, file] of all.entries()) void sendOne(replica, file, at < room);
  return all.length > 0;
}
async function sendOne(replica: Replica, file: File, hasRoom: boolean) {
  const id = ++count;
  const stop = new AbortController();
  const change = (fields: Partial<Sending>) =>
    tell(sendings.map((each) => (each.id === id ? { ...each, ...fields } : each)));
  const remove = () => tell(sendings.filter((each) => each.id !== id));
  const cancel = () => {
    stop.abort(new DOMException("cancelled", "AbortError"));
    remove();
  };
  tell([
    ...sendings,
    {
      id,
      name: file.name,
      sent: 0,
      total: file.size,
      cancel,
      code: hasRoom ? null : "too_many_files",
    },
  ]);
  if (!hasRoom) return;
  try {
    const { id: fileId } = await replica.api.uploadDiscussFile(replica.member.workspaceId, file, {
      signal: stop.signal,
      onProgress: (sent) => change({ sent }),
    });
    changeDraft(replica, ({ files }) => ({ files: [...files, { id: fileId, name: file.name }] }));
    remove();
  } catch (error) {
    if (!stop.signal.aborted) change({ code: (error as Problem).code ?? "unreachable" });
  }
}
/** Removes a file from the draft and deletes it on the service: nothing else refers to it. */
export function dropFile(replica: Replica, file_id: string) {
  changeDraft(replica, ({ files }) => ({ files: files.filter(({ id }) => id !== file_id) }));
  void replica.api.deleteDiscussFile({ workspace_id: replica.member.workspaceId, file_id }).catch(() => {});
}
export const useSendings = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => sendings,
  );
