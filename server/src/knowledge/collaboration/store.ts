// SQL of collaborative texts: their state, the updates since, and the sessions that admit people.
import { TENANT } from "../../platform/background/jobs.ts";
import type { Database, Queries } from "../../platform/database/db.ts";
import { gate } from "../../platform/wire/limits/concurrency-limit.ts";

/** Kind of the edited resource; names its id column. */
export type EditedKind = "task" | "document";
export interface TextPlace {
  workspaceId: string;
  targetId: string;
}

/** Sets the tenant for the session instead of a transaction, because reads run in none. */
export const TENANT_HERE = TENANT.replace("true", "false");

type In = Pick<TextPlace, "workspaceId">;
/**
 * Number of concurrent reads, and of writes, which is half of the connection slots; further calls queue. Otherwise,
 * texts that many people open or leave at once would take every slot, and requests of the same Workspace would be
 * refused.
 */
const AT_ONCE = 4;
const [readers, writers] = [gate(AT_ONCE, Number.POSITIVE_INFINITY), gate(AT_ONCE, Number.POSITIVE_INFINITY)];
export const reading = <T>({ reader }: Database, { workspaceId }: In, work: (tx: Queries) => Promise<T>): Promise<T> =>
  readers(workspaceId, () =>
    reader.use(async (tx) => {
      const [, result] = await Promise.all([tx.rows(TENANT_HERE, [workspaceId]), work(tx)]);
      return result;
    }, workspaceId),
  );
export const writing = <T>(database: Database, within: In, work: (tx: Queries) => Promise<T>): Promise<T> =>
  writers(within.workspaceId, () => keeping(database, within, work));
/** Skips the queue: storing typed text waits for no other write. */
export const keeping = <T>({ writer }: Database, { workspaceId }: In, work: (tx: Queries) => Promise<T>): Promise<T> =>
  writer.use(async (tx) => {
    const [, , result] = await Promise.all([tx.begin(), tx.rows(TENANT, [workspaceId]), work(tx)]);
    await tx.commit();
    return result;
  }, workspaceId);

/** Bytes travel as base64: arrays of them would otherwise be escaped twice. */
const bytes = (text: string) => Buffer.from(text, "base64");

// ---- texts -------------------------------------------------------------------------------------------------

const EXISTS = "select sealed_as from collaboration_texts where workspace_id = $1 and target_id = $2";
export const textExists = async (tx: Queries, { workspaceId, targetId }: TextPlace) =>
  (await tx.maybe(EXISTS, [workspaceId, targetId])) !== undefined;

const beginning = (kind: EditedKind) => `
insert into collaboration_texts (workspace_id, ${kind}_id, state, sealed_as) values ($1, $2, $3, $4)
on conflict (workspace_id, target_id) do nothing`;
/** Creates the text, unless a concurrent session has done so. */
export const beginText = (tx: Queries, kind: EditedKind, place: TextPlace, state: Uint8Array, sealedAs: string) =>
  tx.rows(beginning(kind), [place.workspaceId, place.targetId, Buffer.from(state), sealedAs]);

export interface StoredText {
  kind: EditedKind;
  state: Buffer;
  stateSeq: number;
  lastSeq: number;
  sealedAs: string;
  updates: { data: Buffer; actorIds: string[] }[];
}
const READ = `
select case when x.task_id is null then 'document' else 'task' end as kind, encode(x.state, 'base64') as state,
  x.state_seq, x.last_seq, x.sealed_as,
  (select coalesce(json_agg(json_build_array(encode(u.data, 'base64'), u.actor_ids) order by u.seq), '[]')
  from collaboration_updates u
   where u.workspace_id = x.workspace_id and u.target_id = x.target_id and u.seq > x.state_seq
     and u.seq <= x.last_seq) as updates
from collaboration_texts x where x.workspace_id = $1 and x.target_id = $2`;
interface ReadRow {
  kind: EditedKind;
  state: string;
  state_seq: string;
  last_seq: string;
  sealed_as: string;
  updates: [string, string[]][];
}
/** Reads the state of a text and all updates since. */
export async function readText(tx: Queries, { workspaceId, targetId }: TextPlace): Promise<StoredText | undefined> {
  const row = await tx.maybe<ReadRow>(READ, [workspaceId, targetId]);
  return (
    row && {
      kind: row.kind,
      state: bytes(row.state),
      stateSeq: Number(row.state_seq),
      lastSeq: Number(row.last_seq),
      sealedAs: row.sealed_as,
      updates: row.updates.map(([data, actorIds]) => ({ data: bytes(data), actorIds })),
    }
  );
}

const READ_ON = `
select x.last_seq, case when x.state_seq > $3 then encode(x.state, 'base64') end as state,
  (select coalesce(json_agg(encode(u.data, 'base64') order by u.seq), '[]') from collaboration_updates u
   where u.workspace_id = x.workspace_id and u.target_id = x.target_id and u.seq > $3
     and u.seq <= x.last_seq) as updates
from collaboration_texts x where x.workspace_id = $1 and x.target_id = $2`;
/** Reads the updates after a sequence number. */
export async function readOn(tx: Queries, { workspaceId, targetId }: TextPlace, after: number) {
  const row = await tx.maybe<{ last_seq: string; state: string | null; updates: string[] }>(READ_ON, [
    workspaceId,
    targetId,
    after,
  ]);
  if (!row) return undefined;
  const state = row.state === null ? [] : [bytes(row.state)];
  return { lastSeq: Number(row.last_seq), updates: [...state, ...row.updates.map(bytes)] };
}

const APPEND = `
with text as (
  update collaboration_texts
    set last_seq = last_seq + 1, changed_at = now(), unsealed_since = coalesce(unsealed_since, now())
  where workspace_id = $1 and target_id = $2 and last_seq = coalesce($5, last_seq) returning last_seq
), added as (
  insert into collaboration_updates (workspace_id, target_id, seq, data, actor_ids)
  select $1, $2, last_seq, $3, $4::uuid[] from text
  returning seq
)
select (select seq from added) as seq from collaboration_texts where workspace_id = $1 and target_id = $2`;
/**
 * Returns the sequence number of the update; null if the text is gone, and "overtaken" if its last update is not
 * `last`. Texts of one transaction must come in the order of their ids, which prevents deadlocks.
 */
export async function append(
  tx: Queries,
  { workspaceId, targetId }: TextPlace,
  update: Uint8Array,
  actorIds: string[],
  last: number | null = null,
): Promise<number | null | "overtaken"> {
  const row = await tx.maybe<{ seq: string | null }>(APPEND, [
    ...[workspaceId, targetId, Buffer.from(update), actorIds, last],
  ]);
  if (!row) return null;
  return row.seq === null ? "overtaken" : Number(row.seq);
}

const SEAL = `
update collaboration_texts
  set state = $3, state_seq = $4, sealed_as = $5,
    sealed_at = case when $4::bigint > state_seq then now() else sealed_at end,
    unsealed_since = case when last_seq > $4 then coalesce(unsealed_since, now()) end
where workspace_id = $1 and target_id = $2 and state_seq = $6 and sealed_as = $7 returning true`;
const FORGET = "delete from collaboration_updates where workspace_id = $1 and target_id = $2 and seq <= $3";
/** Compare-and-set of the state; false if it was changed since it was read. */
export async function moveState(
  tx: Queries,
  { workspaceId, targetId }: TextPlace,
  from: Pick<StoredText, "stateSeq" | "sealedAs">,
  to: { state: Uint8Array; seq: number; sealedAs: string },
): Promise<boolean> {
  const values = [workspaceId, targetId, Buffer.from(to.state), to.seq, to.sealedAs, from.stateSeq, from.sealedAs];
  const [moved] = await Promise.all([
    tx.maybe(SEAL, values),
    to.seq > from.stateSeq ? tx.rows(FORGET, [workspaceId, targetId, to.seq]) : [],
  ]);
  return moved !== undefined;
}

const HOLD = "select state_seq from collaboration_texts where workspace_id = $1 and target_id = $2 for no key update";
/** Replaces many updates by one, unless a checkpoint has moved the state since. */
export async function compact(
  tx: Queries,
  { workspaceId, targetId }: TextPlace,
  stored: StoredText,
  merged: Uint8Array,
) {
  const held = await tx.maybe<{ state_seq: string }>(HOLD, [workspaceId, targetId]);
  if (Number(held?.state_seq) !== stored.stateSeq) return;
  // Two statements, because the insert would conflict with the deleted row.
  await tx.rows(COMPACT_GONE, [workspaceId, targetId, stored.stateSeq, stored.lastSeq]);
  const actors = [...new Set(stored.updates.flatMap(({ actorIds }) => actorIds))];
  await tx.rows(COMPACT_MADE, [workspaceId, targetId, stored.lastSeq, Buffer.from(merged), actors]);
}
const COMPACT_GONE =
  "delete from collaboration_updates where workspace_id = $1 and target_id = $2 and seq > $3 and seq <= $4";
const COMPACT_MADE = `insert into collaboration_updates (workspace_id, target_id, seq, data, actor_ids)
    values ($1, $2, $3, $4, $5::uuid[])`;

// ---- sessions ----------------------------------------------------------------------------------------------

const OPEN = `
insert into collaboration_sessions (workspace_id, id, target_id, actor_id, credential_id, token_hash, expires_at)
values ($1, $2, $3, $4, $5, $6, now() + interval '5 minutes') returning wire_time(expires_at) as expires_at`;
export const insertSession = (
  tx: Queries,
  {
    workspaceId,
    targetId,
    id,
    actorId,
    credentialId,
  }: TextPlace & { id: string; actorId: string; credentialId: string },
  tokenHash: Buffer,
) => tx.one<{ expires_at: string }>(OPEN, [workspaceId, id, targetId, actorId, credentialId, tokenHash]);

const END = `
update collaboration_sessions set ended_at = coalesce(ended_at, now())
where workspace_id = $1 and id = $2 and target_id = $3 and actor_id = $4 returning id`;
/** Returns whether the Actor has such a session, ended before or not. */
export const endSession = async (tx: Queries, { workspaceId, targetId }: TextPlace, id: string, actorId: string) =>
  (await tx.maybe(END, [workspaceId, id, targetId, actorId])) !== undefined;
