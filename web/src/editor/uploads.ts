// Uploads to a Task or a Document, with progress and errors. They continue after the Task is closed; closing the tab
// ends them after a confirmation.
import type { Problem } from "@svc/client";
import { useSyncExternalStore } from "react";
import type { Replica } from "../store/replica.ts";
import type { Attachment } from "../store/rows.ts";

export interface UploadTarget {
  kind: "task" | "document";
  id: string;
}
export interface Upload {
  id: number;
  /** Id of the Task or Document. */
  of: string;
  name: string;
  sent: number;
  total: number;
  /** Error code of a failed upload. */
  code: string | null;
  cancel: () => void;
  again: () => void;
}
let uploads: readonly Upload[] = [];
let count = 0;
const listeners = new Set<() => void>();
function tell(next: readonly Upload[]) {
  uploads = next;
  for (const listener of listeners) listener();
}
const change = (id: number, fields: Partial<Upload>) =>
  tell(uploads.map((each) => (each.id === id ? { ...each, ...fields } : each)));
const remove = (id: number) => tell(uploads.filter((each) => each.id !== id));

addEventListener("beforeunload", (event) => {
  if (uploads.some(({ code }) => code === null)) event.preventDefault();
});

/** Uploads a file and attaches it. Returns null after a failure, which the list of uploads shows. */
export async function upload(replica: Replica, place: UploadTarget, file: File): Promise<Attachment | null> {
  const { api } = replica;
  const id = ++count;
  const stop = new AbortController();
  const { signal } = stop;
  tell([
    ...uploads,
    {
      id,
      of: place.id,
      name: file.name,
      sent: 0,
      total: file.size,
      code: null,
      cancel() {
        stop.abort(new DOMException("cancelled", "AbortError"));
        remove(id);
      },
      again() {
        remove(id);
        void upload(replica, place, file);
      },
    },
  ]);
  try {
    const stored = await api.uploadFile(file, { signal, onProgress: (sent) => change(id, { sent }) });
    const attachment_id = stored.id;
    const attached = (await (place.kind === "task"
      ? api.attachToTask({ task_id: place.id, attachment_id }, { signal })
      : api.attachToDocument({ document_id: place.id, attachment_id }, { signal }))) as unknown as Attachment;
    replica.take({ attachment: [attached] });
    remove(id);
    return attached;
  } catch (error) {
    if (!signal.aborted) change(id, { code: (error as Problem).code ?? "unreachable" });
    return null;
  }
}

export const useUploads = (id: string): readonly Upload[] =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => uploads,
  ).filter(({ of }) => of === id);
