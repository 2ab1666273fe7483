// Gives jobs connections from a pool of their own. The library's pool is for its short statements, but a job may hold
// its connection for minutes.
import type { Task, TaskList } from "graphile-worker";
import type pg from "pg";

export function onPool(pool: pg.Pool, jobs: TaskList): TaskList {
  const query: pg.Pool["query"] = pool.query.bind(pool);
  async function withPgClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await pool.connect();
    try {
      return await work(client);
    } finally {
      client.release();
    }
  }
  return Object.fromEntries(
    Object.entries(jobs as Record<string, Task>).map(([name, work]): [string, Task] => [
      name,
      (payload, helpers) => work(payload, { ...helpers, withPgClient, query }),
    ]),
  );
}
