// Connects a Workspace to a provider, and links people to their accounts there.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { Name, nullable, object } from "../../types.ts";
import { ProviderKey } from "./catalog.ts";
import { IntegrationInstallation } from "./installations.ts";

export const IntegrationConnection = object({
  ...IntegrationInstallation.properties,
  webhook_url: {
    ...nullable(Type.String()),
    description: "Where deliveries are to be sent, of a provider that is told by hand.",
  },
  signing_secret: {
    ...nullable(Type.String()),
    description: "With which these are signed. Shown once.",
  },
});

export const createIntegrationCredential = op(
  "POST /workspaces/{workspace_id}/integration-authorizations/credential",
  "Connect the Workspace with a credential",
  {
    description:
      "Needs integrations:manage and a recent proof. Of a provider that is authorised with a credential. " +
      "It is tried at once, kept sealed and never shown. An account that is connected already gets this " +
      "credential in place of its own, and a new secret. Open requests for the provider are closed.",
    auth: [S],
    recentAuth: true,
    status: 201,
    creates: "/integration-installations/{id}",
    secret: true,
    body: object({
      provider_key: ProviderKey,
      name: Type.Optional({
        ...Name(100),
        description: "Of what has no account that would name it, such as a webhook.",
      }),
      base_url: Type.Optional(
        Type.String({
          minLength: 10,
          maxLength: 500,
          pattern: "^https?://[A-Za-z0-9.:\\[\\]-]+/?$",
          description: "Of one's own, where the provider is self_hosted.",
        }),
      ),
      credential: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 2000,
          pattern: "^[\\x21-\\x7e]+$",
          description: "An access token of the provider. Not for one that needs none, such as a webhook.",
        }),
      ),
      signing: Type.Optional(
        object(
          {
            secret: Type.String({ minLength: 16, maxLength: 200, pattern: "^[\\x21-\\x7e]+$" }),
            installation: Type.String({
              ...{ minLength: 1, maxLength: 100, pattern: "^[A-Za-z0-9_.-]+$" },
              description: "What it calls this installation.",
            }),
          },
          {
            description:
              "Of an error tracker that signs as Sentry does, with a secret of its own and not with one of ours. " +
              "Weaker: it signs no time, and nothing of what it asks with GET, so that whoever has seen one " +
              "such request can ask the same way.",
          },
        ),
      ),
    }),
    example: { provider_key: "webhook", name: "Alarm" },
    returns: IntegrationConnection,
    errors: [
      "invalid_reference",
      "integration_unavailable",
      "authorization_unsupported",
      "provider_refused",
      "limit_reached",
    ],
  },
);
