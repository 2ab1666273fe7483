// One change that a person made: what is sent, under which key, building on which revision, and what they saw before. It is written down
// before it is sent, so that it survives whatever happens to the tab. Everything here is pure.
import type { Kind } from "./rows.ts";

export interface Change {
  /** Its Idempotency-Key, and its name in the queue. */
  key: string;
  /** Earlier changes come first. */
  order: number;
  /** The operationId; `input` has the fields of its path, query and body. */
  operation: string;
  input: Readonly<Record<string, unknown>>;
  kind: Kind;
  /** The objects that it changes: they are sent to in order. */
  ids: readonly string[];
  /** The same in all that were made as one: they are sent one after the other, told as one, and taken back as one. */
  batch?: string;
  /** The provisional id of what it creates. */
  creates: string | null;
  /** The revision that the person saw, by object: sent as If-Match where there is one object. */
  at: Readonly<Record<string, string>>;
  /** By object, what the changed fields were: shown beside what others made of them, and put back by Undo. */
  saw: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** What is shown until the answer comes and is not sent, such as the place of a card. */
  guess: Readonly<Record<string, unknown>>;
  madeAt: number;
  /** When it was first handed to the network: from then on it may have happened. */
  sentAt: number | null;
  /** waiting: to be sent. old: nobody knows what became of it. conflict: somebody else has changed the same. */
  state: "waiting" | "old" | "conflict";
  /** With `conflict`: as it is now, and which fields differ. */
  theirs?: { row: Readonly<Record<string, unknown>>; fields: readonly string[] };
}

export const PROVISIONAL = "new-";
export const isProvisional = (id: string) => id.startsWith(PROVISIONAL);
/** For so long the service knows a key. */
export const KEY_KEPT_MS = 24 * 60 * 60 * 1000;

export const inOrder = (one: Change, other: Change) => one.order - other.order || (one.key < other.key ? -1 : 1);

/** The objects that it changes, and those that it names and that are not made yet. */
function touches(change: Change): Set<string> {
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

/** Which can be sent now: the oldest of each object and of what was made as one, while those of `busy` are under way, and no more than there is room for. */
export function sendable(queue: readonly Change[], busy: ReadonlySet<string>, room: number): Change[] {
  const taken = new Set<string>();
  const found: Change[] = [];
  for (const change of queue) {
    const objects = touches(change);
    if (change.batch && change.state === "waiting") objects.add(change.batch);
    const free = change.state === "waiting" && !busy.has(change.key) && objects.isDisjointFrom(taken);
    if (free && found.length < room) found.push(change);
    for (const id of objects) taken.add(id);
  }
  return found;
}

/** Of unknown outcome and older than the kept keys: sending it again could do it twice. */
export const isTooOld = ({ sentAt, state }: Change, now: number) =>
  state === "waiting" && sentAt !== null && now - sentAt >= KEY_KEPT_MS;

/** After its own answer: later changes of the same object, that were made on the same revision, build on the answer's. */
export function advanced(change: Change, id: string, from: string | undefined, to: string): Change {
  return from !== undefined && change.at[id] === from ? { ...change, at: { ...change.at, [id]: to } } : change;
}

/** What named the provisional object names the real one. */
export function renamed(change: Change, from: string, to: string, revision: string | undefined): Change {
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
  return { ...change, ids, input: put(change.input) as Change["input"], at, saw: under(change.saw) };
}

/** What depends on a change that came to nothing: everything that is about what it should have made. */
export function dependents(queue: readonly Change[], { key, creates }: Change): Change[] {
  return creates === null ? [] : queue.filter((change) => change.key !== key && touches(change).has(creates));
}
