// What every call can be given, how a list is answered, and what is known of an operation at run time.

export interface CallOptions {
  /** Repeated with the same key, a write has one effect. Without it the client makes one for each call. */
  key?: string;
  /** What the change builds on: an answer of this client, or anything with a revision. Sent as If-Match. */
  at?: { revision?: string | number } | string;
  signal?: AbortSignal;
}

export interface Page<Item> {
  items: Item[];
  next_cursor: string | null;
  has_more: boolean;
}
/** Awaited it is the first page; looped over with `for await` it is every item of every page. */
export interface Pages<Item> extends PromiseLike<Page<Item> & Record<string, unknown>>, AsyncIterable<Item> {}

/** Method, path from the root, names of the fields that go into the query, and flags. */
export type Route = readonly [method: string, path: string, query: string, flags: string];
