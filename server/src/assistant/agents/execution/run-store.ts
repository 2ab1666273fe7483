// SQL of runs: read and started under the rights of a caller, and carried out by the worker that holds the lease.
import { letsAiIn } from "../../../accounts/workspaces/access.ts";
import { inWorkspace } from "../../../platform/background/jobs.ts";
import type { Pool, Queries } from "../../../platform/database/db.ts";
import { checked } from "../../../platform/database/sql.ts";
import type { ListRow } from "../../../platform/kernel/implement-operation.ts";
import { newId } from "../../../platform/wire/ids.ts";
import { processId } from "../../../platform/wire/process-id.ts";
import { AT_WORK, holding, leasedBy, NO_LEASE, type RunLease, runStore, still, unheld } from "../../runs/store.ts";
import type { DefinitionBudgets } from "../rules.ts";
import { addUsage } from "../store.ts";
import { NOTED } from "./action-store.ts";
import { runView } from "./run-view.ts";

export const agentRuns = runStore("agent_runs", "agent_steps");

// ---- for callers ----------------------------------------------------------------------------------------------------

export interface RunTarget {
  id: string;
  json: string;
  revision: string;
  state: string;
  /** Whether it acts for the caller. */
  own: boolean;
}
const columns = `${runView} as json, r.id, r.revision::text, r.state, r.initiator_actor_id = current_actor() as own`;
const READ = `
select ${columns} from agent_runs r
where r.workspace_id = current_workspace() and r.agent_id = $1 and r.id = $2 and r.trigger <> 'discuss'`;
export const readRun = (tx: Queries, agentId: string, id: string, change = false) =>
  tx.maybe<RunTarget>(change ? `${READ} for no key update of r` : READ, [agentId, id]);

const listing = (more: string) => `
select ${runView} as json, json_build_array(r.id)::text as key from agent_runs r
where r.workspace_id = current_workspace() and r.agent_id = $1 and r.trigger <> 'discuss' and r.id < $2::uuid ${more}
order by r.id desc limit $3`;
const [ALL, SOME] = [listing(""), listing("and r.state = $4")];
const LAST = "ffffffff-ffff-ffff-ffff-ffffffffffff";
type Page = { after: readonly unknown[] | null; limit: number };
export const listRuns = (tx: Queries, agentId: string, state: string | undefined, { after, limit }: Page) =>
  state === undefined
    ? tx.rows<ListRow>(ALL, [agentId, after?.[0] ?? LAST, limit + 1])
    : tx.rows<ListRow>(SOME, [agentId, after?.[0] ?? LAST, limit + 1, state]);

export interface NewRun {
  agentId: string;
  definitionId: string;
  version: number;
  initiatorActorId: string;
  trigger: string;
  cause?: string;
  projectId?: string | null;
  taskId?: string | null;
  documentId?: string | null;
  dryRun?: boolean;
  input?: string;
  /** Error code of a run that is refused: it is stored as failed and never carried out. */
  refusal?: "runs_exceeded" | null;
  parent?: { runId: string; turnId: string; credentialId: string; credentialKind: string };
}
// Starting a run locks the Agent, so that two cannot both take the last free slot.
const HOLD = "select from agents where workspace_id = current_workspace() and id = $1 for no key update";
/** Above the limit of every budget. */
const MOST_BEGUN = 100;
const BEGUN = `
/* reads up to 400: it counts them */
select count(*)::int as count from (
  select from agent_runs where workspace_id = current_workspace() and agent_id = $1
    and created_at > now() - interval '1 hour'
    and error_code is distinct from 'runs_exceeded' limit ${MOST_BEGUN}) r`;
const HOLD_ALL = `
/* reads up to 400: at most 200 Agents */
select from agents where workspace_id = current_workspace() and id = any($1::uuid[]) order by id for no key update`;
/** Locks Agents in the order of their ids. */
export const holdAgents = (tx: Queries, ids: readonly string[]) => tx.rows(HOLD_ALL, [ids]);
/** Number of runs that the Agent has begun within an hour; the lock prevents further ones until the commit. */
export const holdAgent = async (tx: Queries, agentId: string) =>
  (await Promise.all([tx.rows(HOLD, [agentId]), tx.one<{ count: number }>(BEGUN, [agentId])]))[1].count;
const INSERT = `
insert into agent_runs (workspace_id, id, agent_id, definition_id, version, initiator_actor_id, trigger, cause,
  project_id, task_id, document_id, dry_run, input,
  parent_run_id, parent_turn_id, credential_id, credential_kind, state, error_code, ended_at)
values (current_workspace(), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,
  case when $17::text is null then 'queued' else 'failed' end, $17, case when $17 is not null then now() end)
on conflict (workspace_id, agent_id, cause) where cause is not null do nothing returning id`;
/** Undefined if this cause already has a run. */
export function insertRun(tx: Queries, run: NewRun, id = newId()) {
  const { parent } = run;
  return tx.maybe<{ id: string }>(INSERT, [
    ...[id, run.agentId, run.definitionId, run.version, run.initiatorActorId, run.trigger, run.cause ?? null],
    ...[run.projectId ?? null, run.taskId ?? null, run.documentId ?? null, run.dryRun ?? false, run.input ?? ""],
    ...[parent?.runId ?? null, parent?.turnId ?? null, parent?.credentialId ?? null, parent?.credentialKind ?? null],
    run.refusal ?? null,
  ]);
}

// Cancels a queued or waiting run at once; a running one is requested to stop.
const CANCEL = `
update agent_runs r set state = case when r.state in ${AT_WORK} then 'cancel_requested' else 'cancelled' end,
  ended_at = case when r.state in ${AT_WORK} then null else now() end, revision = r.revision + 1, updated_at = now()
where r.workspace_id = current_workspace() and r.id = $1 and r.state in ('queued', 'running', 'waiting')`;
const CANCEL_ACTIONS = `
update agent_actions a set state = 'cancelled', ended_at = now()
where a.workspace_id = current_workspace() and a.run_id = $1 and a.state in ('waiting', 'approved') and (
  select r.state from agent_runs r where r.workspace_id = current_workspace() and r.id = $1 limit 1) = 'cancelled'`;
export const cancelRun = (tx: Queries, id: string) =>
  Promise.all([tx.rows(CANCEL, [id]), tx.rows(CANCEL_ACTIONS, [id])]);

// ---- for the worker of a run ----------------------------------------------------------------------------------------

export const dueRuns = (writer: Pool, most: number) =>
  writer.use((tx) => tx.rows<{ workspace_id: string; id: string }>("select * from due_agent_runs($1)", [most]));

export interface ClaimedAgentRun {
  id: string;
  agent_id: string;
  definition_id: string;
  /** Key of the curated definition. */
  curated: string | null;
  actor_id: string;
  initiator_actor_id: string;
  name: string;
  version: number;
  trigger: string;
  parent_run_id: string | null;
  parent_turn_id: string | null;
  dry_run: boolean;
  input: string;
  /** Code of the Task that the run is about. */
  task_code: string | null;
  project_id: string | null;
  document_path: string | null;
  instructions: string;
  tools: string[];
  budgets: DefinitionBudgets;
  answered: boolean;
  fence: number;
  state: "running" | "cancel_requested";
  read_others: boolean;
  age: number;
  lets_ai_in: boolean;
  /** Locale of the initiator's account. */
  locale: string;
}
const CLAIM = `
update agent_runs r set fence = r.fence + 1, ${leasedBy("$2")},
  state = case r.state when 'queued' then 'running' else r.state end,
  started_at = case when r.started_at is null then now() else r.started_at end, revision = r.revision + 1,
  updated_at = now()
from (select * from agent_runs where workspace_id = current_workspace() and id = $1 limit 1) o
cross join lateral (select * from agents where workspace_id = current_workspace() and id = o.agent_id limit 1) a
cross join lateral (select * from agent_definitions where workspace_id = current_workspace() and id = o.definition_id
  limit 1) d
cross join lateral (
  select * from agent_versions
  where workspace_id = current_workspace() and definition_id = o.definition_id and version = o.version limit 1) v
where r.workspace_id = current_workspace() and r.id = $1
  and ${checked("r.state in ('queued', 'running', 'cancel_requested')")} and ${unheld}
returning r.id, r.agent_id, r.definition_id, d.curated, a.actor_id, r.initiator_actor_id, a.name, r.version, r.trigger,
  r.parent_run_id, r.parent_turn_id, r.dry_run, r.input,
  (select (select p.key from projects p where p.workspace_id = current_workspace() and p.id = t.project_id
    limit 1) || '-' || t.number from tasks t
    where t.workspace_id = current_workspace() and t.id = r.task_id limit 1) as task_code, r.project_id,
  (select x.path from documents x where x.workspace_id = current_workspace() and x.id = r.document_id
  limit 1) as document_path,
  v.instructions, v.tools, narrower_budgets(a.own_budgets, v.budgets) as budgets, r.answered_at is not null as answered,
  r.fence, r.state, r.read_others,
  case when r.answered_at is null then (extract(epoch from now() - r.started_at) * 1000)::int else 0 end as age,
  ${letsAiIn("r.workspace_id")} as lets_ai_in,
  coalesce((select (select u.locale from users u where u.id = m.user_id limit 1) from memberships m
    where m.workspace_id = current_workspace() and m.actor_id = r.initiator_actor_id limit 1), 'en') as locale`;
export const claimRun = (writer: Pool, workspaceId: string, id: string) =>
  inWorkspace(writer, workspaceId, (tx) => tx.maybe<ClaimedAgentRun>(CLAIM, [id, processId]));

const FAULT = "select fault from agent_caller(current_workspace(), $1)";
/** Error code if the run may not continue; checked before each step. */
export const faultOf = async (tx: Queries, runId: string) =>
  (await tx.maybe<{ fault: string | null }>(FAULT, [runId]))?.fault ?? null;

export interface ReachedProject {
  id: string;
  key: string;
}
const REACHED = `
select p.id, p.key from agent_caller(current_workspace(), $1) c
join projects p on p.workspace_id = current_workspace() and p.id = any(c.project_ids)`;
/** Projects that the run can read. */
export const reachedBy = (writer: Pool, { workspaceId, id }: RunLease) =>
  inWorkspace(writer, workspaceId, (tx) => tx.rows<ReachedProject>(REACHED, [id]));

export interface Output {
  kind: "text" | "document_draft";
  resource: { kind: "task" | "project"; id: string } | null;
  text: string;
}
const OUTPUT = `
insert into agent_outputs (workspace_id, id, run_id, number, kind, resource, text)
select current_workspace(), o.id, $1, o.number, o.kind, o.resource, o.text
from jsonb_to_recordset($2::jsonb) as o(id uuid, number bigint, kind text, resource jsonb, text text)`;
const ANSWERED = `
with run as (${holding("agent_runs", "r.id")})
update agent_runs r set answered_at = now(), limited = $3 from run
where r.workspace_id = current_workspace() and r.id = run.id returning r.id`;
/** Stores the outputs and marks the run as answered, in one commit. */
export const keepOutputs = (writer: Pool, held: RunLease, outputs: readonly Output[], limited: boolean) =>
  inWorkspace(writer, held.workspaceId, async (tx) => {
    still(await tx.rows(ANSWERED, [held.id, held.fence, limited]));
    await tx.rows(NOTED, [held.id]);
    const rows = outputs.map((output, number) => ({ id: newId(), number, ...output }));
    if (rows.length > 0) await tx.rows(OUTPUT, [held.id, JSON.stringify(rows)]);
  });

const OUTPUTS = `select kind, resource, text from agent_outputs where workspace_id = current_workspace() and run_id = $1
    order by number`;
export const outputsOf = (tx: Queries, runId: string) => tx.rows<Output>(OUTPUTS, [runId]);

const HELD = holding("agent_runs", "r.id");
// A later statement than the one that locks the run, so that it sees decisions until then.
const FINISH = `
with run as (
  select r.id, r.input_tokens - r.counted_input as input, r.output_tokens - r.counted_output as output,
    case when $3 <> 'completed' then $3 when exists (
      select from agent_actions a
      where a.workspace_id = current_workspace() and a.run_id = r.id and a.state = 'approved') then 'queued'
        when exists (
      select from agent_actions a
      where a.workspace_id = current_workspace() and a.run_id = r.id and a.state = 'waiting') then 'waiting'
        else $3 end as state
  from agent_runs r where r.workspace_id = current_workspace() and r.id = $1 and r.fence = $2
)
update agent_runs r set state = run.state, error_code = $4, ${NO_LEASE}, counted_input = r.input_tokens,
  counted_output = r.output_tokens,
  ended_at = case when run.state in ('queued', 'waiting') then null else now() end, revision = r.revision + 1,
  updated_at = now()
from run where r.workspace_id = current_workspace() and r.id = run.id
returning run.state, run.input::float8 as input, run.output::float8 as output`;
const END_ACTIONS = `
update agent_actions a set state = 'cancelled', ended_at = now()
where a.workspace_id = current_workspace() and a.run_id = $1 and a.state in ('waiting', 'approved')`;
export interface AgentRunEnd {
  state: "completed" | "failed" | "cancelled";
  error: string | null;
}
/** Stores the final or waiting state of the run and its usage; `with` runs in the same commit. */
export const finishRun = (
  writer: Pool,
  held: RunLease,
  { state, error }: AgentRunEnd,
  definitionId: string,
  also: (tx: Queries, state: string) => Promise<unknown> = async () => {},
) =>
  inWorkspace(writer, held.workspaceId, async (tx) => {
    still(await tx.rows(HELD, [held.id, held.fence]));
    const ended = await tx.one<{ state: string; input: number; output: number }>(FINISH, [
      ...[held.id, held.fence, state, error],
    ]);
    if (state !== "completed") await tx.rows(END_ACTIONS, [held.id]);
    await also(tx, ended.state);
    const { input: inputTokens, output: outputTokens } = ended;
    if (inputTokens + outputTokens > 0) await addUsage(tx, definitionId, { inputTokens, outputTokens });
    return ended.state;
  });
