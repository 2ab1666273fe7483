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
    description: "URL for deliveries, for a provider where it must be set manually.",
  },
  signing_secret: {
    ...nullable(Type.String()),
    description: "Secret that signs the deliveries. Shown once.",
  },
});

export const createIntegrationCredential = op(
  "POST /workspaces/{workspace_id}/integration-authorizations/credential",
  "Connect the Workspace with a credential",
  {
    description:
      "Needs integrations:manage and a recent authentication. For a provider that is authorised with a " +
      "credential. The credential is tested at once, stored encrypted and never shown. If the account is " +
      "connected already, this credential replaces its previous one, and it gets a new secret. Closes " +
      "open requests for the provider.",
    auth: [S],
    recentAuth: true,
    status: 201,
    creates: "/integration-installations/{id}",
    secret: true,
    body: object({
      provider_key: ProviderKey,
      name: Type.Optional({
        ...Name(100),
        description: "Name of a connection without an account that would name it, such as a webhook.",
      }),
      base_url: Type.Optional(
        Type.String({
          minLength: 10,
          maxLength: 500,
          pattern: "^https?://[A-Za-z0-9.:\\[\\]-]+/?$",
          description: "Address of your own instance, if the provider is self_hosted.",
        }),
      ),
      credential: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 2000,
          pattern: "^[\\x21-\\x7e]+$",
          description: "Access token of the provider. Refused for one that needs none, such as a webhook.",
        }),
      ),
      signing: Type.Optional(
        object(
          {
            secret: Type.String({ minLength: 16, maxLength: 200, pattern: "^[\\x21-\\x7e]+$" }),
            installation: Type.String({
              minLength: 1,
              maxLength: 100,
              pattern: "^[A-Za-z0-9_.-]+$",
              description: "Id of this installation at the tracker.",
            }),
          },
          {
            description:
              "For an error tracker that signs as Sentry does, with its own secret instead of one of ours. This " +
              "is weaker: it signs no time, and no content of GET requests, so that anyone who has seen one such " +
              "request can repeat it.",
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
