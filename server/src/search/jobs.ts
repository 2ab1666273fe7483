// Keeps the index of search from the events: every ten seconds, so that what a search must read from the Tasks themselves stays little.
import type { Database } from "../kernel/db.ts";
import type { Jobs } from "../kernel/jobs.ts";

const AT_ONCE = 1_000;
const EVERY_SECONDS = 10;
/** The schedule knows minutes only: the run at each minute asks for those within it. */
const AGAIN = `select enqueue_job('index_search', '{}', now() + make_interval(secs => ${EVERY_SECONDS} * n)) from generate_series(1, ${60 / EVERY_SECONDS - 1}) n`;

/** Reads everything that has changed, in short transactions. */
export async function indexSearch({ writer }: Pick<Database, "writer">): Promise<void> {
  for (let read = AT_ONCE; read >= AT_ONCE; )
    read = await writer.use(async (tx) => {
      await tx.begin();
      const timeout = tx.rows("select set_config('statement_timeout', '60s', true)");
      const [, { count }] = await Promise.all([
        timeout,
        tx.one<{ count: number }>("select index_search($1) as count", [AT_ONCE]),
      ]);
      await tx.commit();
      return count;
    });
}

export const searchJobs = (database: Pick<Database, "writer">): Jobs => ({
  async index_search(payload) {
    if ((payload as { _cron?: unknown })._cron) await database.writer.use((tx) => tx.rows(AGAIN));
    await indexSearch(database);
  },
});
