// Options of every call, the shape of a list, and an operation's runtime data.

export interface CallOptions {
  /** Idempotency key: calls with the same key have one effect. By default the client generates one per call. */
  key?: string;
  /** The state that the change is based on: an answer of this client, or anything with a revision. Sent as If-Match. */
  at?: { revision?: string | number } | string;
  signal?: AbortSignal;
}

export interface Page<Item> {
  items: Item[];
  next_cursor: string | null;
  has_more: boolean;
}
/** Awaited, it is the first page; iterated with `for await`, it is every item of every page. */
export interface Pages<Item> extends PromiseLike<Page<Item> & Record<string, unknown>>, AsyncIterable<Item> {}

/** Method, path from the root, names of the fields that go into the query, and flags. */
export type Route = readonly [method: string, path: string, query: string, flags: string];
