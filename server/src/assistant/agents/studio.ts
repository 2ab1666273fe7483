// The studio: definitions are drafted, changed, published and retired, and requests about them are decided. A published
// version never changes.
import { definitionFields } from "@svc/contract/assistant/agents/definitions.ts";
import * as contract from "@svc/contract/assistant/agents/studio.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { may } from "../../accounts/workspaces/rules.ts";
import { tellAbout } from "../../history/inbox/change.ts";
import { differing } from "../../platform/database/sql.ts";
import { type Context, implement, implementList } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { newId } from "../../platform/wire/ids.ts";
import { refuse, refuseAt } from "../../platform/wire/problem.ts";
import { agentTools } from "../tools/tools.ts";
import { agentsOfWorkspace, changedDefinition, definition, requireSeenProjects } from "./access.ts";
import { agentOf, type Enabled, moveAgent } from "./agent-store.ts";
import { type Curated, curatedById } from "./curated-agents.ts";
import * as store from "./definition-store.ts";
import {
  agentUpdated,
  definitionCreated,
  definitionPublished,
  definitionRetired,
  definitionUpdated,
  requestDecided,
  subjectOf,
} from "./events.ts";
import { decideRequest } from "./request-store.ts";
import {
  type DefinitionContent,
  defaultBudgets,
  definitionCapabilities,
  narrowedProjects,
  toolFaults,
  triggerFaults,
} from "./rules.ts";
import { pauseAgent } from "./store.ts";

const usable = new Set(agentTools.map(({ name }) => name));

async function requireUsable(context: Context, given: Partial<DefinitionContent>): Promise<void> {
  const faults = triggerFaults(given.triggers ?? []);
  if (faults.length > 0) refuse("invalid_request", { errors: faults });
  const unknown = toolFaults(given.tools ?? [], usable);
  if (unknown.length > 0) refuse("invalid_reference", { errors: unknown });
  await requireSeenProjects(context.tx, given.project_ids ?? []);
}
/** Version of a curated definition in this release, if it is newer than the Workspace's copy. */
function newerOf({ id, version }: store.AgentDefinitionTarget): Curated | null {
  const coming = curatedById.get(id);
  return coming && coming.version > version ? coming : null;
}
const shown = (context: Context, target: store.AgentDefinitionTarget) =>
  render(target, definitionCapabilities(context.member.role, { ...target, newer: newerOf(target) !== null }));

export const listStudioDefinitions = implementList(
  contract.listStudioDefinitions,
  workspace("agents:read"),
  (tx, { query, page }) => store.listDefinitions(tx, query.state, page),
);

export const getStudioDefinition = implement(
  contract.getStudioDefinition,
  definition("agents:read"),
  async (context, { target }) => shown(context, target),
);

export const createStudioDefinition = implement(
  contract.createStudioDefinition,
  agentsOfWorkspace("agents:run"),
  async (context, { body }) => {
    const { tx, record } = context;
    const content: DefinitionContent = {
      description: "",
      triggers: [{ kind: "manual" }],
      project_ids: [],
      ...body,
      budgets: { ...defaultBudgets, ...body.budgets },
    };
    await requireUsable(context, content);
    const id = newId();
    const [hasRoom, made] = await Promise.all([
      store.createDefinition(tx, id, content, contract.MOST_DEFINITIONS),
      store.readDefinition(tx, id),
    ]);
    if (!hasRoom) return refuse("limit_reached");
    record(definitionCreated(subjectOf("agent_definition", id, content.project_ids), { name: content.name }));
    return shown(context, made as store.AgentDefinitionTarget);
  },
);

type Given = Partial<Omit<DefinitionContent, "budgets">> & { budgets?: Partial<DefinitionContent["budgets"]> };
function contentOf(body: object, before: DefinitionContent): Partial<DefinitionContent> {
  const given = Object.fromEntries(Object.entries(body).filter(([name]) => name in definitionFields)) as Given;
  const { budgets, ...fields } = given;
  return { ...fields, ...(budgets && { budgets: { ...before.budgets, ...budgets } }) };
}

export const updateStudioDefinition = implement(
  contract.updateStudioDefinition,
  changedDefinition,
  async (context, { target, body }) => {
    const { tx, member, record } = context;
    const { decide } = body;
    // A curated definition cannot be edited: only its requests are decided, and its newest version is taken.
    if (target.curated !== null && decide === undefined)
      return body.state === "published" && Object.keys(body).length === 1
        ? takeNewest(context, target)
        : refuse("forbidden");
    const needsManager = body.state !== undefined || decide !== undefined;
    if (needsManager && !may(member.role, "agents:manage")) refuse("forbidden");
    if (decide !== undefined && Object.keys(body).length > 1)
      refuse("invalid_request", {
        errors: [{ pointer: "/body/decide", code: "not_allowed", detail: "is sent alone" }],
      });
    const isApproved = decide !== undefined && (await decideOn(context, target, decide));
    const goal = isApproved ? "published" : body.state;
    const given = contentOf(body, target.content);
    await requireUsable(context, given);
    const changed = differing(given, target.content);
    if (changed === null && (goal === undefined || goal === target.state)) return shown(context, target);
    const content = { ...target.content, ...changed };
    // A published version is immutable: a change creates the next one.
    const isNext = changed !== null && target.is_published;
    const version = target.version + Number(isNext);
    const state = goal ?? "draft";
    const [, , agent] = await Promise.all([
      changed && store.writeVersion(tx, target.id, version, content, isNext),
      state === "published" && store.publishVersion(tx, target.id, version),
      state !== "draft" && agentOf(tx, target.id),
    ]);
    const [, , row] = await Promise.all([
      agent && follow(context, agent, state, version, content),
      store.advanceDefinition(tx, target.id, state, version),
      store.readDefinition(tx, target.id),
    ]);
    record(happened[state](subjectOf("agent_definition", target.id, content.project_ids), { version }));
    return shown(context, row as store.AgentDefinitionTarget);
  },
);

/**
 * Replaces the Workspace's copy by the newest version; the caller counts as its publisher. The Agent keeps its name,
 * its Projects and its budgets.
 */
async function takeNewest(context: Context, target: store.AgentDefinitionTarget) {
  const { tx, record } = context;
  const newer = newerOf(target);
  if (!newer) return shown(context, target);
  const [, agent] = await Promise.all([store.copyCurated(tx, newer), agentOf(tx, target.id)]);
  const content = { ...newer, project_ids: [] };
  const [, row] = await Promise.all([
    agent && follow(context, agent, "published", newer.version, content),
    store.readDefinition(tx, target.id),
  ]);
  record(definitionPublished(subjectOf("agent_definition", target.id, []), { version: newer.version }));
  return shown(context, row as store.AgentDefinitionTarget);
}
const happened = { draft: definitionUpdated, published: definitionPublished, retired: definitionRetired };

/** Moves the Agent of a definition to the published version, or pauses it if the definition was retired. */
async function follow(
  { tx, record }: Context,
  agent: Enabled,
  state: string,
  version: number,
  content: DefinitionContent,
) {
  const { id, own_project_ids, project_ids, ...now } = agent;
  if (state === "retired") {
    if (now.state !== "active") return;
    record(agentUpdated(subjectOf("agent", id, project_ids), { state: "paused" }));
    return pauseAgent(tx, id, "definition_retired");
  }
  if (now.version === version) return;
  const projectIds = narrowedProjects(own_project_ids, content.project_ids) ?? refuse("agent_narrowed");
  record(agentUpdated(subjectOf("agent", id, projectIds), { version }));
  return moveAgent(tx, id, version, content.triggers, projectIds);
}

/** Returns whether an approved request asks to publish what is still a draft. */
async function decideOn(
  { tx, member, record, defer }: Context,
  { id, state, content }: store.AgentDefinitionTarget,
  { request_id, decision }: { request_id: string; decision: "approve" | "reject" },
): Promise<boolean> {
  const decided = decision === "approve" ? "approved" : "rejected";
  const found = await decideRequest(tx, id, request_id, decided);
  if (!found) return refuseAt("/body/decide/request_id", "invalid_reference", "is no request about this definition");
  if (!found.changed) return refuse("request_decided");
  record(requestDecided({ kind: "agent_request", id: request_id }, { state: decided }));
  defer(
    tellAbout(tx, [
      {
        category: "request_decided",
        event_type: `agent_request.${decided}`,
        from_actor_id: member.actorId,
        about_kind: "agent_request",
        about_id: request_id,
        about_name: content.name,
        about_note: null,
        actor_ids: [found.requested_by_actor_id],
      },
    ]),
  );
  return decision === "approve" && found.kind === "publish" && state === "draft";
}
