// Providers that a Workspace can connect to.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { nullable, object, ProviderKey } from "../../types.ts";
import { eventKinds } from "./kinds.ts";

export { ProviderKey };

export const IntegrationProvider = object({
  provider_key: ProviderKey,
  name: Type.String(),
  authorization: Type.Enum(["oauth", "app", "credential"], {
    description:
      "oauth and app: the browser is redirected to the provider and back, with app to install it there. " +
      "credential: a person enters a token of the provider, or receives a secret for it.",
  }),
  scopes: Type.Array(Type.String(), { description: "Scopes that the service requests from the provider." }),
  actions: Type.Array(Type.String(), { description: "Actions that the provider supports." }),
  event_kinds: Type.Array(Type.Enum([...eventKinds]), {
    description: "Events that the provider can send and receive.",
  }),
  credential_fields: Type.Array(Type.Enum(["name", "base_url", "credential"]), {
    description: "Fields of a connection with a credential; empty: it is not connected with one.",
  }),
  own_signing: Type.Boolean({
    description:
      "Whether the provider may sign with its own secret instead of ours: `signing` selects this when it " +
      "is connected.",
  }),
  base_url: {
    ...nullable(Type.String()),
    description: "Address of the provider, unless an authorisation names another one; null: one must be named.",
  },
  self_hosted: Type.Boolean({ description: "Whether an authorisation may name the address of your own instance." }),
  identities: Type.Boolean({ description: "Whether people can link their identity at the provider." }),
  available: Type.Boolean(),
  reason: {
    ...nullable(Type.Enum(["not_configured"])),
    description: "Reason why it is not available: the operator has not registered the service there.",
  },
});

export const getIntegrationCatalog = op(
  "GET /integration-catalog",
  "List the providers that a Workspace can connect to",
  {
    description: "Lists providers by name, the same for everybody. The Workspace's connections are its installations.",
    auth: [S],
    returns: object({ items: Type.Array(IntegrationProvider, { maxItems: 100 }) }),
  },
);
