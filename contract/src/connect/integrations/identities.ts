// External identities of an account at providers. They apply in every Workspace.
import Type from "typebox";
import { list, op, S } from "../../kit.ts";
import { Id, nullable, object, Timestamp } from "../../types.ts";
import { ProviderKey } from "./catalog.ts";

export const IntegrationIdentity = object({
  id: Id,
  provider_key: ProviderKey,
  base_url: {
    ...nullable(Type.String()),
    description: "Address of your own instance; null: the provider's usual address.",
  },
  external_id: Type.String({ description: "Id of your account at the provider." }),
  name: Type.String(),
  created_at: Timestamp,
});

export const listIntegrationIdentities = list("GET /me/integration-identities", "List your identities at providers", {
  description:
    "Lists the newest first. An identity is linked through the provider's sign-in, never by an email address.",
  auth: [S],
  items: IntegrationIdentity,
});

export const deleteIntegrationIdentity = op(
  "DELETE /me/integration-identities/{identity_id}",
  "Unlink your identity at a provider",
  { description: "Changes from the provider are no longer made in your name.", auth: [S] },
);
