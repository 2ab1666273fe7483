// While a backup runs, no stored object is deleted that its snapshot may name. Jobs that delete objects share an
// advisory lock that a backup takes exclusively, and are postponed by a minute if it is taken. PostgreSQL releases the
// lock with the connection that holds it.
import type { Task } from "graphile-worker";

const LOCK = "hashtext('objects that a backup reads')";
export const HOLD_OBJECTS = `select pg_advisory_lock(${LOCK})`;
const SHARE = `select pg_try_advisory_lock_shared(${LOCK}) as mine`;
const LEAVE = `select pg_advisory_unlock_shared(${LOCK})`;
const AGAIN_MS = 60_000;

/** Wraps a job so that it is enqueued again for later while a backup runs. */
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
