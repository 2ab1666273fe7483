// While a backup reads, no object is deleted that its snapshot may name: jobs that delete stored objects share a lock that a backup has alone, and wait
// for a minute where it is taken. The lock ends with the connection that holds it, however that ends.
import type { Task } from "graphile-worker";

const LOCK = "hashtext('objects that a backup reads')";
export const HOLD_OBJECTS = `select pg_advisory_lock(${LOCK})`;
const SHARE = `select pg_try_advisory_lock_shared(${LOCK}) as mine`;
const LEAVE = `select pg_advisory_unlock_shared(${LOCK})`;
const AGAIN_MS = 60_000;

/** The same job, later where a backup is under way. */
export const unlessHeld =
  (name: string, work: Task): Task =>
  (payload, helpers) =>
    helpers.withPgClient(async (client) => {
      if (!(await client.query<{ mine: boolean }>(SHARE)).rows[0]?.mine)
        return void (await helpers.addJob(name, payload, { runAt: new Date(Date.now() + AGAIN_MS) }));
      try {
        await work(payload, helpers);
      } finally {
        await client.query(LEAVE);
      }
    });
