// Agents and their definitions, put into a Workspace by SQL, for tests of what stands on them.
import { type DefinitionBudgets, defaultBudgets, type Trigger } from "../src/assistant/agents/rules.ts";
import { newId } from "../src/platform/wire/ids.ts";
import type { TestService } from "./world.ts";

interface Planted {
  name?: string;
  instructions?: string;
  tools?: string[];
  triggers?: Trigger[];
  projectIds?: string[];
  budgets?: DefinitionBudgets;
  /** How many there are, each published. */
  versions?: number;
}
const DEFINITION = `
insert into agent_definitions (workspace_id, id, state, version, published_version, created_by_actor_id)
values ($1, $2, 'published', $4, $4, $3)`;
const VERSION = `
insert into agent_versions (workspace_id, definition_id, version, name, description, instructions, tools, triggers,
  project_ids, budgets, published_by_actor_id, published_at)
select $1, $2, n, $4, '', $5, $6, $7, $8, $9, $3, now() from generate_series(1, $10) n`;
/** Published by this Actor. */
export async function plantDefinition(
  running: TestService,
  workspaceId: string,
  publisher: string,
  planted: Planted = {},
) {
  const { name = "Helper", instructions = "Help.", tools = ["find"], triggers = [{ kind: "manual" }] } = planted;
  const { projectIds = [], budgets = defaultBudgets, versions = 1 } = planted;
  const id = newId();
  const by = [workspaceId, id, publisher];
  const content = [name, instructions, tools, JSON.stringify(triggers), projectIds, JSON.stringify(budgets)];
  await running.sql(DEFINITION, [...by, versions], workspaceId);
  await running.sql(VERSION, [...by, ...content, versions], workspaceId);
  return { id, revision: "1" };
}

const ACTOR = "insert into actors (workspace_id, id, kind, name) values ($1, $2, 'agent', $3)";
const AGENT = `
insert into agents (workspace_id, id, definition_id, version, actor_id, name, username, project_ids, trigger_kinds,
  created_by_actor_id)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;
/** Enabled and active, at the newest version. */
export async function plantAgent(running: TestService, workspaceId: string, publisher: string, planted: Planted = {}) {
  const { name = "Helper", triggers = [{ kind: "manual" }], projectIds = [], versions = 1 } = planted;
  const { id: definitionId } = await plantDefinition(running, workspaceId, publisher, planted);
  const [id, actorId] = [newId(), newId()];
  const kinds = triggers.map(({ kind }) => kind);
  const agent = [id, definitionId, versions, actorId, name, `agent-${id.slice(-12)}`, projectIds, kinds, publisher];
  await running.sql(ACTOR, [workspaceId, actorId, name], workspaceId);
  await running.sql(AGENT, [workspaceId, ...agent], workspaceId);
  return { id, revision: "1", definitionId, actorId };
}
