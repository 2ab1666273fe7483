// SQL of interactions, which wait for a decision of their person.
import type { Queries } from "../../../platform/database/db.ts";
import type { AnswerPart, Metadata } from "../rules.ts";

export interface InteractionRow {
  id: string;
  message_id: string;
  /** Revision of the message when it was asked, and its present one. */
  message_revision: string | null;
  current_revision: string;
  kind: "approval" | "ambiguity" | "stale_action" | "recovery";
  version: number;
  change_set_id: string | null;
  change_set_version: number | null;
  digest: string | null;
  decided: boolean;
  expired: boolean;
  /** Metadata of the turn that caused it. */
  metadata: Metadata[];
}
const SELECT = `
select i.id, i.message_id, i.message_revision::text, m.revision::text as current_revision, i.kind, i.version,
  i.change_set_id, i.change_set_version, i.digest,
  i.decided_at is not null as decided, i.expires_at <= now() as expired, r.input -> 'metadata' as metadata
from discuss_interactions i join discuss_messages m on m.workspace_id = i.workspace_id and m.id = i.message_id
join discuss_runs r on r.workspace_id = m.workspace_id and r.id = m.run_id
where i.workspace_id = current_workspace() and i.actor_id = current_actor() and i.id = $1`;
export const interactionOf = (tx: Queries, id: string) => tx.maybe<InteractionRow>(SELECT, [id]);
// Locks in an earlier statement, so that the read sees the decision of a concurrent caller. Includes the message, which
// may have other interactions.
const HOLD = `
select from discuss_interactions i join discuss_messages m on m.workspace_id = i.workspace_id and m.id = i.message_id
where i.workspace_id = current_workspace() and i.actor_id = current_actor() and i.id = $1 for no key update`;
export const holdInteraction = async (tx: Queries, id: string) =>
  (await Promise.all([tx.rows(HOLD, [id]), interactionOf(tx, id)]))[1];

interface Decision {
  id: string;
  actorId: string;
  messageId: string;
  decision: string;
  choice: string;
  parts: AnswerPart[];
}
// Other interactions of the message stay valid: their text has not changed.
const DECIDE = `
with stream as (
  update discuss_streams s set change_sequence = s.change_sequence + 1
  where s.workspace_id = current_workspace() and s.actor_id = $2 returning s.change_sequence
), message as (
  update discuss_messages m
    set parts = $3::jsonb, revision = m.revision + 1, change_sequence = stream.change_sequence, updated_at = now()
  from stream where m.workspace_id = current_workspace() and m.id = $4 returning m.id, m.revision
)
update discuss_interactions i
  set message_revision = message.revision, version = case i.id when $1 then i.version + 1 else i.version end,
  decision = case i.id when $1 then $5 else i.decision end, choice_id = case i.id when $1 then $6 else i.choice_id end,
  decided_at = case i.id when $1 then now() else i.decided_at end
from message where i.workspace_id = current_workspace() and i.message_id = message.id and i.decided_at is null`;
export const decide = (tx: Queries, { id, actorId, messageId, decision, choice, parts }: Decision) =>
  tx.rows(DECIDE, [id, actorId, JSON.stringify(parts), messageId, decision, choice]);
