// An Agent, put into a Workspace by SQL, for tests of what stands on one.
import type { Budgets, Trigger } from "../src/agents/rules.ts";
import { newId } from "../src/wire/ids.ts";
import type { TestService } from "./world.ts";

export const someBudgets: Budgets = {
  runs_per_hour: 20,
  seconds_per_run: 300,
  steps_per_run: 24,
  tokens_per_run: 100_000,
  tokens_per_day: 1_000_000,
};

interface Planted {
  name?: string;
  instructions?: string;
  tools?: string[];
  triggers?: Trigger[];
  projectIds?: string[];
  budgets?: Budgets;
}
/** Enabled and active, at version 1, published by this Actor. */
export async function plantAgent(running: TestService, workspaceId: string, publisher: string, planted: Planted = {}) {
  const { name = "Helper", instructions = "Help.", tools = ["find"], triggers = [{ kind: "manual" }] } = planted;
  const { projectIds = [], budgets = someBudgets } = planted;
  const [id, definitionId, actorId] = [newId(), newId(), newId()];
  const sql = (text: string, values: unknown[]) => running.sql(text, [workspaceId, ...values], workspaceId);
  await sql("insert into actors (workspace_id, id, kind, name) values ($1, $2, 'agent', $3)", [actorId, name]);
  await sql(
    "insert into agent_definitions (workspace_id, id, state, published_version, created_by_actor_id) values ($1, $2, 'published', 1, $3)",
    [definitionId, publisher],
  );
  await sql(
    `insert into agent_versions (workspace_id, definition_id, version, name, description, instructions, tools, triggers, project_ids, budgets, published_by_actor_id, published_at)
     values ($1, $2, 1, $3, '', $4, $5, $6, $7, $8, $9, now())`,
    [definitionId, name, instructions, tools, JSON.stringify(triggers), projectIds, JSON.stringify(budgets), publisher],
  );
  await sql(
    `insert into agents (workspace_id, id, definition_id, version, actor_id, name, username, project_ids, trigger_kinds, created_by_actor_id)
     values ($1, $2, $3, 1, $4, $5, $6, $7, $8, $9)`,
    [
      ...[id, definitionId, actorId, name, `agent-${id.slice(-12)}`, projectIds],
      ...[triggers.map(({ kind }) => kind), publisher],
    ],
  );
  return { id, definitionId, actorId };
}
