// SQL of Agents for their runs: the version, the permission to run, and the usage. Statements run in the Workspace of
// the connection and check no visibility, which access.ts decides.
//   agentToRun(tx, { id }) -> the version that it runs, under the narrower budgets of definition and Agent
//   mayRun(tx, id) -> checked before each step: quarantine and pause take effect at once, in every process
//   agentsTriggeredBy(tx, kind) -> active Agents with this trigger
//   addUsage(tx, definitionId, …) -> in the transaction of a run
import type { Queries } from "../../platform/database/db.ts";
import { type AgentState, costOf, type DefinitionBudgets, type Trigger, type TriggerKind } from "./rules.ts";

export interface AgentToRun {
  id: string;
  definition_id: string;
  version: number;
  /** Actor id that the Agent acts as. */
  actor_id: string;
  name: string;
  state: AgentState;
  instructions: string;
  tools: string[];
  triggers: Trigger[];
  /** Empty: every Project. */
  project_ids: string[];
  budgets: DefinitionBudgets;
  /** Publisher of the version: runs that nobody starts manually act for them. */
  publisher_actor_id: string;
}
const AGENT = `
select a.id, a.definition_id, a.version, a.actor_id, a.name, a.state, v.instructions, v.tools, v.triggers,
  a.project_ids::text[] as project_ids,
  narrower_budgets(a.own_budgets, v.budgets) as budgets, v.published_by_actor_id as publisher_actor_id
from agents a cross join lateral (
  select * from agent_versions
  where workspace_id = a.workspace_id and definition_id = a.definition_id and version = a.version limit 1) v
where a.workspace_id = current_workspace() and a.deleted_at is null`;
const BY = {
  id: `${AGENT} and a.id = $1`,
  actor_id: `${AGENT} and a.actor_id = $1`,
  definition_id: `${AGENT} and a.definition_id = $1`,
};
/** The Agent, in any state; undefined if it does not exist or was deleted. */
export function agentToRun(
  tx: Queries,
  named: { id: string } | { actor_id: string } | { definition_id: string },
): Promise<AgentToRun | undefined> {
  const [[by, id]] = Object.entries(named) as [[keyof typeof BY, string]];
  return tx.maybe<AgentToRun>(BY[by], [id]);
}

const TRIGGERED = `/* reads up to 600: at most 200, of which some begin so */ ${AGENT} and a.state = 'active'
  and a.trigger_kinds @> array[$1]`;
export const agentsTriggeredBy = (tx: Queries, kind: TriggerKind) => tx.rows<AgentToRun>(TRIGGERED, [kind]);

/** Active Agents with a schedule, in all Workspaces. */
export const agentsOnSchedule = (tx: Queries) =>
  tx.rows<{ workspace_id: string; id: string }>("select * from agents_on_schedule()");

const MAY_RUN =
  "select from agents where workspace_id = current_workspace() and id = $1 and state = 'active' and deleted_at is null";
export const mayRun = async (tx: Queries, id: string) => (await tx.maybe(MAY_RUN, [id])) !== undefined;

const PAUSE = `
update agents set state = 'paused', reason = $2, revision = revision + 1, updated_at = now()
where workspace_id = current_workspace() and id = $1 and state = 'active' and deleted_at is null returning id`;
/**
 * Pauses an Agent whose publisher has lost the required rights, until a member who manages Agents resumes it. Returns
 * whether that changed anything.
 */
export const pauseAgent = async (tx: Queries, id: string, reason: string) =>
  (await tx.maybe(PAUSE, [id, reason])) !== undefined;

export interface Usage {
  runs?: number;
  inputTokens?: number;
  outputTokens?: number;
}
const ADD_USAGE = `
insert into agent_usage as u (workspace_id, definition_id, day, runs, input_tokens, output_tokens, cost)
values (current_workspace(), $1, (now() at time zone 'UTC')::date, $2, $3, $4, $5)
on conflict (workspace_id, definition_id, day) do update
set runs = u.runs + excluded.runs, input_tokens = u.input_tokens + excluded.input_tokens,
  output_tokens = u.output_tokens + excluded.output_tokens, cost = u.cost + excluded.cost`;
/** Called last in a transaction, because its row lock blocks others that count for the same definition. */
export const addUsage = (tx: Queries, definitionId: string, { runs = 0, inputTokens = 0, outputTokens = 0 }: Usage) =>
  tx.rows(ADD_USAGE, [definitionId, runs, inputTokens, outputTokens, costOf(inputTokens, outputTokens)]);

const TOKENS_TODAY = `
select (input_tokens + output_tokens)::float8 as tokens from agent_usage
where workspace_id = current_workspace() and definition_id = $1 and day = (now() at time zone 'UTC')::date`;
/** Compared with tokens_per_day. */
export const tokensToday = async (tx: Queries, definitionId: string) =>
  (await tx.maybe<{ tokens: number }>(TOKENS_TODAY, [definitionId]))?.tokens ?? 0;
