// The journal: the domain events in the order in which they became visible, and the position of a reader in it. A position is at most the oldest running
// transaction, so that no event ever becomes visible behind it; a reader may get an event twice and never misses one. Decision 0123. A place carries a
// proof of what its reader has seen, so that a failover that lost some of it is detected. Decision 0214.
import type { CursorSigner } from "../wire/cursor.ts";
import { NIL } from "../wire/ids.ts";
import type { Pool, Queries } from "./db.ts";

export interface Place {
  /** Which journal: another after a restore. A promotion continues the journal. */
  epoch: string;
  /** The first transaction that may not have ended, as a decimal number. */
  position: string;
  /** When, by the database's clock. */
  at: string;
  /** Proof of what the reader has seen, which the database checks after a failover. Decision 0214. */
  proof: string;
  /** Token of the last change that a reader of Discuss has seen. */
  token?: string | null;
}

/** Position of the oldest transaction that the snapshot sees running, with its proof for the Workspace $1 or that of the connection. */
const PLACE = `
select journal_epoch() as epoch, p.position::text as position, clock_timestamp()::text as at,
  journal_proof(case when $1::uuid is not null then $1::uuid when current_workspace() is not null then current_workspace() else '${NIL}' end, p.position) as proof
from (select pg_snapshot_xmin(pg_current_snapshot()) as position) p`;
/** Where the snapshot of this transaction stands, in the journal of a Workspace. */
export const placeOf = (tx: Queries, journalId: string | null = null) => tx.one<Place>(PLACE, [journalId]);

const PROOF = "select journal_proof($1, $2::xid8) as proof";
export const proofOf = async (tx: Queries, journalId: string, position: string) =>
  (await tx.one<{ proof: string }>(PROOF, [journalId, position])).proof;

const UNPROVED = "select p.proof from unnest($1::text[]) p(proof) where not journal_proves(p.proof)";
/** Proofs that this database does not confirm: their readers have seen what it does not have, or it has what they have not seen. */
export const unprovedOf = async (tx: Queries, proofs: readonly string[]) =>
  new Set((await tx.rows<{ proof: string }>(UNPROVED, [proofs])).map(({ proof }) => proof));

/** Timeline of the database cluster that a place was read on. */
export const timelineOf = ({ proof }: Pick<Place, "proof">) => proof.slice(0, proof.indexOf("."));

const MARK = `
insert into journal_marks select where not exists (
  select from (select m.marked_at from journal_marks m order by m.position desc, m.id limit 1) last where last.marked_at > clock_timestamp() - interval '2 seconds')
returning id`;
/** Proofs get shorter: their digest begins at the last mark. All processes share the marks. Resolves to false if the last mark is too young for another one. */
export const markJournal = async (writer: Pool): Promise<boolean> =>
  (await writer.use((tx) => tx.rows(MARK))).length > 0;

/** Scopes that follow an account and not a Workspace. */
const OF_ACCOUNT = new Set(["account", "account_security"]);
/** The Workspace whose journal a scope reads; the nil Workspace has the accounts. */
export const journalOf = ({ scope, workspaceId }: Pick<Bound, "scope" | "workspaceId">) =>
  OF_ACCOUNT.has(scope) ? NIL : (workspaceId ?? NIL);

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

export const sealPlace = (cursors: CursorSigner, bound: Bound, { epoch, position, at, proof, token }: Place): string =>
  cursors.seal(JSON.stringify([epoch, position, at, proof, token ?? null]), bound.userId, bindingOf(bound));

/** Null where it was changed, or made for somebody or something else. */
export function openPlace(cursors: CursorSigner, bound: Bound, cursor: string): Place | null {
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

/** Why a reader cannot continue from a place. */
export type Reset = "epoch_changed" | "expired";

/** Age up to which a place is accepted. Events are stored for 90 days at least. */
export const REACH_HOURS = 72;
const RESET = `
select case
  when $1 <> journal_epoch() then 'epoch_changed'
  when $2::timestamptz < now() - interval '${REACH_HOURS} hours' then 'expired'
  when not journal_proves($3) then 'epoch_changed'
  when $4 and $5 <> journal_timeline() and not journal_marked_since($5, $2::timestamptz) then 'epoch_changed'
end as reset`;
/**
 * Null if this database has everything that the place has seen, so that its reader can continue. `unproved`: the reader has seen more than the proof
 * covers, so after a promotion a later mark has to be there.
 */
export const resetOf = async (tx: Queries, place: Place, unproved = false): Promise<Reset | null> =>
  (await tx.one<{ reset: Reset | null }>(RESET, [place.epoch, place.at, place.proof, unproved, timelineOf(place)]))
    .reset;

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
