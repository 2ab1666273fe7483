// SQL of the actions that runs propose, and of the decisions about them.
import { openToCaller, projectOfCaller } from "../../../planning/projects/access.ts";
import { inWorkspace } from "../../../platform/background/jobs.ts";
import type { Pool, Queries } from "../../../platform/database/db.ts";
import type { ListRow } from "../../../platform/kernel/implement-operation.ts";
import { holding, type RunLease, still } from "../../runs/store.ts";
import { APPROVAL_HOURS } from "./run-rules.ts";
import { actionView, outputView } from "./run-view.ts";

type Page = { after: readonly unknown[] | null; limit: number };
// A run r of the caller's own, while every Project that it could read is open to them: its rows may quote those
// Projects.
const readable = `(r.initiator_actor_id = current_actor() and not exists (
  select from unnest(case when r.reached_project_ids is null then array[r.project_id]
    else r.reached_project_ids end) reached(id)
  join projects p on p.workspace_id = current_workspace() and p.id = reached.id ${projectOfCaller}
  where not (${openToCaller})))`;
const ofOwn = (rows: string, row: string, shown: string) => `
/* reads up to 500: the Projects that it could read, a hundred at most and more where these have changed */
select ${shown} as json, json_build_array(${row}.number)::text as key from ${rows} ${row}
where ${row}.workspace_id = current_workspace() and ${row}.run_id = $1 and ${row}.number > $2::bigint and (
  select ${readable} from agent_runs r where r.workspace_id = current_workspace() and r.id = $1 limit 1)
  order by ${row}.number limit $3`;
const ACTIONS = ofOwn("agent_actions", "a", actionView);
const OUTPUTS = ofOwn("agent_outputs", "o", outputView);
const listed =
  (sql: string) =>
  (tx: Queries, runId: string, { after, limit }: Page) =>
    tx.rows<ListRow>(sql, [runId, after?.[0] ?? -1, limit + 1]);
export const listActions = listed(ACTIONS);
export const listOutputs = listed(OUTPUTS);

export interface AgentActionTarget {
  id: string;
  run_id: string;
  agent_id: string;
  state: string;
  digest: string;
  expired: boolean;
  agent_active: boolean;
}
const READ = `
/* reads up to 500: the Projects that its run could read */
select a.id, a.run_id, r.agent_id, a.state, a.digest, a.expires_at <= now() as expired, (
  select g.state = 'active' and g.deleted_at is null from agents g
  where g.workspace_id = current_workspace() and g.id = r.agent_id limit 1) as agent_active
from (select * from agent_actions where workspace_id = current_workspace() and id = $3 limit 1) a
cross join lateral (select * from agent_runs where workspace_id = current_workspace() and id = $2 limit 1) r
where a.run_id = r.id and r.agent_id = $1 and a.approval_id = $4 and ${readable}`;
export const readApproval = (tx: Queries, params: Record<string, string>) =>
  tx.maybe<AgentActionTarget>(READ, [params.agent_id, params.run_id, params.action_id, params.approval_id]);
// Locks in an earlier statement, so that the read sees the decision of a concurrent caller.
const HOLD = "select from agent_runs r where r.workspace_id = current_workspace() and r.id = $1 for no key update";
export const holdApproval = async (tx: Queries, params: Record<string, string>) =>
  (await Promise.all([tx.rows(HOLD, [params.run_id]), readApproval(tx, params)]))[1];

const DECIDE = `
update agent_actions a set state = $2, decided_at = now(), ended_at = case $2 when 'rejected' then now() end
where a.workspace_id = current_workspace() and a.id = $1 returning ${actionView} as json`;
// A waiting run continues with the approved action, or ends when no decision is left. The revision always rises, which
// notifies subscribers.
const GO_ON = `
update agent_runs r set state = n.state, ended_at = case when n.state = 'completed' then now() else r.ended_at end,
  revision = r.revision + 1, updated_at = now()
from (
  select o.id, case when o.state <> 'waiting' then o.state when $2 = 'approved' then 'queued' when exists (
    select from agent_actions a
    where a.workspace_id = current_workspace() and a.run_id = o.id and a.state in ('waiting', 'approved')) then o.state
      else 'completed' end as state
  from agent_runs o where o.workspace_id = current_workspace() and o.id = $1 limit 1
) n where r.workspace_id = current_workspace() and r.id = n.id`;
export async function decideAction(tx: Queries, { id, run_id }: AgentActionTarget, state: "approved" | "rejected") {
  const [decided] = await Promise.all([tx.one<{ json: string }>(DECIDE, [id, state]), tx.rows(GO_ON, [run_id, state])]);
  return decided;
}

// ---- for the worker of a run ----------------------------------------------------------------------------------------

export interface NewAgentAction {
  id: string;
  /** null: after the other actions of its run. */
  number: number | null;
  kind: string;
  target: string;
  preview: string;
  /** Sealed. */
  input: string;
  state: "planned" | "waiting" | "approved";
  approval: { id: string; digest: string } | null;
}
const ADD = `
with run as (${holding("agent_runs", "r.id")}), added as (
  insert into agent_actions (workspace_id, id, run_id, number, kind, target, preview, input, state, approval_id, digest,
    expires_at)
  select current_workspace(), $3, run.id, case when $11::bigint is null then (
    select max(a.number) + 1 from agent_actions a where a.workspace_id = current_workspace() and a.run_id = run.id)
      else $11 end, $4, $5, $6, $7, $8, $9, $10,
      case when $9::uuid is not null then now() + interval '${APPROVAL_HOURS} hours' end from run
  on conflict (workspace_id, id) do nothing
)
select from run`;
/** Adds the Projects that the run can read by now, and raises its revision, which notifies subscribers. */
export const NOTED = `
update agent_runs r set revision = r.revision + 1, updated_at = now(), reached_project_ids = array(
  select distinct reached.id
  from unnest(case when r.reached_project_ids is null then c.project_ids
    else r.reached_project_ids || c.project_ids end) reached(id))
from agent_caller(current_workspace(), $1) c where r.workspace_id = current_workspace() and r.id = $1`;
const STATE = "select state from agent_actions where workspace_id = current_workspace() and id = $1";
/** Stores an action before it is performed, and returns its state. Repeated after a crash it is a no-op. */
export const addAction = (writer: Pool, held: RunLease, action: NewAgentAction) =>
  inWorkspace(writer, held.workspaceId, async (tx) => {
    still(
      await tx.rows(ADD, [
        ...[held.id, held.fence, action.id, action.kind, action.target, action.preview, action.input, action.state],
        ...[action.approval?.id ?? null, action.approval?.digest ?? null, action.number],
      ]),
    );
    const [, { state }] = await Promise.all([tx.rows(NOTED, [held.id]), tx.one<{ state: string }>(STATE, [action.id])]);
    return state;
  });

const AT_ONCE = `
/* reads up to 100: it counts them */
select count(*)::int as count from agent_actions a
where a.workspace_id = current_workspace() and a.run_id = $1 and a.approval_id is null`;
/** Number of actions made without approval. */
export const madeAtOnce = (writer: Pool, { workspaceId, id }: RunLease) =>
  inWorkspace(writer, workspaceId, async (tx) => (await tx.one<{ count: number }>(AT_ONCE, [id])).count);

const END = `
with run as (${holding("agent_runs", "r.id")})
update agent_actions a set state = $4, receipt_id = $5, refusal = $6, ended_at = now() from run
where a.workspace_id = current_workspace() and a.id = $3 and a.state = 'approved' returning a.id`;
export const endAction = (
  writer: Pool,
  held: RunLease,
  id: string,
  outcome: { state: "done" | "refused"; receiptId: string | null; refusal: string | null },
) =>
  inWorkspace(writer, held.workspaceId, (tx) =>
    Promise.all([
      tx.rows(END, [held.id, held.fence, id, outcome.state, outcome.receiptId, outcome.refusal]),
      tx.rows(NOTED, [held.id]),
    ]),
  );

const APPROVED = `
select a.id, a.kind, a.input from agent_actions a
where a.workspace_id = current_workspace() and a.run_id = $1 and a.state = 'approved' order by a.number`;
/** Approved actions, which are to be performed. */
export const approvedActions = (writer: Pool, { workspaceId, id }: RunLease) =>
  inWorkspace(writer, workspaceId, (tx) => tx.rows<{ id: string; kind: string; input: string }>(APPROVED, [id]));

const ASKED = `
/* reads up to 100000: what an Agent has wanted within a week */
select distinct a.target from (
  select id from agent_runs where workspace_id = current_workspace() and agent_id = $1
    and created_at > now() - interval '7 days' and id <> $4
  order by created_at desc limit 1000
) r cross join lateral (
  select target from agent_actions
  where workspace_id = current_workspace() and run_id = r.id and kind = $2 and target = any($3::text[])
    and state in ('waiting', 'approved', 'done') limit 100
) a`;
/** The targets among these that this Agent has acted on within the last week. */
export const doneLately = (
  writer: Pool,
  { workspaceId, id }: RunLease,
  agentId: string,
  kind: string,
  targets: readonly string[],
) =>
  inWorkspace(writer, workspaceId, async (tx) =>
    (await tx.rows<{ target: string }>(ASKED, [agentId, kind, targets, id])).map(({ target }) => target),
  );

// Expires actions without a decision, and completes runs that then wait for nothing.
export const EXPIRE = `
with expired as (
  update agent_actions a set state = 'expired', ended_at = now() where a.state = 'waiting' and a.expires_at <= now()
  returning a.workspace_id, a.run_id, a.id
)
update agent_runs r set state = case when n.ends and r.state = 'waiting' then 'completed' else r.state end,
  ended_at = case when n.ends and r.state = 'waiting' then now() else r.ended_at end,
  revision = r.revision + 1, updated_at = now()
from (
  select e.workspace_id, e.run_id, not exists (
    select from agent_actions a
    where a.workspace_id = e.workspace_id and a.run_id = e.run_id and a.state in ('waiting', 'approved')
      and not exists (select from expired x where x.workspace_id = a.workspace_id and x.id = a.id)) as ends
  from (select distinct workspace_id, run_id from expired) e
) n where r.workspace_id = n.workspace_id and r.id = n.run_id`;
