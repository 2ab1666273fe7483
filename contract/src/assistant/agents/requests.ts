// Requests from members to those who manage Agents: publish a draft, get access to an Agent, change an Agent.
import Type from "typebox";
import { list, op, S } from "../../kit.ts";
import { Id, nullable, object, resource, single, Timestamp } from "../../types.ts";

export const AgentRequestRow = object({
  ...resource,
  workspace_id: Id,
  definition_id: Id,
  kind: Type.Enum(["publish", "access", "change"], {
    description: "That its draft is published; that its Agent is enabled, or let into a Project; that it is changed.",
  }),
  note: Type.String(),
  state: Type.Enum(["pending", "approved", "rejected"]),
  version: { ...nullable(Type.Integer()), description: "Of publish: the draft when it was asked for." },
  requested_by_actor_id: Id,
  decided_by_actor_id: nullable(Id),
  decided_at: nullable(Timestamp),
});
export const AgentRequest = single(AgentRequestRow);

export const listAgentRequests = list(
  "GET /workspaces/{workspace_id}/agents/studio/definitions/{definition_id}/requests",
  "List what was asked about a definition",
  {
    description: "The newest first. Your own; those who manage Agents see all of them.",
    auth: [S],
    query: object({
      state: Type.Optional({ ...Type.Enum(["pending", "approved", "rejected"]), description: "Only these." }),
    }),
    include: ["people"],
    items: AgentRequestRow,
  },
);

export const createAgentRequest = op(
  "POST /workspaces/{workspace_id}/agents/studio/definitions/{definition_id}/requests",
  "Ask that a definition is published, opened or changed",
  {
    description:
      "By every member. To publish only where there is a draft. One of each kind is open at a time; " +
      "it is decided by PATCH of the definition.",
    auth: [S],
    status: 201,
    creates: null,
    body: object({
      kind: AgentRequestRow.properties.kind,
      note: Type.Optional(Type.String({ maxLength: 2000, format: "text", description: "Why." })),
    }),
    example: { kind: "change", note: "It should leave closed Tasks alone." },
    returns: AgentRequest,
    errors: ["definition_not_draft", "request_pending"],
  },
);
