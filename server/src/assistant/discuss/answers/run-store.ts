// SQL of assistant runs, for their worker: the message that a run writes and the interactions that it creates.
import { letsAiIn } from "../../../accounts/workspaces/access.ts";
import { inWorkspace } from "../../../platform/background/jobs.ts";
import type { Pool, Queries } from "../../../platform/database/db.ts";
import { checked } from "../../../platform/database/sql.ts";
import { processId } from "../../../platform/wire/process-id.ts";
import { AT_WORK, holding, leasedBy, NO_LEASE, type RunLease, runStore, still, unheld } from "../../runs/store.ts";
import { preferencesOfActor } from "../preference-store.ts";
import { type AnswerPart, MOST_HISTORY, type RunInput } from "../rules.ts";

export const dueRuns = (writer: Pool, most: number) =>
  writer.use((tx) => tx.rows<{ workspace_id: string; id: string }>("select * from due_discuss_runs($1)", [most]));

export interface ClaimedDiscussRun {
  id: string;
  actor_id: string;
  message_id: string;
  turn_id: string;
  sequence: string;
  credential_id: string;
  credential_kind: "session" | "personal" | "developer";
  input: RunInput;
  fence: number;
  state: "running" | "cancel_requested";
  read_others: boolean;
  input_tokens: number;
  output_tokens: number;
  /** Milliseconds since it began. */
  age: number;
  lets_ai_in: boolean;
  /** Scopes of the credential; ignored for a session. */
  scopes: string[];
  /** Whether small changes may be made at once. */
  opt_in: boolean;
  /** Effective time zone of the person in Discuss, and the locale of their account. */
  timezone: string;
  locale: string;
}
type Claimed = Omit<ClaimedDiscussRun, "opt_in" | "timezone" | "locale">;
const CLAIM = `
update discuss_runs r set fence = r.fence + 1, ${leasedBy("$2")},
  state = case r.state when 'queued' then 'running' else r.state end,
  started_at = case when r.started_at is null then now() else r.started_at end
from discuss_messages m
where r.workspace_id = current_workspace() and r.id = $1
  and ${checked("r.state in ('queued', 'running', 'cancel_requested')")} and ${unheld}
  and m.workspace_id = r.workspace_id and m.id = r.message_id
  and not exists (select from discuss_runs o
    where o.workspace_id = r.workspace_id and o.actor_id = r.actor_id and o.sequence < r.sequence
    and o.state in ('queued', 'running', 'cancel_requested'))
returning r.id, r.actor_id, r.message_id, m.turn_id, r.sequence::text, r.credential_id, r.credential_kind, r.input,
  r.fence, r.state, r.read_others,
  r.input_tokens::int, r.output_tokens::int, (extract(epoch from now() - r.started_at) * 1000)::int as age,
  ${letsAiIn("r.workspace_id")} as lets_ai_in,
  array(select unnest(c.scopes) from credentials c where c.id = r.credential_id) as scopes`;
/** Claims a run that nobody holds and that is the first of its stream. */
export const claimRun = (writer: Pool, workspaceId: string, id: string) =>
  inWorkspace(writer, workspaceId, async (tx): Promise<ClaimedDiscussRun | undefined> => {
    const run = await tx.maybe<Claimed>(CLAIM, [id, processId]);
    if (!run) return undefined;
    const {
      opt_in = false,
      effective_timezone = "UTC",
      locale = "en",
    } = (await preferencesOfActor(tx, run.actor_id)) ?? {};
    return { ...run, opt_in, timezone: effective_timezone, locale };
  });

export const discussRuns = runStore("discuss_runs", "discuss_steps");
const HOLD = holding("discuss_runs", "r.state, r.actor_id, r.message_id");

const STREAM = `stream as (
  update discuss_streams s set change_sequence = s.change_sequence + 1 from run
  where s.workspace_id = current_workspace() and s.actor_id = run.actor_id returning s.change_sequence
)`;
const WRITE = `
with run as (${HOLD}), ${STREAM}
update discuss_messages m
  set parts = $3::jsonb, generation_state = run.state, revision = m.revision + 1,
    change_sequence = stream.change_sequence, updated_at = now()
from run, stream where m.workspace_id = current_workspace() and m.id = run.message_id
returning run.state, m.revision::text`;
const FINISH = `
with run as (
  update discuss_runs r set state = $3, ended_at = now(), ${NO_LEASE}, read_others = r.read_others or $7
  where r.workspace_id = current_workspace() and r.id = $1 and r.fence = $2 and ${checked(`r.state in ${AT_WORK}`)}
  returning r.actor_id, r.message_id
), ${STREAM}, message as (
  update discuss_messages m
    set parts = $4::jsonb, content = $5, generation_state = $3, generation_error = $6, revision = m.revision + 1,
    change_sequence = stream.change_sequence, updated_at = now()
  from run, stream where m.workspace_id = current_workspace() and m.id = run.message_id returning m.id, m.revision
), asking as (
  update discuss_interactions i set message_revision = message.revision from message
  where i.workspace_id = current_workspace() and i.message_id = message.id and i.message_revision is null
    and i.decided_at is null
)
select from message`;
const NOTE = `
with run as (
  update discuss_runs r set events = r.events + 1
  where r.workspace_id = current_workspace() and r.id = $1 and r.fence = $2 and r.events < $6 returning r.events
)
insert into discuss_run_events (workspace_id, run_id, sequence, type, part_id, data)
select current_workspace(), $1, run.events, $3, $4, $5::jsonb from run`;
export interface RunEvent {
  type: string;
  partId?: string;
  data?: Record<string, unknown>;
}
/** The remaining events are reserved for the end of the run. */
const MOST_EVENTS = 195;
const note = (tx: Queries, { id, fence }: RunLease, { type, partId, data }: RunEvent, most = MOST_EVENTS) =>
  tx.rows(NOTE, [id, fence, type, partId ?? null, JSON.stringify(data ?? {}), most]);

/** Stores the message so far, and events; returns whether a stop was requested. */
export async function writeParts(
  writer: Pool,
  held: RunLease,
  parts: readonly AnswerPart[],
  events: readonly RunEvent[],
) {
  const rows = await inWorkspace(writer, held.workspaceId, async (tx) => {
    const [written] = await Promise.all([
      tx.rows<{ state: string }>(WRITE, [held.id, held.fence, JSON.stringify(parts)]),
      ...events.map((event) => note(tx, held, event)),
    ]);
    return written;
  });
  still(rows);
  return rows[0]?.state === "cancel_requested";
}

export interface DiscussRunEnd {
  state: "completed" | "failed";
  error: string | null;
  content: string;
  parts: readonly AnswerPart[];
  /** An answer that builds on text of others stays tainted when that text has left the history. */
  readOthers: boolean;
}
export async function finishRun(
  writer: Pool,
  held: RunLease,
  { state, error, content, parts, readOthers }: DiscussRunEnd,
) {
  const rows = await inWorkspace(writer, held.workspaceId, async (tx) => {
    const told = { type: state, ...(error !== null && { data: { code: error } }) };
    const [, written] = await Promise.all([
      note(tx, held, told, MOST_EVENTS + 5),
      tx.rows(FINISH, [held.id, held.fence, state, JSON.stringify(parts), content, error, readOthers]),
    ]);
    return written;
  });
  still(rows);
}

// ---- inputs of a run ------------------------------------------------------------------------------------------------

export interface Before {
  role: "user" | "assistant";
  content: string;
  read_others: boolean;
}
const HISTORY = `
select m.role, m.content, r.read_others is true or m.role = 'assistant' and m.run_id is null as read_others from (
  select * from discuss_messages where workspace_id = current_workspace() and actor_id = $1 and sequence < $2::bigint
  order by sequence desc limit ${MOST_HISTORY}) m
left join discuss_runs r on r.workspace_id = m.workspace_id and r.id = m.run_id order by m.sequence`;
/** Messages before this answer; the question is the last. */
export const historyOf = (writer: Pool, workspaceId: string, { actor_id, sequence }: ClaimedDiscussRun) =>
  inWorkspace(writer, workspaceId, (tx) => tx.rows<Before>(HISTORY, [actor_id, sequence]));

const QUESTION = `
select content, file_ids::text[] as file_ids from discuss_messages
where workspace_id = current_workspace() and turn_id = $1 and role = 'user' order by sequence limit 1`;
interface Question {
  content: string;
  file_ids: string[];
}
export const questionOf = async (writer: Pool, workspaceId: string, turnId: string): Promise<Question> =>
  (await inWorkspace(writer, workspaceId, (tx) => tx.maybe<Question>(QUESTION, [turnId]))) ?? {
    content: "",
    file_ids: [],
  };

/** Files of the member, among these, that may still be read. */
const READABLE = `
select a.id, a.filename, a.content_type, a.size::float8 as size from attachments a
where a.workspace_id = current_workspace() and a.id = any($1::uuid[]) and a.private and a.state = 'stored'
  and a.uploaded_by_actor_id = $2
  and a.scan_state in ('clean', 'not_scanned')`;
interface Readable {
  id: string;
  filename: string;
  content_type: string;
  size: number;
}
export const readableFiles = (writer: Pool, workspaceId: string, ids: readonly string[], actorId: string) =>
  inWorkspace(writer, workspaceId, (tx) => tx.rows<Readable>(READABLE, [ids, actorId]));

export interface NewInteraction {
  id: string;
  actorId: string;
  messageId: string;
  kind: "approval" | "ambiguity" | "stale_action" | "recovery";
  /** Sealed. */
  input: string;
  changeSet: { id: string; version: number; digest: string } | null;
  expiresAt: string;
}
const ASK = `
with run as (${HOLD})
insert into discuss_interactions (workspace_id, actor_id, id, message_id, kind, input, change_set_id,
  change_set_version, digest, expires_at)
select current_workspace(), $3, $4, $5, $6, $7, $8, $9, $10, $11 from run on conflict (workspace_id, id) do nothing`;
export const askPerson = (writer: Pool, held: RunLease, asked: NewInteraction) =>
  inWorkspace(writer, held.workspaceId, (tx) =>
    tx.rows(ASK, [
      ...[held.id, held.fence, asked.actorId, asked.id, asked.messageId, asked.kind, asked.input],
      ...[
        asked.changeSet?.id ?? null,
        asked.changeSet?.version ?? null,
        asked.changeSet?.digest ?? null,
        asked.expiresAt,
      ],
    ]),
  );

export interface Decided {
  kind: string;
  input: string;
  choice_id: string | null;
  change_set_id: string | null;
  change_set_version: number | null;
  digest: string | null;
}
const DECIDED = `
select kind, input, choice_id, change_set_id, change_set_version, digest from discuss_interactions
where workspace_id = current_workspace() and actor_id = $2 and id = $1 and decided_at is not null`;
export const decidedInteraction = (writer: Pool, workspaceId: string, id: string, actorId: string) =>
  inWorkspace(writer, workspaceId, (tx) => tx.maybe<Decided>(DECIDED, [id, actorId]));
