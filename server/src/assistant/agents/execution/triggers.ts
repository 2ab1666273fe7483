// Triggers of Agents other than a manual start: a mention, an assignment, an event and a schedule. Each cause starts
// one run, however often it is read and whatever happens to the reading process. Changes by Agents start none.
import { triggerActions } from "@svc/contract/assistant/agents/definitions.ts";
import { namedIn, written } from "../../../history/inbox/document-store.ts";
import { texts, textsOf } from "../../../history/inbox/notice-store.ts";
import { mentionsIn } from "../../../history/inbox/rules.ts";
import {
  BEGINNING,
  enqueue,
  type FollowerPosition,
  inPages,
  inWorkspace,
  TENANT,
} from "../../../platform/background/jobs.ts";
import type { Database, Queries } from "../../../platform/database/db.ts";
import type { RunLimits } from "../../../platform/settings/run-limits.ts";
import { isCrowded } from "../../runs/budget-store.ts";
import type { Trigger } from "../rules.ts";
import { type AgentToRun, addUsage, agentsOnSchedule, agentsTriggeredBy, agentToRun } from "../store.ts";
import { dueAt } from "./run-rules.ts";
import { holdAgent, holdAgents, insertRun, type NewRun } from "./run-store.ts";

type Writer = Pick<Database, "writer">;
interface Happened {
  id: string;
  workspace_id: string;
  type: string;
  actor_id: string;
  project_id: string | null;
  task_id: string | null;
  resource_kind: string;
  resource_id: string;
  occurred_at: string;
}
const ASSIGNED = ["task.created", "task.assigned"];
const KINDS = [...new Set([...texts, ...written, ...ASSIGNED, ...triggerActions])];
const AT_ONCE = 500;
const TAKE = "select after::text, settled::text, events, more from agent_events($1, $2, $3, $4)";

/** Starts the runs that new events trigger. */
export async function startFromEvents({ writer }: Writer, limits: RunLimits): Promise<void> {
  let position: FollowerPosition = BEGINNING;
  await inPages(() =>
    writer.use(async (tx) => {
      await Promise.all([tx.begin(), tx.atLength()]);
      const { events, more, ...next } = await tx.one<FollowerPosition & { events: Happened[]; more: boolean }>(TAKE, [
        ...[KINDS, AT_ONCE, position.after, position.settled],
      ]);
      for (const [workspaceId, theirs] of Map.groupBy(events, ({ workspace_id }) => workspace_id))
        await startIn(tx, limits, workspaceId, theirs);
      await tx.commit();
      position = next;
      return more;
    }),
  );
}

async function startIn(tx: Queries, limits: RunLimits, workspaceId: string, events: readonly Happened[]) {
  await tx.rows(TENANT, [workspaceId]);
  const [mentioned, assigned, eventful] = await Promise.all([
    agentsTriggeredBy(tx, "mention"),
    agentsTriggeredBy(tx, "assignment"),
    agentsTriggeredBy(tx, "event"),
  ]);
  const starts: Start[] = [];
  for (const event of events) {
    starts.push(...(await assignedBy(tx, event, assigned)));
    for (const agent of eventful)
      if (
        agent.triggers.some(({ kind, action }) => kind === "event" && action === event.type) &&
        isWithin(agent, event)
      )
        starts.push({
          agent,
          trigger: "event",
          cause: `event ${event.id}`,
          initiatorActorId: agent.publisher_actor_id,
          ...aboutOf(event),
        });
  }
  if (mentioned.length > 0) starts.push(...(await mentionedIn(tx, events, mentioned)));
  await startAll(tx, limits, starts);
}
const isWithin = ({ project_ids }: AgentToRun, { project_id }: Happened) =>
  project_ids.length === 0 || (project_id !== null && project_ids.includes(project_id));
const aboutOf = ({ task_id, project_id, resource_kind, resource_id }: Happened) => ({
  taskId: task_id,
  projectId: project_id,
  documentId: resource_kind === "document" ? resource_id : null,
});

const ASSIGNMENT = `
select s.id, s.actor_id, s.assigned_by_actor_id from task_assignments s
where s.workspace_id = current_workspace() and s.task_id = $1 and s.closed_at is null and s.actor_id = any($2::uuid[])`;
/** Agent that a Task was assigned to and still is; each assignment is a cause of its own. */
async function assignedBy(tx: Queries, event: Happened, agents: readonly AgentToRun[]): Promise<Start[]> {
  if (agents.length === 0 || !ASSIGNED.includes(event.type) || event.task_id === null) return [];
  const actors = agents.map(({ actor_id }) => actor_id);
  const assignment = await tx.maybe<{ id: string; actor_id: string; assigned_by_actor_id: string }>(ASSIGNMENT, [
    ...[event.task_id, actors],
  ]);
  const agent = agents.find(({ actor_id }) => actor_id === assignment?.actor_id);
  if (!assignment || !agent || !isWithin(agent, event)) return [];
  const initiatorActorId = assignment.assigned_by_actor_id;
  return [{ agent, trigger: "assignment", cause: `assignment ${assignment.id}`, initiatorActorId, ...aboutOf(event) }];
}

const NAMES =
  "select a.id, a.username from agents a where a.workspace_id = current_workspace() and a.id = any($1::uuid[])";
/** A text starts an Agent once, however often it is edited; a Document counts as one text. */
async function mentionedIn(tx: Queries, events: readonly Happened[], agents: readonly AgentToRun[]) {
  const [said, documents] = [texts, written].map((types) => events.filter(({ type }) => types.includes(type))) as [
    Happened[],
    Happened[],
  ];
  const starts: Start[] = [];
  if (said.length + documents.length === 0) return starts;
  const names = await tx.rows<{ id: string; username: string }>(NAMES, [agents.map(({ id }) => id)]);
  const add = (agent: AgentToRun, eventId: string, sourceId: string, input: string) => {
    const event = events.find(({ id }) => id === eventId) as Happened;
    if (isWithin(agent, event))
      starts.push({
        agent,
        trigger: "mention",
        cause: `mention ${sourceId}`,
        initiatorActorId: event.actor_id,
        ...aboutOf(event),
        input: input.slice(0, 20_000),
      });
  };
  const agentOf = (of: string) => agents.find(({ id }) => id === of) as AgentToRun;
  for (const { event_id, source_id, text } of said.length > 0 ? await textsOf(tx, said as never) : []) {
    const named = new Set(mentionsIn(text));
    for (const { id } of names.filter(({ username }) => named.has(username)))
      add(agentOf(id), event_id, source_id, text);
  }
  for (const { event_id, document_id, people, names: named } of documents.length > 0
    ? await namedIn(tx, documents)
    : [])
    for (const { id, username } of names)
      if (named.includes(username) || people.includes(agentOf(id).actor_id))
        add(agentOf(id), event_id, document_id, "");
  return starts;
}

interface Start extends Pick<NewRun, "initiatorActorId" | "projectId" | "taskId" | "documentId" | "input"> {
  agent: AgentToRun;
  trigger: "mention" | "assignment" | "event" | "schedule";
  cause: string;
}
async function startAll(tx: Queries, limits: RunLimits, starts: readonly Start[]): Promise<void> {
  if (starts.length === 0) return;
  await holdAgents(tx, [...new Set(starts.map(({ agent }) => agent.id))]);
  const begun: AgentToRun[] = [];
  for (const each of starts) if (await start(tx, limits, each)) begun.push(each.agent);
  if (begun.length === 0) return;
  for (const [definitionId, runs] of Map.groupBy(begun, ({ definition_id }) => definition_id))
    await addUsage(tx, definitionId, { runs: runs.length });
  await enqueue(tx, "agents", {});
}

const MAY = `
select from memberships where workspace_id = current_workspace() and actor_id = $1 and state = 'active'
  and role <> 'viewer'`;
/**
 * Starts a run if its initiator may run Agents and the Agent has not begun too many. Above the budget of the initiator
 * or the Workspace the run is stored as failed, so that the list of runs shows the reason.
 */
async function start(tx: Queries, limits: RunLimits, { agent, ...run }: Start): Promise<boolean> {
  const scheduled = run.trigger === "schedule" || run.trigger === "event";
  if (!scheduled && !(await tx.maybe(MAY, [run.initiatorActorId]))) return false;
  const { id: agentId, definition_id: definitionId, version } = agent;
  if ((await holdAgent(tx, agentId)) >= agent.budgets.runs_per_hour) return false;
  const refusal = (await isCrowded(tx, scheduled ? null : run.initiatorActorId, limits)) ? "runs_exceeded" : null;
  const made = await insertRun(tx, { ...run, agentId, definitionId, version, refusal });
  return made !== undefined && refusal === null;
}

const SINCE = `
select greatest(a.created_at, v.published_at) <= now() - make_interval(mins => $2) as before from agents a
join agent_versions v on v.workspace_id = a.workspace_id and v.definition_id = a.definition_id and v.version = a.version
where a.workspace_id = current_workspace() and a.id = $1`;
/** Starts runs due in this minute or within the last ten: the worker may have been down. */
export async function startOnSchedule({ writer }: Writer, limits: RunLimits, now = new Date()): Promise<void> {
  for (const { workspace_id, id } of await writer.use((tx) => agentsOnSchedule(tx)))
    await inWorkspace(writer, workspace_id, async (tx) => {
      const agent = await agentToRun(tx, { id });
      if (agent?.state !== "active") return;
      const starts: Start[] = [];
      for (const trigger of agent.triggers.filter(({ kind }: Trigger) => kind === "schedule")) {
        const due = dueAt(trigger, now);
        if (due === null || !(await tx.maybe<{ before: boolean }>(SINCE, [id, due.late]))?.before) continue;
        const initiatorActorId = agent.publisher_actor_id;
        starts.push({ agent, trigger: "schedule", cause: `schedule ${due.name}`, initiatorActorId });
      }
      await startAll(tx, limits, starts);
    });
}
