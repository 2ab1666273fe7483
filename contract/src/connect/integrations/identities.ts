// External identities of an account at providers. They apply in every Workspace.
import Type from "typebox";
import { list, op, S } from "../../kit.ts";
import { Id, nullable, object, Timestamp } from "../../types.ts";
import { ProviderKey } from "./catalog.ts";

export const IntegrationIdentity = object({
  id: Id,
  provider_key: ProviderKey,
  base_url: { ...nullable(Type.String()), description: "Of one's own; null: the provider's usual address." },
  external_id: Type.String({ description: "As the provider knows you." }),
  name: Type.String(),
  created_at: Timestamp,
});

export const listIntegrationIdentities = list("GET /me/integration-identities", "List who you are at providers", {
  description: "The newest first. Linked by a round trip through the provider, and never by an address.",
  auth: [S],
  items: IntegrationIdentity,
});

export const deleteIntegrationIdentity = op(
  "DELETE /me/integration-identities/{identity_id}",
  "Unlink who you are at a provider",
  { description: "What comes from there is no longer done in your name.", auth: [S] },
);
