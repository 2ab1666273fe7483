// Keeps the index of search from the events: every ten seconds, so that what a search must read from the Tasks themselves stays little. And
// forgets the words that nothing has any more, some every hour.
import type { Database } from "../kernel/db.ts";
import type { Jobs } from "../kernel/jobs.ts";

type Writer = Pick<Database, "writer">;

const AT_ONCE = 1_000;
const EVERY_SECONDS = 10;
/** The schedule knows minutes only: the run at each minute asks for those within it. */
const AGAIN = `select enqueue_job('index_search', '{}', now() + make_interval(secs => ${EVERY_SECONDS} * n)) from generate_series(1, ${60 / EVERY_SECONDS - 1}) n`;
/** Words in one sweep, of which there is one every hour. */
const MOST_SWEPT = 50_000;

/** One short transaction; how much it has looked at. */
const turn = ({ writer }: Writer, step: "index_search" | "sweep_search_words") =>
  writer.use(async (tx) => {
    const begun = [tx.begin(), tx.rows("select set_config('statement_timeout', '60s', true)")];
    const sql = `select ${step}($1) as count`;
    const [{ count }] = await Promise.all([tx.one<{ count: number }>(sql, [AT_ONCE]), ...begun]);
    await tx.commit();
    return count;
  });

/** Reads everything that has changed. */
export async function indexSearch(database: Writer): Promise<void> {
  while ((await turn(database, "index_search")) >= AT_ONCE);
}

/** Goes on behind the words of the last sweep; behind the last of all, the next begins anew. */
export async function sweepSearchWords(database: Writer): Promise<void> {
  for (let swept = 0; swept < MOST_SWEPT; swept += AT_ONCE)
    if ((await turn(database, "sweep_search_words")) < AT_ONCE) return;
}

export const searchJobs = (database: Writer): Jobs => ({
  async index_search(payload) {
    if ((payload as { _cron?: unknown })._cron) await database.writer.use((tx) => tx.rows(AGAIN));
    await indexSearch(database);
  },
  sweep_search_words: () => sweepSearchWords(database),
});
