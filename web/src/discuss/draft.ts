// Draft of the next message, one per tab: text, uploaded files and pinned pages. It survives a reload and a rejection.
import type { Operations } from "@svc/client";
import { useSyncExternalStore } from "react";
import type { Replica } from "../store/replica.ts";
import { CONVERSATION } from "./operations.ts";

type Turn = Parameters<Operations["createDiscussTurn"]>[0];
export type Metadata = NonNullable<Turn["metadata"]>[number];
export interface Pinned {
  label: string;
  metadata: Metadata[];
}
export interface Draft {
  text: string;
  files: readonly { id: string; name: string }[];
  pinned: Pinned | null;
}
const EMPTY: Draft = { text: "", files: [], pinned: null };
const listeners = new Set<() => void>();
const kept = new Map<string, Draft>();
const nameOf = ({ member }: Replica) => `svc:draft:${member.workspaceId}:${member.actorId}`;

export function draftOf(replica: Replica): Draft {
  const name = nameOf(replica);
  let draft = kept.get(name);
  if (!draft) {
    draft = { ...EMPTY, ...JSON.parse(sessionStorage.getItem(name) ?? "{}") } as Draft;
    kept.set(name, draft);
  }
  return draft;
}
export function changeDraft(replica: Replica, change: (draft: Draft) => Partial<Draft>) {
  const before = draftOf(replica);
  const draft = { ...before, ...change(before) };
  kept.set(nameOf(replica), draft);
  sessionStorage.setItem(nameOf(replica), JSON.stringify(draft));
  for (const listener of [...listeners]) listener();
}
export const useDraft = (replica: Replica) =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => draftOf(replica),
  );
/** Prepends the text to the draft. */
export const putBack = (replica: Replica, text: string) =>
  changeDraft(replica, (draft) => ({ text: [text, draft.text].filter(Boolean).join("\n\n") }));

/** Sends the draft: shows the message optimistically, persists it, and queues it behind earlier messages. */
export function send(replica: Replica, locale: string, timezone: string | undefined) {
  const { text, files, pinned } = draftOf(replica);
  const content = text.trim();
  if (content === "" && files.length === 0) return;
  replica.make("createDiscussTurn", {
    ids: [CONVERSATION],
    input: {
      workspace_id: replica.member.workspaceId,
      content,
      metadata: [
        { kind: "turn_preferences", locale, ...(timezone && { timezone }) },
        ...(pinned?.metadata ?? []),
      ] satisfies Metadata[],
      ...(files.length > 0 && { file_ids: files.map(({ id }) => id) }),
    },
    creates: true,
  });
  changeDraft(replica, () => EMPTY);
}
