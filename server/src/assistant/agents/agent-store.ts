// SQL of the Agents that a Workspace has enabled. A caller that changes one has locked its row, or the Workspace.

import { narrowedSeen } from "../../planning/projects/access.ts";
import type { Queries } from "../../platform/database/db.ts";
import type { ListRow } from "../../platform/kernel/implement-operation.ts";
import { NIL } from "../../platform/wire/ids.ts";
import type { AgentState, DefinitionBudgets, Trigger } from "./rules.ts";
import { agentView } from "./view.ts";

const FROM = `
agents a cross join lateral (
  select * from agent_versions
  where workspace_id = a.workspace_id and definition_id = a.definition_id and version = a.version limit 1) v
where a.workspace_id = current_workspace() and a.deleted_at is null`;

export interface AgentTarget {
  id: string;
  json: string;
  revision: string;
  definition_id: string;
  actor_id: string;
  version: number;
  name: string;
  state: AgentState;
  own_project_ids: string[];
  project_ids: string[];
  own_budgets: Partial<DefinitionBudgets>;
  /** Projects of the version that it runs. */
  version_project_ids: string[];
  retired: boolean;
}
const READ = `
select ${agentView} as json, a.id, a.revision::text, a.definition_id, a.actor_id, a.version, a.name, a.state,
  a.own_project_ids::text[] as own_project_ids,
  a.project_ids::text[] as project_ids, a.own_budgets, v.project_ids::text[] as version_project_ids, (
    select d.state = 'retired' from agent_definitions d
    where d.workspace_id = a.workspace_id and d.id = a.definition_id) as retired
from ${FROM} and a.id = $1 and ${narrowedSeen("a")}`;
const CHANGE = `${READ} for no key update of a`;
export const readAgent = (tx: Queries, id: string, change = false) =>
  tx.maybe<AgentTarget>(change ? CHANGE : READ, [id]);

const LIST = `
select ${agentView} as json, json_build_array(a.id)::text as key from ${FROM} and a.id > $1 and ${narrowedSeen("a")}
order by a.id limit $2`;
export const listAgents = (tx: Queries, { after, limit }: { after: readonly unknown[] | null; limit: number }) =>
  tx.rows<ListRow>(LIST, [after?.[0] ?? NIL, limit + 1]);

const ROOM = `
/* reads up to 400: it counts them */
select (select count(*) from agents where workspace_id = current_workspace() and deleted_at is null) < $2 as room, (
  select c.name from unnest($1::text[]) with ordinality c(name, place)
  where not exists (select from agents a
    where a.workspace_id = current_workspace() and a.username = c.name and a.deleted_at is null)
    and not exists (select from member_names n
      where n.workspace_id = current_workspace() and n.part = 0 and n.name = c.name)
  order by c.place limit 1) as username`;
/** Whether another Agent may be enabled, and the first of these names that is free. */
export const roomFor = (tx: Queries, usernames: readonly string[], most: number) =>
  tx.one<{ room: boolean; username: string | null }>(ROOM, [usernames, most]);

export interface NewAgent {
  id: string;
  actorId: string;
  definitionId: string;
  version: number;
  name: string;
  username: string;
  ownProjectIds: readonly string[];
  projectIds: readonly string[];
  ownBudgets: Partial<DefinitionBudgets>;
  triggers: readonly Trigger[];
}
const kindsOf = (triggers: readonly Trigger[]) => [...new Set(triggers.map(({ kind }) => kind))];
const ACTOR = "insert into actors (workspace_id, id, kind, name) values (current_workspace(), $1, 'agent', $2)";
const CREATE = `
insert into agents (workspace_id, id, definition_id, version, actor_id, name, username, own_project_ids, project_ids,
  own_budgets, trigger_kinds, created_by_actor_id)
values (current_workspace(), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, current_actor())`;
export const createAgent = (tx: Queries, agent: NewAgent) =>
  Promise.all([
    tx.rows(ACTOR, [agent.actorId, agent.name]),
    tx.rows(CREATE, [
      ...[agent.id, agent.definitionId, agent.version, agent.actorId, agent.name, agent.username],
      ...[agent.ownProjectIds, agent.projectIds, JSON.stringify(agent.ownBudgets), kindsOf(agent.triggers)],
    ]),
  ]);

interface Changed {
  name: string;
  state: AgentState;
  ownProjectIds: readonly string[];
  projectIds: readonly string[];
  ownBudgets: Partial<DefinitionBudgets>;
  /** Decides the state anew and clears the reason and the quarantine. */
  settles: boolean;
}
const RENAME = "update actors set name = $2 where workspace_id = current_workspace() and id = $1 and name <> $2";
const UPDATE = `
update agents set name = $2, state = $3, own_project_ids = $4, project_ids = $5, own_budgets = $6,
  reason = case when $7 then null else reason end, quarantined_at = case when $7 then null else quarantined_at end,
  quarantined_by_actor_id = case when $7 then null else quarantined_by_actor_id end, revision = revision + 1,
  updated_at = now()
where workspace_id = current_workspace() and id = $1`;
export const updateAgent = (tx: Queries, { id, actor_id }: AgentTarget, changed: Changed) =>
  Promise.all([
    tx.rows(RENAME, [actor_id, changed.name]),
    tx.rows(UPDATE, [
      ...[id, changed.name, changed.state, changed.ownProjectIds, changed.projectIds],
      ...[JSON.stringify(changed.ownBudgets), changed.settles],
    ]),
  ]);

const QUARANTINE = `
update agents set state = 'quarantined', reason = $2, quarantined_at = now(), quarantined_by_actor_id = current_actor(),
  revision = revision + 1, updated_at = now()
where workspace_id = current_workspace() and id = $1`;
export const quarantineAgent = (tx: Queries, id: string, reason: string) => tx.rows(QUARANTINE, [id, reason]);

const DELETE = `update agents set deleted_at = now(), revision = revision + 1, updated_at = now()
    where workspace_id = current_workspace() and id = $1`;
export const deleteAgent = (tx: Queries, id: string) => tx.rows(DELETE, [id]);

export interface Version {
  triggers: Trigger[];
  project_ids: string[];
}
const VERSION = `
select v.triggers, v.project_ids::text[] as project_ids from agent_versions v
where v.workspace_id = current_workspace() and v.definition_id = $1 and v.version = $2 and v.published_at is not null`;
export const publishedVersion = (tx: Queries, definitionId: string, version: number) =>
  tx.maybe<Version>(VERSION, [definitionId, version]);

const MOVE = `
update agents set version = $2, trigger_kinds = $3, project_ids = $4, revision = revision + 1, updated_at = now()
where workspace_id = current_workspace() and id = $1`;
export const moveAgent = (
  tx: Queries,
  id: string,
  version: number,
  triggers: readonly Trigger[],
  projectIds: readonly string[],
) => tx.rows(MOVE, [id, version, kindsOf(triggers), projectIds]);

export interface Enabled {
  id: string;
  version: number;
  state: AgentState;
  own_project_ids: string[];
  project_ids: string[];
}
const OF_DEFINITION = `
select a.id, a.version, a.state, a.own_project_ids::text[] as own_project_ids, a.project_ids::text[] as project_ids
from agents a
where a.workspace_id = current_workspace() and a.definition_id = $1 and a.deleted_at is null for no key update`;
/** Locks the row. */
export const agentOf = (tx: Queries, definitionId: string) => tx.maybe<Enabled>(OF_DEFINITION, [definitionId]);
