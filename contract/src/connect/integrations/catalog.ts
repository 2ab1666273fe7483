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
      "oauth and app: the browser goes to the provider and comes back, with app to install it there. credential: " +
      "somebody gives a token of the provider, or gets a secret for it.",
  }),
  scopes: Type.Array(Type.String(), { description: "What is asked of the provider." }),
  actions: Type.Array(Type.String(), { description: "What can be done there." }),
  event_kinds: Type.Array(Type.Enum([...eventKinds]), { description: "What it tells, and can be told." }),
  credential_fields: Type.Array(Type.Enum(["name", "base_url", "credential"]), {
    description: "What is given where it is connected with a credential; empty: it is not.",
  }),
  own_signing: Type.Boolean({
    description: "It may sign with a secret of its own in place of ours: `signing` says so when it is connected.",
  }),
  base_url: {
    ...nullable(Type.String()),
    description: "Where it is, unless an authorisation names another address; null: one has to.",
  },
  self_hosted: Type.Boolean({ description: "An authorisation may name the address of one's own." }),
  identities: Type.Boolean({ description: "People can link who they are there." }),
  available: Type.Boolean(),
  reason: {
    ...nullable(Type.Enum(["not_configured"])),
    description: "Why it is not available: the operator has not registered the service there.",
  },
});

export const getIntegrationCatalog = op("GET /integration-catalog", "List what a Workspace can be connected with", {
  description: "By name. The same for everybody: what the Workspace is connected with are its installations.",
  auth: [S],
  returns: object({ items: Type.Array(IntegrationProvider, { maxItems: 100 }) }),
});
