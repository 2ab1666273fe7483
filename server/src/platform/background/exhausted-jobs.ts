// Jobs that failed at every attempt. They stay in the queue until an operator retries them or 90 days have passed; a
// metric counts them and `npm run jobs` lists them. Payloads are never shown, because they may be confidential.
import type pg from "pg";

type Client = Pick<pg.ClientBase, "query">;

/** Replaced jobs are excluded: their attempts were used up so that nothing runs them again. */
const EXHAUSTED = "attempts >= max_attempts and locked_at is null and flags->'replaced' is null";
const SHOWN = 200;

export interface ExhaustedJob {
  id: string;
  name: string;
  attempts: number;
  failed_at: Date;
  last_error: string | null;
}

/** Lists the jobs that failed most recently. */
export const listExhausted = async (client: Client): Promise<ExhaustedJob[]> =>
  (
    await client.query(`
select id, task_identifier as name, attempts, updated_at as failed_at, last_error from graphile_worker.jobs
where ${EXHAUSTED} order by updated_at desc limit ${SHOWN}`)
  ).rows;

export const countExhausted = async (client: Client): Promise<number> =>
  (await client.query(`select count(*)::int as count from graphile_worker._private_jobs where ${EXHAUSTED}`)).rows[0]
    .count;

/** Resets the attempts of one exhausted job, or of all; resolves to the number of jobs. */
export const retryExhausted = async (client: Client, id: string | null): Promise<number> =>
  (
    await client.query(
      `
select from graphile_worker.reschedule_jobs(array(
  select id from graphile_worker._private_jobs where ${EXHAUSTED} and ($1::bigint is null or id = $1)), run_at => now(),
    attempts => 0)`,
      [id],
    )
  ).rowCount ?? 0;

/** Deletes exhausted jobs after 90 days, and replaced jobs as soon as no worker runs them. */
export const SWEEP_EXHAUSTED = `
delete from graphile_worker._private_jobs
where ${EXHAUSTED} and updated_at < now() - interval '90 days' or locked_at is null and flags->'replaced' is not null`;
