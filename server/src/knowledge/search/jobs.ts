// Updates the search index from the events, soon after each commit, so that a search reads little from the Tasks themselves. Deletes unused words, some
// every hour.

import { type Background, BEGINNING, inPages, type Position } from "../../platform/background/jobs.ts";
import type { Database } from "../../platform/database/db.ts";

type Writer = Pick<Database, "writer">;

/** About 50 ms of work for the database, which whoever is being answered meanwhile would notice if it were more. */
const EVENTS_AT_ONCE = 50;
const WORDS_AT_ONCE = 1_000;
/** Words in one sweep, of which there is one every hour. */
const MOST_SWEPT = 50_000;

/** In one short transaction. */
const turn = <R>({ writer }: Writer, sql: string, values: unknown[]) =>
  writer.use(async (tx) => {
    const begun = [tx.begin(), tx.atLength()];
    const [result] = await Promise.all([tx.one<R>(sql, values), ...begun]);
    await tx.commit();
    return result;
  });

const INDEX = "select after::text, settled::text, more from index_search($1, $2, $3)";
/** Reads everything that has changed. */
export async function indexSearch(database: Writer): Promise<void> {
  let position = BEGINNING;
  await inPages(async () => {
    const values = [EVENTS_AT_ONCE, position.after, position.settled];
    const { more, ...next } = await turn<Position & { more: boolean }>(database, INDEX, values);
    position = next;
    return more;
  });
}

const SWEEP = "select sweep_search_words($1) as count";
/** Goes on behind the words of the last sweep; behind the last of all, the next begins anew. */
export async function sweepSearchWords(database: Writer): Promise<void> {
  let swept = 0;
  await inPages(async () => {
    const { count } = await turn<{ count: number }>(database, SWEEP, [WORDS_AT_ONCE]);
    swept += count;
    return count === WORDS_AT_ONCE && swept < MOST_SWEPT;
  });
}

export const background: Background = {
  follows: ({ database }) => ({ index_search: { run: () => indexSearch(database), gatherMs: 2000 } }),
  schedule: "31 * * * * sweep_search_words",
  jobs: ({ database }) => ({ sweep_search_words: () => sweepSearchWords(database) }),
};
