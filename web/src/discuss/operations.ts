// Optimistic updates of the conversation. A turn waits in the queue behind earlier changes and has no undo. The lazily
// loaded load.ts refreshes the rows.

import type { Brought, Domain, Operation } from "../store/domain.ts";
import type { QueuedChange } from "../store/queue/change.ts";
import type { DiscussMessage, Reminder } from "../store/rows.ts";
import type { Index } from "../store/sorted-index.ts";

/** Sorts messages by sequence; unsent ones come last. */
export const inTurn: Index<DiscussMessage> = {
  groups: () => ["all"],
  compare: (one, other) => one.sequence - other.sequence || (one.created_at < other.created_at ? -1 : 1),
};
/** Open reminders, the earliest first. */
export const byTime: Index<Reminder> = {
  groups: ({ state }) => (state === "scheduled" || state === "delivered" ? ["open"] : []),
  compare: (one, other) => (one.due_at < other.due_at ? -1 : one.due_at > other.due_at ? 1 : 0),
};
/** Every turn names this id, so that the queue sends turns one after another. */
export const CONVERSATION = "conversation";

type Applied = Pick<QueuedChange, "input" | "guess" | "creates" | "madeAt">;
const fresh = ({ creates, madeAt }: Applied) => {
  const now = new Date(madeAt).toISOString();
  return { id: creates as string, revision: "0", created_at: now, updated_at: now };
};
function say(row: DiscussMessage | undefined, change: Applied, id: string): DiscussMessage | undefined {
  if (id !== change.creates) return row;
  return {
    ...fresh(change),
    sequence: Number.MAX_SAFE_INTEGER,
    turn_id: id,
    role: "user",
    content: String(change.input.content),
    parts: [],
    run_id: null,
    generation_error: null,
    file_ids: (change.input.file_ids ?? []) as string[],
  };
}
const stop = (row: DiscussMessage | undefined): DiscussMessage | undefined =>
  row && (row.generation_state === "queued" || row.generation_state === "running")
    ? { ...row, generation_state: "cancel_requested" }
    : row;

function remind(_row: Reminder | undefined, change: Applied): Reminder {
  const { text, due_at } = change.input as { text: string; due_at: string };
  return { ...fresh(change), text, due_at, target: null, state: "scheduled", delivered_at: null };
}
const STATES = { complete: "completed", cancel: "cancelled", snooze: "scheduled" } as const;
function decide(row: Reminder | undefined, { input }: Applied): Reminder | undefined {
  const { action, snooze_until } = input as { action: keyof typeof STATES; snooze_until?: string };
  return row && { ...row, state: STATES[action], due_at: snooze_until ?? row.due_at };
}

const own = (operation: object): Operation<never> => ({ final: true, ...operation }) as unknown as Operation<never>;
const quiet = () => true;
export const discussDomain: Domain = {
  operations: {
    createDiscussTurn: own({
      kind: "discuss_message",
      apply: say,
      unmatched: true,
      quiet,
      took: async ({ user_message, assistant_message }: Record<string, DiscussMessage>) =>
        ({ discuss_message: [user_message, assistant_message] }) as Brought,
    }),
    cancelDiscussMessage: own({ kind: "discuss_message", apply: stop, unmatched: true, quiet }),
    createReminder: own({ kind: "reminder", apply: remind, unmatched: true }),
    updateReminder: own({ kind: "reminder", apply: decide }),
  },
};
