// One change by a person: request, idempotency key, base revision, and the previous field values. It is persisted
// before it is sent, so that it survives the end of the tab. All functions are pure.
import type { RowKind } from "../rows.ts";

export interface QueuedChange {
  /** Idempotency-Key, and id in the queue. */
  key: string;
  /** Position in the queue; lower values are sent first. */
  order: number;
  /** operationId. `input` holds the fields of path, query and body. */
  operation: string;
  input: Readonly<Record<string, unknown>>;
  kind: RowKind;
  /** Ids of the changed rows. Changes of the same row are sent in order. */
  ids: readonly string[];
  /** Common key of changes made as one: they are sent one after another, reported once and undone together. */
  batch?: string;
  /** Provisional id of the created row. */
  creates: string | null;
  /** Base revision by row, sent as If-Match if there is one row. */
  at: Readonly<Record<string, string>>;
  /** Previous values of the changed fields by row: displayed in a conflict, and restored by Undo. */
  saw: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Optimistic values that are displayed until the response arrives and never sent, such as the position of a card. */
  guess: Readonly<Record<string, unknown>>;
  madeAt: number;
  /** Time of the first attempt: from then on the service may have applied the change. */
  sentAt: number | null;
  /** waiting: to be sent. old: outcome unknown, too old to retry. conflict: somebody else changed the same fields. */
  state: "waiting" | "old" | "conflict";
  /** In a conflict: the current server row and the conflicting fields. */
  theirs?: { row: Readonly<Record<string, unknown>>; fields: readonly string[] };
}

export const PROVISIONAL = "new-";
export const isProvisional = (id: string) => id.startsWith(PROVISIONAL);
/** Time for which the service remembers an idempotency key. */
export const KEY_KEPT_MS = 24 * 60 * 60 * 1000;

export const inOrder = (one: QueuedChange, other: QueuedChange) =>
  one.order - other.order || (one.key < other.key ? -1 : 1);

/** Ids of the rows that a change modifies, and provisional ids that its input refers to. */
function touches(change: QueuedChange): Set<string> {
  const found = new Set(change.ids);
  if (change.creates) found.add(change.creates);
  const look = (value: unknown): void => {
    if (typeof value === "string" && isProvisional(value)) found.add(value);
    else if (Array.isArray(value)) value.forEach(look);
    else if (value !== null && typeof value === "object") Object.values(value).forEach(look);
  };
  look(change.input);
  return found;
}

/**
 * Changes that can be sent now, at most `room`: the oldest one of each row and of each batch, unless it is in flight
 * (`busy`).
 */
export function sendable(queue: readonly QueuedChange[], busy: ReadonlySet<string>, room: number): QueuedChange[] {
  const taken = new Set<string>();
  const found: QueuedChange[] = [];
  for (const change of queue) {
    const objects = touches(change);
    if (change.batch && change.state === "waiting") objects.add(change.batch);
    const free = change.state === "waiting" && !busy.has(change.key) && objects.isDisjointFrom(taken);
    if (free && found.length < room) found.push(change);
    for (const id of objects) taken.add(id);
  }
  return found;
}

/** True if the outcome is unknown and the idempotency key has expired: a retry could apply the change twice. */
export const isTooOld = ({ sentAt, state }: QueuedChange, now: number) =>
  state === "waiting" && sentAt !== null && now - sentAt >= KEY_KEPT_MS;

/**
 * Rebases a later change after a response: if it was made on the same revision, it now builds on that of the response.
 */
export function advanced(change: QueuedChange, id: string, from: string | undefined, to: string): QueuedChange {
  return from !== undefined && change.at[id] === from ? { ...change, at: { ...change.at, [id]: to } } : change;
}

/** Replaces the provisional id by the server id. */
export function renamed(change: QueuedChange, from: string, to: string, revision: string | undefined): QueuedChange {
  if (!touches(change).has(from)) return change;
  const put = (value: unknown): unknown => {
    if (value === from) return to;
    if (Array.isArray(value)) return value.map(put);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, put(each)]));
  };
  const under = <T>(record: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(record).map(([id, value]) => [id === from ? to : id, value])) as Record<
      string,
      T
    >;
  const ids = change.ids.map((id) => (id === from ? to : id));
  const at = under(change.at);
  if (ids.includes(to) && revision !== undefined) at[to] ??= revision;
  return { ...change, ids, input: put(change.input) as QueuedChange["input"], at, saw: under(change.saw) };
}

/** Changes that depend on a failed creation: all that refer to the row it should have created. */
export function dependents(queue: readonly QueuedChange[], { key, creates }: QueuedChange): QueuedChange[] {
  return creates === null ? [] : queue.filter((change) => change.key !== key && touches(change).has(creates));
}
