// Refreshes changed messages of the conversation. Each message is read again as its text grows, and once more if a hint
// arrived during the read. Only the leader tab reads; it shares the rows with the other tabs.
import { useEffect } from "react";
import { useFact, useReplica } from "../store/react.ts";
import type { Replica } from "../store/replica.ts";
import type { DiscussMessage, Reminder } from "../store/rows.ts";

/** Fact that the conversation was opened in this browser; no message is read before. */
const HELD = "discuss:held";
/** Fact with the pagination cursor before the oldest message held; null if there are no earlier messages. */
const EARLIER = "discuss:earlier";
interface Earlier {
  oldest: number;
  cursor: string | null;
}
const UNREAD = "discuss:unread";
const PAGE = 50;

export const useUnreadAnswers = () => useFact<number>(UNREAD) ?? 0;
export const useEarlier = () => useFact<Earlier>(EARLIER)?.cursor ?? null;

/** Loads the newest page, or with a cursor the page before it. */
export async function loadMessages(replica: Replica, cursor?: string) {
  const { api, member, store, take } = replica;
  let newest = 0;
  for (const { sequence } of store.allSaid("discuss_message") as Iterable<DiscussMessage>)
    newest = Math.max(newest, sequence);
  const page = await api.listDiscussMessages({
    workspace_id: member.workspaceId,
    limit: PAGE,
    ...(cursor && { cursor }),
  });
  take({ discuss_message: page.items });
  const oldest = page.items.at(-1)?.sequence ?? 0;
  const known = store.fact<Earlier>(EARLIER);
  // Messages may be missing between the held ones and this page: the cursor restarts from this page.
  const isApart = oldest > newest + 1;
  if (cursor || !known || isApart || oldest <= known.oldest)
    replica.setFact(EARLIER, { oldest, cursor: page.next_cursor } satisfies Earlier);
  if (!store.fact(HELD)) replica.setFact(HELD, true);
}

/** Advances the read marker (0 only queries it) and stores the number of unread answers. */
export async function readUpTo(replica: Replica, sequence: number) {
  const { unread_count } = await replica.api.advanceDiscussReadState({
    workspace_id: replica.member.workspaceId,
    last_read_sequence: sequence,
  });
  if (unread_count !== (replica.store.fact(UNREAD) ?? 0)) replica.setFact(UNREAD, unread_count);
}

export async function loadReminders({ api, member, store, take }: Replica) {
  const before = [...store.allSaid("reminder")] as Reminder[];
  const found: Reminder[] = [];
  for await (const each of api.listReminders({ workspace_id: member.workspaceId, limit: 100 })) found.push(each);
  const listed = new Set(found.map(({ id }) => id));
  const gone = before.filter(({ id }) => !listed.has(id) && store.said("reminder", id)).map(({ id }) => id);
  take({ reminder: found, gone: { reminder: gone } });
}

const LATER_MS = 2_000;
/** Refreshes changed messages and reminders until the returned function is called. */
function follow(replica: Replica): () => void {
  const { api, member, store } = replica;
  /** Messages being read; true if another hint arrived since the read started. */
  const reading = new Map<string, boolean>();
  let [ended, asking] = [false, false];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const later = (work: () => void) => {
    clearTimeout(timer);
    if (!ended) timer = setTimeout(work, LATER_MS);
  };
  async function read(message_id: string) {
    if (reading.has(message_id)) return void reading.set(message_id, true);
    do {
      reading.set(message_id, false);
      const message = await api.getDiscussMessage({ workspace_id: member.workspaceId, message_id }).catch(() => null);
      if (ended) return;
      if (message) replica.take({ discuss_message: [message as unknown as DiscussMessage] });
      else later(all);
    } while (reading.get(message_id));
    reading.delete(message_id);
  }
  /** Refreshes the unread count. While the panel is visible, the panel advances the read marker itself. */
  function count() {
    if (asking) return;
    asking = true;
    void readUpTo(replica, 0)
      .catch(() => {})
      .finally(() => {
        asking = false;
      });
  }
  function all() {
    count();
    if (store.fact(HELD)) void loadMessages(replica).catch(() => later(all));
  }
  const stop = replica.onHints((hints) => {
    if (!replica.leads) return;
    if (hints.some(({ kind }) => kind === "discuss")) return all();
    const told = hints.filter(({ kind }) => kind === "discuss_message");
    if (told.length === 0) return;
    count();
    if (store.fact(HELD)) for (const id of new Set(told.map((hint) => hint.id))) void read(id);
  });
  if (replica.leads && replica.connection === "live") all();
  return () => {
    ended = true;
    clearTimeout(timer);
    stop();
  };
}

/** Mounts the refresh for the lifetime of the shell. */
export function Following() {
  const replica = useReplica();
  useEffect(() => follow(replica), [replica]);
  return null;
}
