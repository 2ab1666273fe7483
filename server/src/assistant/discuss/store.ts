// SQL of the conversation: streams and messages, each visible to its member only.
import type { Queries } from "../../platform/database/db.ts";
import { checked } from "../../platform/database/sql.ts";
import type { RunInput } from "./rules.ts";
import { type MessageRow, messageColumns } from "./view.ts";

const own = "workspace_id = current_workspace() and actor_id = current_actor()";
const mine = "m.workspace_id = current_workspace() and m.actor_id = current_actor()";

const MESSAGE = `select ${messageColumns} from discuss_messages m where ${mine} and m.id = $1`;
export const messageOf = (tx: Queries, id: string) => tx.maybe<MessageRow>(MESSAGE, [id]);

const listing = (comparison: string, order: string) => `
select ${messageColumns} from discuss_messages m where ${mine} and m.sequence ${comparison} $1::bigint
order by m.sequence ${order} limit $2`;
const NEWEST = listing("<", "desc");
const OLDEST = listing(">", "asc");
export const listMessages = (tx: Queries, after: number | null, limit: number, ascending: boolean) =>
  ascending
    ? tx.rows<MessageRow>(OLDEST, [after ?? 0, limit])
    : tx.rows<MessageRow>(NEWEST, [after ?? Number.MAX_SAFE_INTEGER, limit]);

export const MOST_SEARCHED = 2000;
// Text conditions are not leakproof: scans a bounded number of the member's messages per page.
const FIND = `
/* reads up to ${4 * MOST_SEARCHED}: it looks through them */
select ${messageColumns}, w.last::text as last, w.count from (
  select w.*, min(w.sequence) over () as last, count(*) over ()::int as count from (
    select * from discuss_messages where ${own} and sequence < $1::bigint order by sequence desc
    limit ${MOST_SEARCHED}) w
) w
left join lateral (select w.*) m on lower(w.content) like all ($2::text[])
order by m.sequence desc nulls last limit $3`;
export const findMessages = (tx: Queries, after: number | null, words: readonly string[], limit: number) =>
  tx.rows<(MessageRow | { id: null }) & { last: string; count: number }>(FIND, [
    after ?? Number.MAX_SAFE_INTEGER,
    words.map((word) => `%${word.replace(/[\\%_]/g, "\\$&")}%`),
    limit,
  ]);

const OF_TURN = `select ${messageColumns} from discuss_messages m where ${mine} and m.turn_id = $1 order by m.sequence
  limit 2`;
/** The message of a turn and its first answer. */
export const messagesOfTurn = (tx: Queries, turnId: string) => tx.rows<MessageRow>(OF_TURN, [turnId]);

// ---- queueing -------------------------------------------------------------------------------------------------------

const TAKE = `
insert into discuss_streams as s (workspace_id, actor_id, sequence, change_sequence)
values (current_workspace(), current_actor(), $1, $1)
on conflict (workspace_id, actor_id) do update set sequence = s.sequence + $1, change_sequence = s.change_sequence + $1
returning sequence::text, change_sequence::text`;
/** Reserves places at the end of the caller's stream, which is locked until the commit. */
export async function takePlaces(tx: Queries, count: number) {
  const taken = await tx.one<{ sequence: string; change_sequence: string }>(TAKE, [count]);
  return { sequence: Number(taken.sequence), change: Number(taken.change_sequence) };
}

interface NewMessage {
  row: Pick<MessageRow, "id" | "turn_id" | "role" | "content" | "parts" | "file_ids" | "run_id" | "generation_state">;
  sequence: number;
  change: number;
}
const INSERT = `
insert into discuss_messages (workspace_id, actor_id, id, turn_id, role, content, parts, file_ids, run_id,
  generation_state, sequence, change_sequence, created_change, created_at, updated_at)
values (current_workspace(), current_actor(), $1, $2, $3, $4, $5::jsonb, $6, $7, $8, $9, $10, $10, $11, $11)`;
export const insertMessage = (tx: Queries, { row, sequence, change }: NewMessage, now: string) =>
  tx.rows(INSERT, [
    ...[row.id, row.turn_id, row.role, row.content, JSON.stringify(row.parts), row.file_ids, row.run_id],
    ...[row.generation_state, sequence, change, now],
  ]);

interface NewRun {
  id: string;
  messageId: string;
  sequence: number;
  credentialId: string;
  kind: string;
  input: RunInput;
}
const INSERT_RUN = `
insert into discuss_runs (workspace_id, actor_id, id, message_id, sequence, state, credential_id, credential_kind,
  input)
values (current_workspace(), current_actor(), $1, $2, $3, 'queued', $4, $5, $6::jsonb)`;
export const insertRun = (tx: Queries, { id, messageId, sequence, credentialId, kind, input }: NewRun) =>
  tx.rows(INSERT_RUN, [id, messageId, sequence, credentialId, kind, JSON.stringify(input)]);

// ---- stopping, reading on -------------------------------------------------------------------------------------------

// Locks in the same order as the writer of an answer: the run, the stream, the message.
const CANCEL = `
with run as (
  update discuss_runs r set state = case r.state when 'queued' then 'failed' else 'cancel_requested' end,
    ended_at = case r.state when 'queued' then now() end
  where r.workspace_id = current_workspace() and r.id = $1
    and ${checked("r.actor_id = current_actor() and r.state in ('queued', 'running')")}
  returning r.state, r.message_id, r.actor_id
), stream as (
  update discuss_streams s set change_sequence = s.change_sequence + 1 from run
  where s.workspace_id = current_workspace() and s.actor_id = run.actor_id returning s.change_sequence
)
update discuss_messages m
  set generation_state = run.state, generation_error = case run.state when 'failed' then 'cancelled' end,
  revision = m.revision + 1, change_sequence = stream.change_sequence, updated_at = now()
from run, stream where m.workspace_id = current_workspace() and m.id = run.message_id`;
export const cancelRun = (tx: Queries, runId: string) => tx.rows(CANCEL, [runId]);

const READ_ON = `
insert into discuss_streams as s (workspace_id, actor_id) values (current_workspace(), current_actor())
on conflict (workspace_id, actor_id) do update
set read_sequence = greatest(s.read_sequence, least($1::bigint, s.sequence)) returning read_sequence::text`;
const UNREAD = `
/* reads up to 400: it counts them */
select count(*)::int as count from (
  select from discuss_messages m where ${mine} and m.role = 'assistant'
    and m.sequence > (select s.read_sequence from discuss_streams s
      where s.workspace_id = current_workspace() and s.actor_id = current_actor()) limit 100) m`;
export async function readOn(tx: Queries, sequence: number) {
  const [{ read_sequence }, { count }] = await Promise.all([
    tx.one<{ read_sequence: string }>(READ_ON, [sequence]),
    tx.one<{ count: number }>(UNREAD),
  ]);
  return { last_read_sequence: Number(read_sequence), unread_count: count };
}

export interface ChangeRow {
  id: string;
  sequence: string;
  revision: string;
  created: boolean;
}
const CHANGES = `
select m.id, m.change_sequence::text as sequence, m.revision::text, m.created_change > $2::bigint as created
from discuss_messages m where m.workspace_id = current_workspace() and m.actor_id = $1
  and m.change_sequence > $2::bigint
order by m.change_sequence limit $3`;
/** Each message of this member at its last change. */
export const changesAfter = (tx: Queries, actorId: string, sequence: number | string, limit: number) =>
  tx.rows<ChangeRow>(CHANGES, [actorId, sequence, limit]);
// Reads the first rows of messages, reminders and preferences each, so that the merged first rows are the first of all.
const first = (columns: string, table: string) => `
  (select ${columns}, r.change_sequence, r.revision, r.created_change from ${table} r
   where r.workspace_id = current_workspace() and r.actor_id = $1 and r.change_sequence > $2::bigint
   order by r.change_sequence limit $3)`;
const TOLD = `
select c.kind, c.id, c.change_sequence::text as sequence, c.revision::text, c.created_change > $2::bigint as created
from (
  ${first("'discuss_message' as kind, r.id", "discuss_messages")} union all
  ${first("'reminder', r.id", "discuss_reminders")} union all
  ${first("'discuss_preferences', r.actor_id", "discuss_preferences")}
) c order by c.change_sequence limit $3`;
/** Each message, each reminder and the preferences of this member at their last change. */
export const toldAfter = (tx: Queries, actorId: string, sequence: number | string, limit: number) =>
  tx.rows<ChangeRow & { kind: string }>(TOLD, [actorId, sequence, limit]);
interface LastChange {
  sequence: string;
  /** Null before the first change. */
  token: string | null;
}
const NO_CHANGE: LastChange = { sequence: "0", token: null };
const LAST = `
select s.change_sequence::text as sequence, s.change_tokens[1]::text as token from discuss_streams s
where s.workspace_id = current_workspace() and s.actor_id = current_actor()`;
/** The last change of the caller's conversation. */
export const lastChange = async (tx: Queries) => (await tx.maybe<LastChange>(LAST)) ?? NO_CHANGE;
const TOKEN_AT = `
select s.change_sequence::text as sequence,
  s.change_tokens[(s.change_sequence - $2::bigint + 1)::integer]::text as token from discuss_streams s
where s.workspace_id = current_workspace() and s.actor_id = $1`;
/**
 * Sequence number of the last change in a member's conversation, and the token of the change with this number; null if
 * that is too old.
 */
export const tokenAt = async (tx: Queries, actorId: string, sequence: string) =>
  (await tx.maybe<LastChange>(TOKEN_AT, [actorId, sequence])) ?? NO_CHANGE;

export interface RunEventRow {
  sequence: number;
  kind: string;
  type: string;
  part_id: string | null;
  data: Record<string, unknown>;
  created_at: string;
}
const RUN_EVENTS = `
select e.sequence, e.type as kind, e.type, e.part_id, e.data, wire_time(e.created_at) as created_at
from discuss_run_events e
where e.workspace_id = current_workspace() and e.run_id = $1 and e.sequence > $2 order by e.sequence limit $3`;
export const runEvents = (tx: Queries, runId: string, after: number, limit: number) =>
  tx.rows<RunEventRow>(RUN_EVENTS, [runId, after, limit]);
