// Requests from members to those who manage Agents: publish a draft, get access to an Agent, change an Agent.
import Type from "typebox";
import { list, op, S } from "../../kit.ts";
import { Id, nullable, object, resource, single, Timestamp } from "../../types.ts";

export const AgentRequestRow = object({
  ...resource,
  workspace_id: Id,
  definition_id: Id,
  kind: Type.Enum(["publish", "access", "change"], {
    description: "Request to publish its draft, to enable its Agent, to add the Agent to a Project, or to change it.",
  }),
  note: Type.String(),
  state: Type.Enum(["pending", "approved", "rejected"]),
  version: { ...nullable(Type.Integer()), description: "For publish: the draft at the time of the request." },
  requested_by_actor_id: Id,
  decided_by_actor_id: nullable(Id),
  decided_at: nullable(Timestamp),
});
export const AgentRequest = single(AgentRequestRow);

export const listAgentRequests = list(
  "GET /workspaces/{workspace_id}/agents/studio/definitions/{definition_id}/requests",
  "List the requests about a definition",
  {
    description: "Lists your own requests, the newest first; those who manage Agents see all of them.",
    auth: [S],
    query: object({
      state: Type.Optional({
        ...Type.Enum(["pending", "approved", "rejected"]),
        description: "Only requests in this state.",
      }),
    }),
    include: ["people"],
    items: AgentRequestRow,
  },
);

export const createAgentRequest = op(
  "POST /workspaces/{workspace_id}/agents/studio/definitions/{definition_id}/requests",
  "Request that a definition is published, opened or changed",
  {
    description:
      "Every member may request it. A request to publish needs a draft. One of each kind can be open at " +
      "a time; PATCH of the definition decides it.",
    auth: [S],
    status: 201,
    creates: null,
    body: object({
      kind: AgentRequestRow.properties.kind,
      note: Type.Optional(Type.String({ maxLength: 2000, format: "text", description: "Reason of the request." })),
    }),
    example: { kind: "change", note: "It should leave closed Tasks alone." },
    returns: AgentRequest,
    errors: ["definition_not_draft", "request_pending"],
  },
);
