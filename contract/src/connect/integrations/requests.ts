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
  "Ask that a provider is connected",
  {
    description:
      "By every member. Owners and admins find it in their inbox. One for each provider is open at a time; " +
      "connecting the provider closes it, or they decline it, and whoever asked finds that in theirs.",
    auth: [S],
    status: 201,
    creates: null,
    body: object({
      provider_key: ProviderKey,
      note: Type.Optional(Type.String({ maxLength: 2000, format: "text", description: "Why." })),
    }),
    example: { provider_key: "webhook", note: "Our alarms should make Tasks." },
    returns: IntegrationRequest,
    errors: ["invalid_reference", "integration_requested", "forbidden"],
  },
);

const UNNAMED = "those who manage Integrations see what members ask for, and decide it";

export const listIntegrationRequests = list(
  "GET /workspaces/{workspace_id}/integration-requests",
  "List what members ask to be connected",
  {
    description: "Needs integrations:manage. Those that are open, the newest first.",
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
  "Decline what a member asks to be connected",
  {
    description: "Needs integrations:manage. To agree, connect the provider.",
    unnamed: UNNAMED,
    tag: "Integrations",
    auth: [S],
    returns: IntegrationRequest,
    errors: ["request_decided"],
  },
);
