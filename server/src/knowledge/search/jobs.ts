// Updates the search index from events, soon after each commit, so that a search reads few rows from the Tasks
// themselves. Deletes unused words, some every hour.

import { type Background, BEGINNING, type FollowerPosition, inPages } from "../../platform/background/jobs.ts";
import type { Database } from "../../platform/database/db.ts";

type Writer = Pick<Database, "writer">;

/** About 50 ms of database work; more would delay concurrent requests noticeably. */
const EVENTS_AT_ONCE = 50;
const WORDS_AT_ONCE = 1_000;
/** Number of words per sweep, which runs every hour. */
const MOST_SWEPT = 50_000;

/** Runs one statement in a short transaction. */
const turn = <R>({ writer }: Writer, sql: string, values: unknown[]) =>
  writer.use(async (tx) => {
    const begun = [tx.begin(), tx.atLength()];
    const [result] = await Promise.all([tx.one<R>(sql, values), ...begun]);
    await tx.commit();
    return result;
  });

const INDEX = "select after::text, settled::text, more from index_search($1, $2, $3)";
/** Indexes everything that has changed. */
export async function indexSearch(database: Writer): Promise<void> {
  let position = BEGINNING;
  await inPages(async () => {
    const values = [EVENTS_AT_ONCE, position.after, position.settled];
    const { more, ...next } = await turn<FollowerPosition & { more: boolean }>(database, INDEX, values);
    position = next;
    return more;
  });
}

const SWEEP = "select sweep_search_words($1) as count";
/** Continues after the last word of the previous sweep, and restarts after the last word of all. */
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
