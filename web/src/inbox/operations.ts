// Optimistic updates of inbox items, and how to refresh the inbox. The service has no undo for these operations; the
// inverse is the same operation with the old values.
import type { Client } from "@svc/client";
import type { Brought, Domain, Operation } from "../store/domain.ts";
import type { QueuedChange } from "../store/queue/change.ts";
import type { Replica } from "../store/replica.ts";
import type { InboxItem } from "../store/rows.ts";
import type { Index } from "../store/sorted-index.ts";

/** Splits items into inbox and done, the newest first. */
export const byPlace: Index<InboxItem> = {
  groups: ({ archived_at }) => [archived_at === null ? "inbox" : "done"],
  compare: (one, other) => (one.occurred_at < other.occurred_at ? 1 : one.occurred_at > other.occurred_at ? -1 : 0),
};

type Applied = Pick<QueuedChange, "input" | "madeAt">;
function update(item: InboxItem | undefined, { input, madeAt }: Applied): InboxItem | undefined {
  const now = new Date(madeAt).toISOString();
  const put = (said: unknown, was: string | null) => (said === undefined ? was : said ? (was ?? now) : null);
  return (
    item && {
      ...item,
      read_at: put(input.read, item.read_at),
      archived_at: put(input.archived, item.archived_at),
    }
  );
}
/** Restores the state that each item had before the change. */
function inverse({ input, saw, ids }: QueuedChange): QueuedChange["input"] {
  const before = saw[ids[0] as string] ?? {};
  return {
    inbox_item_id: ids[0],
    ...("read" in input && { read: "read_at" in before ? before.read_at !== null : input.read }),
    ...("archived" in input && { archived: "archived_at" in before ? before.archived_at !== null : input.archived }),
  };
}

const PAGE = 100;
async function list(api: Client, workspace_id: string): Promise<Brought> {
  const { items } = await api.listInbox({ workspace_id, state: "all", limit: PAGE });
  return { inbox_item: items };
}
/** The API has no operation that reads a single item. */
async function read(api: Client, id: string): Promise<Brought> {
  const { workspace_id } = await api.getMe();
  const found = await list(api, workspace_id as string);
  return found.inbox_item?.some((item) => item.id === id) ? found : { ...found, gone: { inbox_item: [id] } };
}

const item = (more: Partial<Operation<InboxItem>>): Operation<never> =>
  ({ kind: "inbox_item", apply: update, ...more }) as unknown as Operation<never>;

export const inboxDomain: Domain = {
  operations: {
    updateInboxItem: item({ inverse, quiet: ({ input }) => !("archived" in input) }),
    updateInboxReadState: item({
      unmatched: true,
      took: (_answer, { input }, api) => list(api, input.workspace_id as string),
      inverse: ({ input }) => ({ ...input, read: !input.read }),
    }),
  },
  read: { inbox_item: read },
};

/**
 * Refreshes one side of the inbox, removes held items that are no longer listed, and returns the cursor of the next
 * page.
 */
export async function loadInbox(
  { api, store, member, take }: Replica,
  place: "inbox" | "done",
  cursor?: string,
): Promise<string | null> {
  const before = [...store.allSaid("inbox_item")] as InboxItem[];
  const { items, next_cursor } = await api.listInbox({
    workspace_id: member.workspaceId,
    limit: PAGE,
    ...(place === "done" && { state: "archived" as const }),
    ...(cursor && { cursor }),
  });
  const listed = new Set(items.map(({ id }) => id));
  const last = next_cursor === null ? "" : (items.at(-1)?.occurred_at ?? "~");
  const gone = before.filter(
    (each) =>
      (each.archived_at === null) === (place === "inbox") &&
      !listed.has(each.id) &&
      each.occurred_at > last &&
      cursor === undefined &&
      store.said("inbox_item", each.id) === each,
  );
  take({ inbox_item: items, gone: { inbox_item: gone.map(({ id }) => id) } });
  return next_cursor;
}

export function put(replica: Replica, id: string, fields: { read?: boolean; archived?: boolean }) {
  replica.make("updateInboxItem", { ids: [id], input: { inbox_item_id: id, ...fields } });
}
/** Marks all held unread items as read, in batches of 100 (the limit of the service). */
export function readAll(replica: Replica, ids: readonly string[]) {
  for (let at = 0; at < ids.length; at += PAGE) {
    const some = ids.slice(at, at + PAGE);
    replica.make("updateInboxReadState", {
      ids: some,
      input: { workspace_id: replica.member.workspaceId, read: true, ids: some },
    });
  }
}
