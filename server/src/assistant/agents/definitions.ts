// Definitions that a Workspace can enable: the curated ones, then its own published ones.

import { AgentDefinitionOption, listAgentDefinitions as declared } from "@svc/contract/assistant/agents/definitions.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { narrowedSeen } from "../../planning/projects/access.ts";
import { view } from "../../platform/database/view.ts";
import { implementList } from "../../platform/kernel/implement-operation.ts";
import { NIL } from "../../platform/wire/ids.ts";
import { curated } from "./curated-agents.ts";
import { narrowing } from "./view.ts";

const agentId = `(select a.id from agents a
  where a.workspace_id = current_workspace() and a.definition_id = d.id and a.deleted_at is null)`;
const optionView = view(AgentDefinitionOption, "d", { ...narrowing("d"), agent_id: agentId });
// $1: index of the last curated definition on the page before; $2: id of the last own one, which follow the curated
// ones.
const OWN = `
select ${curated.length} as place, d.id, null as curated, v.name, v.description, v.tools, v.triggers, v.project_ids,
  v.budgets, '[]'::jsonb as translations, v.version
from agent_definitions d cross join lateral (
  select * from agent_versions
  where workspace_id = d.workspace_id and definition_id = d.id and version = d.published_version limit 1) v
where d.workspace_id = current_workspace() and d.curated is null and d.state <> 'retired'
  and d.published_version is not null and d.id > $2
  and ${narrowedSeen("v")} order by d.id limit $3`;
const LIST = `
/* reads up to 2000: at most 500, of which some are published */
select ${optionView} as json, json_build_array(d.place, d.id)::text as key from (
  select (c.place - 1)::int as place, c.id, c.key as curated, c.name, c.description, c.tools, c.triggers,
    '{}'::uuid[] as project_ids, c.budgets, c.translations, c.version
  from rows from (jsonb_to_recordset($4::jsonb) as (id uuid, key text, version integer, name text, description text,
    tools text[], triggers jsonb, budgets jsonb, translations jsonb))
    with ordinality c(id, key, version, name, description, tools, triggers, budgets, translations, place)
  where c.place - 1 > $1::int
  union all (${OWN})
) d order by d.place, d.id limit $3`;
const COMING = JSON.stringify(curated.map(({ instructions: _, ...each }) => each));

export const listAgentDefinitions = implementList(declared, workspace("agents:read"), (tx, { page }) =>
  tx.rows(LIST, [page.after?.[0] ?? -1, ownAfter(page.after), page.limit + 1, COMING]),
);

const ownAfter = (after: readonly unknown[] | null) => (after?.[0] === curated.length ? after[1] : NIL);
