// Members ask those who manage Integrations for a provider.
import Type from "typebox";
import { op, S } from "../kit.ts";
import { Id, object, resource, single } from "../types.ts";
import { ProviderKey } from "./catalog.ts";

export const IntegrationRequestRow = object({
  ...resource,
  workspace_id: Id,
  provider_key: ProviderKey,
  note: Type.String(),
  state: Type.Enum(["open", "closed"], { description: "closed: the provider was connected." }),
  requested_by_actor_id: Id,
});
export const IntegrationRequest = single(IntegrationRequestRow);

export const createIntegrationRequest = op(
  "POST /workspaces/{workspace_id}/integration-requests",
  "Ask that a provider is connected",
  {
    description:
      "By every member. Owners and admins hear of it. One for each provider is open at a time; connecting the provider closes it.",
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
