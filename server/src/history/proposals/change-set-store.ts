// SQL of ChangeSets. Only the initiator has access to one. Versions, decisions and applications are append-only.
import type { Queries } from "../../platform/database/db.ts";
import { type ChangeInput, MOST_VERSIONS, type Pin, type Rehearsal } from "./rules.ts";

export interface ChangeSetTarget {
  id: string;
  version: number;
  newest: number;
  initiator_actor_id: string;
  digest: string;
  title: string;
  reason: string | null;
  changes: ChangeInput[];
  outcomes: Rehearsal[];
  evidence: Pin[];
  refused: boolean;
  created_at: string;
  expires_at: string;
  expired: boolean;
  approved_at: string | null;
  rejected_at: string | null;
  applied_at: string | null;
  command_id: string | null;
}
const decided = (decision: string) => `(
  select wire_time(r.created_at) from change_set_reviews r
  where r.workspace_id = v.workspace_id and r.change_set_id = v.change_set_id and r.version = v.version
    and r.decision = '${decision}')`;
const select = (version: string) => `
select s.id, v.version, s.version as newest, s.initiator_actor_id, encode(v.digest, 'hex') as digest, v.title, v.reason,
  v.changes, v.outcomes, v.evidence,
  v.refused, wire_time(v.created_at) as created_at, wire_time(v.expires_at) as expires_at,
  v.expires_at <= now() as expired,
  ${decided("approve")} as approved_at, ${decided("reject")} as rejected_at, wire_time(a.created_at) as applied_at,
  a.command_id
from change_sets s join change_set_versions v on v.workspace_id = s.workspace_id and v.change_set_id = s.id
  and v.version = ${version}
left join change_set_applications a on a.workspace_id = v.workspace_id and a.change_set_id = v.change_set_id
  and a.version = v.version
where s.workspace_id = current_workspace() and s.id = $1 and s.initiator_actor_id = current_actor()`;
const NEWEST = select("s.version");
const AT = select("$2");
// Locks in a statement of its own, so that the next statement sees what the previous holder of the lock committed.
const HOLD = `select from change_sets s
    where s.workspace_id = current_workspace() and s.id = $1
      and s.initiator_actor_id = current_actor() for no key update`;

export const newestVersion = (tx: Queries, id: string) => tx.maybe<ChangeSetTarget>(NEWEST, [id]);
export const versionAt = (tx: Queries, id: string, version: number) => tx.maybe<ChangeSetTarget>(AT, [id, version]);
/** Loads the newest version under a lock, so that nobody else reviews, applies or replaces it. */
export const holdNewest = async (tx: Queries, id: string) =>
  (await Promise.all([tx.rows(HOLD, [id]), newestVersion(tx, id)]))[1];

export type ChangeSetListed = Omit<
  ChangeSetTarget,
  "digest" | "changes" | "outcomes" | "evidence" | "initiator_actor_id"
> & {
  count: number;
};
const LIST = `
select /* reads up to ${14 * MOST_VERSIONS}: those of a quarter of a year, of which some are open */ * from (
  select s.id, v.version, s.version as newest, v.title, v.reason, jsonb_array_length(v.changes) as count, v.refused,
    wire_time(v.created_at) as created_at, wire_time(v.expires_at) as expires_at, v.expires_at <= now() as expired,
    ${decided("approve")} as approved_at, ${decided("reject")} as rejected_at, wire_time(a.created_at) as applied_at,
    a.command_id
  from change_sets s cross join lateral (
    select * from change_set_versions v
    where v.workspace_id = s.workspace_id and v.change_set_id = s.id and v.version = s.version limit 1) v
  left join lateral (
    select * from change_set_applications a
    where a.workspace_id = v.workspace_id and a.change_set_id = v.change_set_id and a.version = v.version limit 1) a
      on true
  where s.workspace_id = current_workspace() and s.initiator_actor_id = current_actor() and s.id < $1
) x where $2::boolean is null or $2 = (x.applied_at is null and x.rejected_at is null and not x.expired)
order by x.id desc limit $3`;
/** Lists ChangeSets before this one: open ones, decided ones, or both. */
export const listNewest = (tx: Queries, before: string, open: boolean | null, limit: number) =>
  tx.rows<ChangeSetListed>(LIST, [before, open, limit]);

const FIRST = `insert into change_sets (workspace_id, id, initiator_actor_id, version)
    values (current_workspace(), $1, current_actor(), $2)`;
const NEXT = "update change_sets set version = $2 where workspace_id = current_workspace() and id = $1";
/** Number of days in which a version can be approved and applied. */
export const KEPT_DAYS = 7;
const KEEP = `
insert into change_set_versions (workspace_id, change_set_id, version, digest, title, reason, changes, outcomes,
  evidence, refused, expires_at)
values (current_workspace(), $1, $2, $3, $4, $5, $6::jsonb, $7::jsonb, $8::jsonb, $9,
  now() + interval '${KEPT_DAYS} days')`;
/** Stores a version of a new or locked ChangeSet. */
export function keepVersion(tx: Queries, set: ChangeSetTarget): Promise<unknown> {
  const { id, version, digest, title, reason, refused } = set;
  const json = [set.changes, set.outcomes, set.evidence].map((part) => JSON.stringify(part));
  return Promise.all([
    tx.rows(version === 1 ? FIRST : NEXT, [id, version]),
    tx.rows(KEEP, [id, version, Buffer.from(digest, "hex"), title, reason, ...json, refused]),
  ]);
}

const REVIEW = "select review_change_set($1, $2, $3, $4) as decided";
/** Returns whether the decision was stored; the SQL function checks who may decide. */
export const review = async (tx: Queries, id: string, version: number, digest: Buffer, decision: string) =>
  (await tx.one<{ decided: boolean | null }>(REVIEW, [id, version, digest, decision])).decided === true;

const APPLY = `insert into change_set_applications (workspace_id, change_set_id, version, digest, command_id)
    values (current_workspace(), $1, $2, $3, $4)`;
export const applied = (tx: Queries, id: string, version: number, digest: Buffer, commandId: string) =>
  tx.rows(APPLY, [id, version, digest, commandId]);
