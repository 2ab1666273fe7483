// SQL of specialist runs: started by an answer for its person, visible to nobody else, and delivered into their
// conversation.
import { SpecialistRunRow } from "@svc/contract/assistant/discuss/specialist-runs.ts";
import { projectVisibleTo } from "../../../planning/projects/access.ts";
import { enqueue } from "../../../platform/background/jobs.ts";
import type { Queries } from "../../../platform/database/db.ts";
import { view } from "../../../platform/database/view.ts";
import type { ListRow } from "../../../platform/kernel/implement-operation.ts";
import type { RunLimits } from "../../../platform/settings/run-limits.ts";
import { newId } from "../../../platform/wire/ids.ts";
import { holdAgent, insertRun } from "../../agents/execution/run-store.ts";
import { usageOf } from "../../agents/execution/run-view.ts";
import { addUsage, agentToRun } from "../../agents/store.ts";
import { isCrowded } from "../../runs/budget-store.ts";
import type { AnswerPart } from "../rules.ts";

export interface SpecialistTarget {
  id: string;
  revision: string;
  state: string;
  json: string;
  agent_active: boolean;
}
const shown = view(SpecialistRunRow, "r", {
  usage: usageOf,
  name: "(select a.name from agents a where a.workspace_id = current_workspace() and a.id = r.agent_id limit 1)",
});
const own = "r.workspace_id = current_workspace() and r.initiator_actor_id = current_actor() and r.trigger = 'discuss'";
const READ = `
select ${shown} as json, r.id, r.revision::text, r.state, (
  select a.state = 'active' and a.deleted_at is null from agents a
  where a.workspace_id = current_workspace() and a.id = r.agent_id limit 1) as agent_active
from agent_runs r where ${own} and r.id = $1`;
export const readSpecialist = (tx: Queries, id: string, change = false) =>
  tx.maybe<SpecialistTarget>(change ? `${READ} for no key update of r` : READ, [id]);

const LIST = `
select ${shown} as json, json_build_array(r.id)::text as key from agent_runs r where ${own} and r.id < $1::uuid
order by r.id desc limit $2`;
const LAST = "ffffffff-ffff-ffff-ffff-ffffffffffff";
export const listSpecialists = (tx: Queries, { after, limit }: { after: readonly unknown[] | null; limit: number }) =>
  tx.rows<ListRow>(LIST, [after?.[0] ?? LAST, limit + 1]);

const RESUME = `
update agent_runs r set state = 'queued', error_code = null, ended_at = null, started_at = null, answered_at = null,
  credential_id = $2, credential_kind = $3,
  revision = r.revision + 1, updated_at = now()
where ${own} and r.id = $1 and r.state in ('failed', 'cancelled')`;
export const resumeSpecialist = (tx: Queries, id: string, credentialId: string, kind: string) =>
  tx.rows(RESUME, [id, credentialId, kind]);

// ---- for the worker of an answer ------------------------------------------------------------------------------------

// Finds an Agent by name or username, among those that the member sees.
const NAMED = `
/* reads up to 800: there are at most fifty of them */
select a.id from agents a join memberships m on m.workspace_id = a.workspace_id and m.actor_id = $1
  and m.state = 'active'
where a.workspace_id = current_workspace() and a.state = 'active' and a.deleted_at is null
  and (a.username = lower($2) or lower(a.name) = lower($2))
  and (a.project_ids = '{}' or m.role in ('owner', 'admin') or exists (
    select from projects p where p.workspace_id = a.workspace_id and p.id = any(a.project_ids) and ${projectVisibleTo}))
order by a.username = lower($2) desc, a.id limit 1`;
const NAMES = `
/* reads up to 800: there are at most fifty of them */
select a.name from agents a join memberships m on m.workspace_id = a.workspace_id and m.actor_id = $1
  and m.state = 'active'
where a.workspace_id = current_workspace() and a.state = 'active' and a.deleted_at is null
  and (a.project_ids = '{}' or m.role in ('owner', 'admin') or exists (
    select from projects p where p.workspace_id = a.workspace_id and p.id = any(a.project_ids) and ${projectVisibleTo}))
order by a.name limit 50`;
export const agentNames = async (tx: Queries, actorId: string) =>
  (await tx.rows<{ name: string }>(NAMES, [actorId])).map(({ name }) => name);

interface Asked {
  actorId: string;
  agent: string;
  input: string;
  /** Step that starts it: repeated after a crash, it finds the same run. */
  cause: string;
  parent: { runId: string; turnId: string; credentialId: string; credentialKind: string };
}
const OF_CAUSE = "select id from agent_runs where workspace_id = current_workspace() and agent_id = $1 and cause = $2";
/**
 * Returns the run and the Agent's name; null if the member sees no Agent of that name. "exceeded": the Agent has begun
 * too many runs. "crowded": the member or the Workspace has reached the limit of open runs.
 */
export async function startSpecialist(
  tx: Queries,
  limits: RunLimits,
  { actorId, agent: called, input, cause, parent }: Asked,
): Promise<{ id: string; name: string } | "exceeded" | "crowded" | null> {
  const named = await tx.maybe<{ id: string }>(NAMED, [actorId, called]);
  const agent = named && (await agentToRun(tx, { id: named.id }));
  if (!agent) return null;
  const { id: agentId, definition_id: definitionId, version } = agent;
  const begun = await holdAgent(tx, agentId);
  const before = await tx.maybe<{ id: string }>(OF_CAUSE, [agentId, cause]);
  if (before) return { id: before.id, name: agent.name };
  if (begun >= agent.budgets.runs_per_hour) return "exceeded";
  if (await isCrowded(tx, actorId, limits)) return "crowded";
  const id = newId();
  const run = { agentId, definitionId, version, initiatorActorId: actorId, trigger: "discuss", cause, input, parent };
  await Promise.all([insertRun(tx, run, id), addUsage(tx, definitionId, { runs: 1 }), enqueue(tx, "agents", {})]);
  return { id, name: agent.name };
}

// Appends the result to the member's conversation, as a message that is not generated.
const DELIVER = `
with stream as (
  update discuss_streams s set sequence = s.sequence + 1, change_sequence = s.change_sequence + 1
  where s.workspace_id = current_workspace() and s.actor_id = $1 returning s.sequence, s.change_sequence
)
insert into discuss_messages (workspace_id, actor_id, id, turn_id, role, content, parts, sequence, change_sequence,
  created_change)
select current_workspace(), $1, $2, $3, 'assistant', $4, $5::jsonb, stream.sequence, stream.change_sequence,
  stream.change_sequence from stream
on conflict (workspace_id, id) do nothing`;
export const deliverMessage = (
  tx: Queries,
  actorId: string,
  { id, turnId, content, parts }: { id: string; turnId: string; content: string; parts: readonly AnswerPart[] },
) => tx.rows(DELIVER, [actorId, id, turnId, content, JSON.stringify(parts)]);
const REVISION = "select a.revision::text from agents a where a.workspace_id = current_workspace() and a.id = $1";
export const revisionOf = async (tx: Queries, agentId: string) =>
  (await tx.one<{ revision: string }>(REVISION, [agentId])).revision;
