// Files on their way into the conversation, with how far each is. What has arrived belongs to the draft, and goes with the next turn.
import type { Problem } from "@svc/client";
import { useSyncExternalStore } from "react";
import type { Replica } from "../store/replica.ts";
import { changeDraft, draftOf } from "./draft.ts";

export interface Sending {
  id: number;
  name: string;
  sent: number;
  total: number;
  /** Why it did not arrive. */
  code: string | null;
  cancel: () => void;
}
/** With one turn. */
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

/** True where it takes at least one of them. */
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
      ...{ id, name: file.name, sent: 0, total: file.size, cancel },
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
/** Takes one out of the draft, and deletes it: nothing else has it. */
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
