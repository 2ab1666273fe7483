// The journal: the domain events in commit-visibility order, and the position of a reader in it. A position is at most
// the oldest running transaction, so that no event ever becomes visible behind it; a reader may get an event twice and
// never misses one (decision 0123). A place carries a proof of what its reader has seen, so that a failover that lost
// part of it is detected (decision 0214).
import type { CursorSigner } from "../wire/cursor.ts";
import { NIL } from "../wire/ids.ts";
import type { Pool, Queries } from "./db.ts";

export interface JournalPosition {
  /** Identifies the journal: a restore starts another one, a promotion continues the same one. */
  epoch: string;
  /** The first transaction that may not have ended, as a decimal number. */
  position: string;
  /** Time at which the place was read, by the database's clock. */
  at: string;
  /** Proof of what the reader has seen; the database verifies it after a failover (decision 0214). */
  proof: string;
  /** Token of the last change that a reader of Discuss has seen. */
  token?: string | null;
}

/**
 * Position of the oldest transaction that the snapshot sees running, with its proof for the Workspace $1 or that of the
 * connection.
 */
const PLACE = `
select journal_epoch() as epoch, p.position::text as position, clock_timestamp()::text as at,
  journal_proof(case when $1::uuid is not null then $1::uuid
    when current_workspace() is not null then current_workspace() else '${NIL}' end, p.position) as proof
from (select pg_snapshot_xmin(pg_current_snapshot()) as position) p`;
/** Place of this transaction's snapshot in the journal of a Workspace. */
export const placeOf = (tx: Queries, journalId: string | null = null) => tx.one<JournalPosition>(PLACE, [journalId]);

const PROOF = "select journal_proof($1, $2::xid8) as proof";
export const proofOf = async (tx: Queries, journalId: string, position: string) =>
  (await tx.one<{ proof: string }>(PROOF, [journalId, position])).proof;

const UNPROVED = "select p.proof from unnest($1::text[]) p(proof) where not journal_proves(p.proof)";
/**
 * Subset of the proofs that this database does not confirm: it lacks changes that their readers have seen, or has
 * changes that they have not.
 */
export const unprovedOf = async (tx: Queries, proofs: readonly string[]) =>
  new Set((await tx.rows<{ proof: string }>(UNPROVED, [proofs])).map(({ proof }) => proof));

/** Timeline of the database cluster on which a place was read. */
export const timelineOf = ({ proof }: Pick<JournalPosition, "proof">) => proof.slice(0, proof.indexOf("."));

const MARK = `
insert into journal_marks select where not exists (
  select from (select m.marked_at from journal_marks m order by m.position desc, m.id limit 1) last
  where last.marked_at > clock_timestamp() - interval '2 seconds')
returning id`;
/**
 * Adds a mark, which shortens proofs: their digest begins at the last mark. All processes share the marks. Resolves to
 * false if the last mark is less than two seconds old.
 */
export const markJournal = async (writer: Pool): Promise<boolean> =>
  (await writer.use((tx) => tx.rows(MARK))).length > 0;

/** Scopes that belong to an account and not to a Workspace. */
const OF_ACCOUNT = new Set(["account", "account_security"]);
/** Id of the Workspace whose journal a scope reads; events of accounts are in that of the nil Workspace. */
export const journalOf = ({ scope, workspaceId }: Pick<CursorBinding, "scope" | "workspaceId">) =>
  OF_ACCOUNT.has(scope) ? NIL : (workspaceId ?? NIL);

/** Binding of a journal cursor: its user, holder and scope. */
export interface CursorBinding {
  workspaceId: string | null;
  userId: string;
  /** Id of the session, or of the grant that a token was issued under. */
  holderId: string;
  scope: string;
  resourceId: string | null;
}
const bindingOf = ({ workspaceId, holderId, scope, resourceId }: CursorBinding) =>
  JSON.stringify(["journal", workspaceId, holderId, scope, resourceId]);

export const sealPlace = (
  cursors: CursorSigner,
  bound: CursorBinding,
  { epoch, position, at, proof, token }: JournalPosition,
): string => cursors.seal(JSON.stringify([epoch, position, at, proof, token ?? null]), bound.userId, bindingOf(bound));

/** Null if the cursor was changed, or issued for another user or scope. */
export function openPlace(cursors: CursorSigner, bound: CursorBinding, cursor: string): JournalPosition | null {
  try {
    const { caller, after } = cursors.open(cursor, bindingOf(bound));
    const [epoch, position, at, proof = "", token = null] = after as [
      string,
      string,
      string,
      string?,
      (string | null)?,
    ];
    return caller === bound.userId ? { epoch, position, at, proof, token } : null;
  } catch {
    return null;
  }
}

/** Reason why a reader cannot continue from a place. */
export type Reset = "epoch_changed" | "expired";

/** Maximum age of an accepted place. Events are stored for 90 days at least. */
export const REACH_HOURS = 72;
const RESET = `
select case
  when $1 <> journal_epoch() then 'epoch_changed'
  when $2::timestamptz < now() - interval '${REACH_HOURS} hours' then 'expired'
  when not journal_proves($3) then 'epoch_changed'
  when $4 and $5 <> journal_timeline() and not journal_marked_since($5, $2::timestamptz) then 'epoch_changed'
end as reset`;
/**
 * Null if this database has everything that the place has seen, so that its reader can continue. `unproved`: the reader
 * has seen more than the proof covers, so after a promotion a later mark must exist.
 */
export const resetOf = async (tx: Queries, place: JournalPosition, unproved = false): Promise<Reset | null> =>
  (await tx.one<{ reset: Reset | null }>(RESET, [place.epoch, place.at, place.proof, unproved, timelineOf(place)]))
    .reset;

export interface JournalChange {
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
/** One page of the changes between two positions, in order, after the last known change. */
export const changesBetween = (tx: Queries, after: { tx: string; id: string }, to: string, limit: number) =>
  tx.rows<JournalChange>(CHANGES, [after.tx, after.id, to, limit]);

const OLDEST = `
select pg_snapshot_xmin(s)::text as oldest, pg_snapshot_xmin(s) < pg_snapshot_xmax(s) as running
from pg_current_snapshot() s`;
/**
 * Lower bound, in seconds, of how long an open transaction has held the journal back, in any program or database of the
 * cluster. Measured by repeated calls, because the transaction's owner may be hidden from our role.
 */
export function heldBack(reader: Pool, now = () => performance.now()): () => Promise<number> {
  let known = { oldest: "", since: 0 };
  return async () => {
    const { oldest, running } = await reader.use((tx) => tx.one<{ oldest: string; running: boolean }>(OLDEST));
    if (!running || oldest !== known.oldest) known = { oldest: running ? oldest : "", since: now() };
    return (now() - known.since) / 1000;
  };
}
