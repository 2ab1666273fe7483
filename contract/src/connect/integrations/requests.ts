// Members' requests for a provider, addressed to those who manage Integrations.
import Type from "typebox";
import { list, op, S } from "../../kit.ts";
import { Id, object, resource, single } from "../../types.ts";
import { ProviderKey } from "./catalog.ts";

export const IntegrationRequestRow = object({
  ...resource,
  workspace_id: Id,
  provider_key: ProviderKey,
  note: Type.String(),
  state: Type.Enum(["open", "closed", "declined"], { description: "closed: the provider was connected." }),
  requested_by_actor_id: Id,
});
export const IntegrationRequest = single(IntegrationRequestRow);

export const createIntegrationRequest = op(
  "POST /workspaces/{workspace_id}/integration-requests",
  "Request the connection of a provider",
  {
    description:
      "Every member may request it. Owners and admins are notified in their inbox. One request for each " +
      "provider can be open at a time; connecting the provider closes it, or they decline it, and the " +
      "person who requested it is notified.",
    auth: [S],
    status: 201,
    creates: null,
    body: object({
      provider_key: ProviderKey,
      note: Type.Optional(Type.String({ maxLength: 2000, format: "text", description: "Reason of the request." })),
    }),
    example: { provider_key: "webhook", note: "Our alarms should make Tasks." },
    returns: IntegrationRequest,
    errors: ["invalid_reference", "integration_requested", "forbidden"],
  },
);

const UNNAMED = "those who manage Integrations see and decide the requests of members";

export const listIntegrationRequests = list(
  "GET /workspaces/{workspace_id}/integration-requests",
  "List the requests of members for connections",
  {
    description: "Needs integrations:manage. Lists the open requests, the newest first.",
    unnamed: UNNAMED,
    tag: "Integrations",
    auth: [S],
    include: ["people"],
    errors: ["forbidden"],
    items: IntegrationRequestRow,
  },
);

export const declineIntegrationRequest = op(
  "POST /integration-requests/{request_id}/decline",
  "Decline a request for a connection",
  {
    description: "Needs integrations:manage. To agree, connect the provider.",
    unnamed: UNNAMED,
    tag: "Integrations",
    auth: [S],
    returns: IntegrationRequest,
    errors: ["request_decided"],
  },
);
