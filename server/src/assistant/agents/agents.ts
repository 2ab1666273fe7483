// Agents of a Workspace: enabled, narrowed, paused, quarantined, moved between versions and deleted. Their changes
// stay, under their Actor's name.
import * as contract from "@svc/contract/assistant/agents/agents.ts";
import { isReservedUsername } from "../../accounts/account/rules.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { differing } from "../../platform/database/sql.ts";
import { type Context, implement, implementList } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { newId } from "../../platform/wire/ids.ts";
import { refuse, refuseAt } from "../../platform/wire/problem.ts";
import { slugCandidates, slugOf } from "../../platform/wire/slug.ts";
import { agent, agentsOfWorkspace, requireSeenProjects } from "./access.ts";
import * as store from "./agent-store.ts";
import { curatedById } from "./curated-agents.ts";
import { copyCurated, definitionToEnable } from "./definition-store.ts";
import { agentCreated, agentDeleted, agentQuarantined, agentRolledBack, agentUpdated, subjectOf } from "./events.ts";
import { agentCapabilities, narrowedProjects } from "./rules.ts";

const shown = ({ member }: Context, target: store.AgentTarget) =>
  render(target, agentCapabilities(member.role, target));
const readAgain = async (context: Context, id: string) =>
  shown(context, (await store.readAgent(context.tx, id)) as store.AgentTarget);

export const listAgents = implementList(contract.listAgents, workspace("agents:read"), (tx, { page }) =>
  store.listAgents(tx, page),
);

export const getAgent = implement(contract.getAgent, agent("agents:read"), async (context, { target }) =>
  shown(context, target),
);

const USERNAME_LENGTH = 30;
const usernamesFor = (name: string) =>
  slugCandidates(slugOf(name, USERNAME_LENGTH) || "agent", USERNAME_LENGTH).filter((each) => !isReservedUsername(each));

/** Projects of the Agent, which must be a subset of the version's; empty means all of the version's. */
function narrowed(own: readonly string[], ofVersion: readonly string[]): readonly string[] {
  const beyond = ofVersion.length > 0 ? own.findIndex((id) => !ofVersion.includes(id)) : -1;
  if (beyond >= 0)
    return refuseAt(`/body/project_ids/${beyond}`, "invalid_reference", "must be one of the definition's Projects");
  return own.length > 0 ? own : ofVersion;
}

export const createAgent = implement(
  contract.createAgent,
  agentsOfWorkspace("agents:manage"),
  async (context, { body }) => {
    const { tx, record } = context;
    const { definition_id: definitionId, project_ids: own = [], budgets = {} } = body;
    const coming = curatedById.get(definitionId);
    const [stored] = await Promise.all([
      coming ? null : definitionToEnable(tx, definitionId),
      requireSeenProjects(tx, own),
    ]);
    if (stored === undefined) return refuseAt("/body/definition_id", "invalid_reference", "must be a definition");
    if (stored && (stored.state === "retired" || stored.content === null)) return refuse("definition_not_published");
    const version = stored?.version ?? coming?.version ?? 1;
    const content = { project_ids: [] as string[], ...(stored?.content ?? coming) } as store.Version & { name: string };
    const name = body.name ?? content.name;
    const { room, username } = await store.roomFor(tx, usernamesFor(name), contract.MOST_AGENTS);
    if (!room || username === null) return refuse("limit_reached");
    const projectIds = narrowed(own, content.project_ids);
    const [id, actorId] = [newId(), newId()];
    const made = {
      id,
      actorId,
      definitionId,
      version,
      name,
      username,
      ownBudgets: budgets,
      triggers: content.triggers,
    };
    const [, , row] = await Promise.all([
      coming && copyCurated(tx, coming),
      store.createAgent(tx, { ...made, ownProjectIds: own, projectIds }),
      store.readAgent(tx, id),
    ]);
    record(agentCreated(subjectOf("agent", id, projectIds), { definition_id: definitionId, version, name }));
    return shown(context, row as store.AgentTarget);
  },
);

export const updateAgent = implement(
  contract.updateAgent,
  agent("agents:manage"),
  async (context, { target, body }) => {
    const { tx, record } = context;
    const { name, state, own_project_ids, own_budgets } = target;
    const changed = differing(body, { name, state, project_ids: own_project_ids, budgets: own_budgets });
    if (changed === null) return shown(context, target);
    if (changed.state === "active" && target.retired) return refuse("definition_not_published");
    const own = changed.project_ids ?? own_project_ids;
    if (changed.project_ids) await requireSeenProjects(tx, own);
    const projectIds = changed.project_ids ? narrowed(own, target.version_project_ids) : target.project_ids;
    const [, answer] = await Promise.all([
      store.updateAgent(tx, target, {
        name: changed.name ?? name,
        state: changed.state ?? state,
        settles: changed.state !== undefined,
        ownProjectIds: own,
        projectIds,
        ownBudgets: changed.budgets ?? own_budgets,
      }),
      readAgain(context, target.id),
    ]);
    record(agentUpdated(subjectOf("agent", target.id, projectIds), { fields: Object.keys(changed) }));
    return answer;
  },
);

export const deleteAgent = implement(
  contract.deleteAgent,
  agent("agents:manage"),
  async ({ tx, defer, record }, { target }) => {
    defer(store.deleteAgent(tx, target.id));
    record(agentDeleted(subjectOf("agent", target.id, target.project_ids), { actor_id: target.actor_id }));
  },
);

export const quarantineAgent = implement(
  contract.quarantineAgent,
  agent("agents:run"),
  async (context, { target, body }) => {
    if (target.state === "quarantined") return shown(context, target);
    const { tx, record } = context;
    const [, answer] = await Promise.all([
      store.quarantineAgent(tx, target.id, body.reason),
      readAgain(context, target.id),
    ]);
    record(agentQuarantined(subjectOf("agent", target.id, target.project_ids), { reason: body.reason }));
    return answer;
  },
);

export const rollBackAgent = implement(
  contract.rollBackAgent,
  agent("agents:manage"),
  async (context, { target, body }) => {
    if (target.version === body.version) return shown(context, target);
    const { tx, record } = context;
    const version = await store.publishedVersion(tx, target.definition_id, body.version);
    if (!version) return refuseAt("/body/version", "invalid_reference", "must be a version that was published");
    const projectIds = narrowedProjects(target.own_project_ids, version.project_ids) ?? refuse("agent_narrowed");
    const [, answer] = await Promise.all([
      store.moveAgent(tx, target.id, body.version, version.triggers, projectIds),
      readAgain(context, target.id),
    ]);
    record(agentRolledBack(subjectOf("agent", target.id, projectIds), { from: target.version, to: body.version }));
    return answer;
  },
);
