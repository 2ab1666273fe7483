// Makes requests truly overlap: a statement of the test holds a row, the requests pile up behind it, and only then it is let go.
import type { TestService } from "./world.ts";

const WAITING = `
select count(distinct l.pid)::int as count from pg_locks l join pg_stat_activity a using (pid)
where not l.granted and a.datname = current_database()`;

/** Runs `hold` in a transaction, starts `work`, commits when `waiting` connections wait for it, and gives what `work` gives. */
export function overlapping<T>(
  running: TestService,
  [hold, ...values]: [string, ...unknown[]],
  waiting: number,
  work: () => Promise<T>,
): Promise<T> {
  return running.database.writer.use(async (tx) => {
    await tx.begin();
    await tx.rows(hold, values);
    let settled = false;
    const result = work().finally(() => {
      settled = true;
    });
    // Asked outside the transaction, which would see the connections of its first look for ever.
    const count = () => running.database.reader.use((free) => free.one<{ count: number }>(WAITING));
    while (!settled && (await count()).count < waiting);
    await tx.commit();
    return result;
  });
}
