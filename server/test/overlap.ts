// Makes requests truly overlap: a statement of the test holds a row, the requests pile up behind it, and only then it
// is let go.
import { NIL } from "../src/platform/wire/ids.ts";
import type { TestService } from "./world.ts";

const WAITING = `
select count(distinct l.pid)::int as count from pg_locks l join pg_stat_activity a using (pid)
where not l.granted and a.datname = current_database()`;

/** Whether this transaction has changed or locked a row. */
const HOLDS = "select pg_current_xact_id_if_assigned() is not null as holds";

/** How many connections wait for a lock. */
export const waitingIn = async (running: TestService) =>
  // Asked outside of any transaction, which would see the connections of its first look for ever.
  (await running.database.reader.use((free) => free.one<{ count: number }>(WAITING))).count;

/**
 * Runs `hold` in a transaction, of a Workspace where it names one's rows, starts `work`, commits when `waiting`
 * connections wait for it, and gives what `work` gives.
 */
export function overlapping<T>(
  running: TestService,
  [hold, ...values]: [string, ...unknown[]],
  waiting: number,
  work: () => Promise<T>,
  workspaceId: string = NIL,
): Promise<T> {
  return running.database.writer.use(async (tx) => {
    await tx.begin();
    await tx.rows("select set_config('svc.workspace', $1, true)", [workspaceId]);
    await tx.rows(hold, values);
    // Row-level security hides the rows of other Workspaces from it.
    if (!(await tx.one<{ holds: boolean }>(HOLDS)).holds) throw new Error(`nothing is held by: ${hold}`);
    let settled = false;
    const result = work().finally(() => {
      settled = true;
    });
    while (!settled && (await waitingIn(running)) < waiting);
    await tx.commit();
    return result;
  });
}
