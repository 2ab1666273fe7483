// Keeps the conversation up to date: a message that has changed is read again, as often as its text grows, and whatever is told while it is read
// is read once more. Only the tab that follows changes does this; all of them are given what it brings.
import { useEffect } from "react";
import { useFact, useReplica } from "../store/react.ts";
import type { Replica } from "../store/replica.ts";
import type { DiscussMessage, Reminder } from "../store/rows.ts";

/** Whether somebody has opened the conversation in this browser; until then no message is read. */
const HELD = "discuss:held";
/** Where what was said before the oldest that is here begins; no cursor where there is nothing before it. */
const EARLIER = "discuss:earlier";
interface Earlier {
  oldest: number;
  cursor: string | null;
}
const UNREAD = "discuss:unread";
const PAGE = 50;

export const useUnreadAnswers = () => useFact<number>(UNREAD) ?? 0;
export const useEarlier = () => useFact<Earlier>(EARLIER)?.cursor ?? null;

/** The newest; with a cursor those before. */
export async function loadMessages(replica: Replica, cursor?: string) {
  const { api, member, store, take } = replica;
  let newest = 0;
  for (const { sequence } of store.allSaid("discuss_message") as Iterable<DiscussMessage>)
    newest = Math.max(newest, sequence);
  const page = await api.listDiscussMessages({
    ...{ workspace_id: member.workspaceId, limit: PAGE },
    ...(cursor && { cursor }),
  });
  take({ discuss_message: page.items });
  const oldest = page.items.at(-1)?.sequence ?? 0;
  const known = store.fact<Earlier>(EARLIER);
  // Between what was here and what came, something may be missing: it is asked for from there.
  const isApart = oldest > newest + 1;
  if (cursor || !known || isApart || oldest <= known.oldest)
    replica.setFact(EARLIER, { oldest, cursor: page.next_cursor } satisfies Earlier);
  if (!store.fact(HELD)) replica.setFact(HELD, true);
}

/** Says how far was read, or asks with 0; either answers how many answers are not read. */
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
/** Reads what has changed until it is told to end. */
function follow(replica: Replica): () => void {
  const { api, member, store } = replica;
  /** Under way, and whether it has changed again since it was asked for. */
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
  /** Where somebody looks at it, the panel says how far they have read. */
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

/** As long as the shell is there. */
export function Following() {
  const replica = useReplica();
  useEffect(() => follow(replica), [replica]);
  return null;
}
