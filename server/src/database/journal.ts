// The journal: the domain events in the order in which they became visible, and where in it a read stands. A place is below the oldest transaction
// that still runs, so that no event ever becomes visible behind it; what a read has already seen above it is told again. Changes are hints to
// read again: twice is right, never is not. Decision 0123.
import type { CursorSigner } from "../wire/cursor.ts";
import type { Pool, Queries } from "./db.ts";

export interface Place {
  /** Which journal: another after a restore. */
  epoch: string;
  /** The first transaction that may not have ended, as a decimal number. */
  position: string;
  /** When, by the database's clock. */
  at: string;
}

const PLACE =
  "select journal_epoch() as epoch, pg_snapshot_xmin(pg_current_snapshot())::text as position, clock_timestamp()::text as at";
/** Where the snapshot of this transaction stands. */
export const placeOf = (tx: Queries) => tx.one<Place>(PLACE);

/** For whom a cursor of the journal is good, and for what. */
export interface Bound {
  workspaceId: string | null;
  userId: string;
  /** The session, or the grant that a token was given under. */
  holderId: string;
  scope: string;
  resourceId: string | null;
}
const bindingOf = ({ workspaceId, holderId, scope, resourceId }: Bound) =>
  JSON.stringify(["journal", workspaceId, holderId, scope, resourceId]);

export const sealPlace = (cursors: CursorSigner, bound: Bound, { epoch, position, at }: Place): string =>
  cursors.seal(JSON.stringify([epoch, position, at]), bound.userId, bindingOf(bound));

/** Null where it was changed, or made for somebody or something else. */
export function openPlace(cursors: CursorSigner, bound: Bound, cursor: string): Place | null {
  try {
    const { caller, after } = cursors.open(cursor, bindingOf(bound));
    const [epoch, position, at] = after as [string, string, string];
    return caller === bound.userId ? { epoch, position, at } : null;
  } catch {
    return null;
  }
}

/** Why one cannot go on from a place. */
export type Reset = "epoch_changed" | "expired";

/** So far back a place is good. Events are kept for 90 days at least. */
export const REACH_HOURS = 72;
// A cluster that was wound back to an older state of its files gives out numbers again that it has given out before. Then the event before the place
// came later than the place itself.
const RESET = `
select case
  when $1 <> journal_epoch() or $2::xid8 > pg_snapshot_xmax(pg_current_snapshot()) or (
    select e.occurred_at from domain_events e where e.workspace_id = current_workspace() and e.tx < $2::xid8 order by e.tx desc, e.id desc limit 1
  ) > $3::timestamptz then 'epoch_changed'
  when $3::timestamptz < now() - interval '${REACH_HOURS} hours' then 'expired'
end as reset`;
/** Null where what came since is all there, and can be told. */
export const resetOf = async (tx: Queries, { epoch, position, at }: Place): Promise<Reset | null> =>
  (await tx.one<{ reset: Reset | null }>(RESET, [epoch, position, at])).reset;

export interface Change {
  tx: string;
  id: string;
  type: string;
  resource_kind: string;
  resource_id: string;
  project_id: string | null;
  task_id: string | null;
}
const CHANGES = `
select e.tx::text as tx, e.id, e.type, e.resource_kind, e.resource_id, e.project_id, e.task_id from domain_events e
where e.workspace_id = current_workspace() and (e.tx, e.id) > ($1::xid8, $2::uuid) and e.tx < $3::xid8
order by e.tx, e.id limit $4`;
/** What came from one position to another, in order: a page of it, behind the last that is known. */
export const changesBetween = (tx: Queries, after: { tx: string; id: string }, to: string, limit: number) =>
  tx.rows<Change>(CHANGES, [after.tx, after.id, to, limit]);

const OLDEST = `
select pg_snapshot_xmin(s)::text as oldest, pg_snapshot_xmin(s) < pg_snapshot_xmax(s) as running from pg_current_snapshot() s`;
/**
 * For how many seconds at least the journal has stood still because a transaction is open, of whichever program and database of the cluster: known from
 * looking again and again, because who runs it may be hidden from us.
 */
export function heldBack(reader: Pool, now = () => performance.now()): () => Promise<number> {
  let known = { oldest: "", since: 0 };
  return async () => {
    const { oldest, running } = await reader.use((tx) => tx.one<{ oldest: string; running: boolean }>(OLDEST));
    if (!running || oldest !== known.oldest) known = { oldest: running ? oldest : "", since: now() };
    return (now() - known.since) / 1000;
  };
}
