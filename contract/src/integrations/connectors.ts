// A customer's own service as a provider.
import Type from "typebox";
import { op, S } from "../kit.ts";
import { object, single } from "../types.ts";
import { ActionKey } from "./actions.ts";
import { IntegrationInstallationRow } from "./installations.ts";

export const MOST_DECLARED_ACTIONS = 20;

export const createPrivateConnector = op(
  "POST /workspaces/{workspace_id}/integration-private-connectors",
  "Connect a service of your own",
  {
    description:
      'Needs integrations:manage and a recent proof. An action is a POST to base_url with `{type: "action", id, action, input}`, signed as Standard Webhooks say with the secret that this answer shows once. The answer, with status 2xx and JSON with an optional `external_id` and `url`, must be signed likewise, with `answer-` and the call\'s `webhook-id` as its own `webhook-id`. The same `webhook-id` twice is the same call: it must have its effect once.',
    auth: [S],
    recentAuth: true,
    status: 201,
    creates: "/integration-installations/{id}",
    secret: true,
    body: object({
      name: Type.String({ minLength: 1, maxLength: 100, format: "name" }),
      base_url: Type.String({
        ...{ minLength: 1, maxLength: 500, pattern: "^https?://[^\\s?#@]+$" },
        description: "A public https address.",
        examples: ["https://hooks.example.com/svc"],
      }),
      actions: Type.Array(
        object({
          key: ActionKey,
          name: Type.Optional(Type.String({ minLength: 1, maxLength: 100, format: "name" })),
          input_schema: Type.Record(Type.String({ maxLength: 40 }), Type.Unknown(), {
            maxProperties: 20,
            description:
              "JSON Schema of an object, five deep at most, with these words: type, title, description, enum, properties, required, items, minLength, maxLength, minimum, maximum, minItems, maxItems. What it does not declare is not taken.",
          }),
        }),
        { minItems: 1, maxItems: MOST_DECLARED_ACTIONS },
      ),
    }),
    example: {
      name: "Deployments",
      base_url: "https://hooks.example.com/svc",
      actions: [
        {
          key: "deploy",
          input_schema: { type: "object", properties: { version: { type: "string" } }, required: ["version"] },
        },
      ],
    },
    returns: single(
      object({
        ...IntegrationInstallationRow.properties,
        signing_secret: Type.String({ description: "Shown this once." }),
      }),
    ),
    errors: ["provider_refused", "limit_reached"],
  },
);
