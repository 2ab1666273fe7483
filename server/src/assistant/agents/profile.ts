// Public profile of an Agent, from the version that was published last, or from the draft if none was.
import {
  AgentProfile,
  getAgentProfile as declared,
  MOST_VERSIONS_SHOWN,
} from "@svc/contract/assistant/agents/profile.ts";
import { may } from "../../accounts/workspaces/rules.ts";
import { narrowedSeen, projectOfCaller, projectVisible } from "../../planning/projects/access.ts";
import type { Queries } from "../../platform/database/db.ts";
import { view } from "../../platform/database/view.ts";
import { type Access, implement } from "../../platform/kernel/implement-operation.ts";
import { agentTools } from "../tools/tools.ts";
import { curatedById } from "./curated-agents.ts";
import { narrowing } from "./view.ts";

const MOST_COUNTED = 100;
const openTasks = `(select count(*)::int from (
  select from tasks t join projects p on p.workspace_id = t.workspace_id and p.id = t.project_id ${projectOfCaller}
  where t.workspace_id = current_workspace() and t.assignee_actor_id = d.actor_id and t.completed_at is null
    and t.trashed_at is null and ${projectVisible}
  limit ${MOST_COUNTED}) t)`;
const versions = `(select coalesce(json_agg(json_build_object('version', v.version,
    'published_at', wire_time(v.published_at), 'published_by_actor_id', v.published_by_actor_id)
    order by v.version desc), '[]') from (
  select * from agent_versions
  where workspace_id = current_workspace() and definition_id = d.definition_id and published_at is not null
  order by version desc limit ${MOST_VERSIONS_SHOWN}) v)`;
const runs = `(select coalesce(sum(u.runs), 0)::int from agent_usage u
  where u.workspace_id = current_workspace() and u.definition_id = d.definition_id
    and u.day > (now() at time zone 'UTC')::date - 30)`;
const profileView = view(AgentProfile, "d", {
  ...narrowing("d"),
  changes_work: "d.tools && $3::text[]",
  open_task_count: openTasks,
  runs_in_30_days: runs,
  versions,
});
const PROFILE = `
/* reads up to 800: it counts Tasks and days */
select ${profileView} as json from (
  select d.id as definition_id, d.state, v.name, v.description, v.tools, v.triggers, v.project_ids, v.budgets, v.version
  from agent_definitions d cross join lateral (
    select * from agent_versions where workspace_id = d.workspace_id and definition_id = d.id
      and version = case when d.published_version is null then d.version else d.published_version end limit 1) v
  where d.workspace_id = current_workspace() and d.id = $1
  union all
  select c.id, 'published', c.name, c.description, c.tools, c.triggers, '{}', c.budgets, c.version
  from jsonb_to_recordset($2::jsonb) as c(id uuid, version integer, name text, description text, tools text[],
    triggers jsonb, budgets jsonb)
  where not exists (select from agent_definitions o where o.workspace_id = current_workspace() and o.id = c.id)
) v left join lateral (
  select a.id as agent_id, a.state as agent_state, a.actor_id, a.username from agents a
  where a.workspace_id = current_workspace() and a.definition_id = v.definition_id and a.deleted_at is null limit 1) a
    on true
cross join lateral (select v.*, a.*) d where ${narrowedSeen("d")}`;
const CHANGING = agentTools.filter(({ annotations }) => !annotations.readOnlyHint).map(({ name }) => name);

function load(tx: Queries, id: string) {
  const coming = curatedById.get(id);
  return tx.maybe<{ json: string }>(PROFILE, [id, JSON.stringify(coming ? [coming] : []), CHANGING]);
}
const profile: Access<{ json: string }> = {
  reach: "membership",
  load: (tx, { definition_id }) => load(tx, definition_id as string),
  permits: ({ member }) => may(member.role, "agents:read"),
};

export const getAgentProfile = implement(declared, profile, async (_context, { target }) => ({ json: target.json }));
