// A list as a promise and an async iterable: awaiting it reads the first page, iterating over it reads one page at a
// time on demand.
import type { CallOptions, Page, Pages } from "./shapes.ts";

type Input = Record<string, unknown>;
type Run = (input: Input, options: CallOptions) => Promise<unknown>;

export function pages(run: Run, input: Input = {}, options: CallOptions = {}): Pages<unknown> {
  const page = (cursor?: string) =>
    run(cursor === undefined ? input : { ...input, cursor }, options) as Promise<Page<unknown>>;
  let first: Promise<Page<unknown>> | undefined;
  return {
    // biome-ignore lint/suspicious/noThenProperty: it is awaited for its first page.
    then(resolved, rejected) {
      first ??= page();
      return (first as Promise<Page<unknown> & Record<string, unknown>>).then(resolved, rejected);
    },
    async *[Symbol.asyncIterator]() {
      let at = await page();
      for (;;) {
        yield* at.items;
        if (at.next_cursor === null) return;
        at = await page(at.next_cursor);
      }
    },
  };
}
