// Connectors: a customer's own service as a provider.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { nullable, object, patch, single } from "../../types.ts";
import { ActionKey } from "./actions.ts";
import { IntegrationInstallation, IntegrationInstallationRow } from "./installations.ts";

export const MOST_DECLARED_ACTIONS = 20;

const fields = {
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
          "JSON Schema of an object, five deep at most, with these words: type, title, description, enum, " +
          "properties, required, items, minLength, maxLength, minimum, maximum, minItems, maxItems. " +
          "What it does not declare is not taken.",
      }),
    }),
    { minItems: 1, maxItems: MOST_DECLARED_ACTIONS },
  ),
};

export const createPrivateConnector = op(
  "POST /workspaces/{workspace_id}/integration-private-connectors",
  "Connect a service of your own",
  {
    description:
      "Needs integrations:manage and a recent proof. An action is a POST to base_url with `{type: " +
      '"action", id, action, input}`, signed as Standard Webhooks say with the secret that this answer shows ' +
      "once. The answer, with status 2xx and JSON with an optional `external_id` and `url`, " +
      "must be signed likewise, with `answer-` and the call's `webhook-id` as its own `webhook-id`. " +
      "The same `webhook-id` twice is the same call: it must have its effect once.",
    auth: [S],
    recentAuth: true,
    status: 201,
    creates: "/integration-installations/{id}",
    secret: true,
    body: object(fields),
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

const UNNAMED = "whoever runs a service of their own changes what it can do, and sees whether it answers";

export const updatePrivateConnector = op(
  "PATCH /integration-private-connectors/{installation_id}",
  "Change a connection with a service of your own",
  {
    description:
      "Needs integrations:manage and a recent proof. The actions that are sent take the place of all there were; " +
      "its secret stays.",
    unnamed: UNNAMED,
    tag: "Integrations",
    auth: [S],
    recentAuth: true,
    ifMatch: "required",
    body: patch(fields),
    example: { name: "Deployments", base_url: "https://hooks.example.com/svc" },
    returns: IntegrationInstallation,
    errors: ["provider_refused", "installation_revoked"],
  },
);

/** Reasons why a connector's test failed. */
const testErrors = {
  address_refused: "The address is not one of the public internet, or its name does not resolve.",
  unreachable: "Nothing answered there.",
  credential_refused: "It answered 401.",
  resource_missing: "It answered 404 or 410.",
  refused: "It answered with another error of the caller's.",
  rate_limited: "It wants fewer calls for a while.",
  answer_too_large: "It answered with more than 1 MiB.",
  unknown: "It was reached, and did not answer as it must: with 2xx, in time, in JSON, signed with the secret.",
} as const;
export type TestError = keyof typeof testErrors;

export const testPrivateConnector = op(
  "POST /integration-private-connectors/{installation_id}/test",
  "Try whether a service of your own answers",
  {
    description:
      'Needs integrations:manage. Sends `{type: "test", id}`, signed as an action is; ' +
      "the answer must be signed likewise. Where it is, the connection works again.",
    unnamed: UNNAMED,
    tag: "Integrations",
    auth: [S],
    quiet: "nothing is asked of the service but an answer",
    returns: object({
      state: Type.Enum(["answered", "failed"]),
      error_code: {
        ...nullable(Type.Enum(Object.keys(testErrors) as TestError[])),
        description: Object.entries(testErrors)
          .map(([code, says]) => `- \`${code}\`: ${says}`)
          .join("\n"),
      },
      duration_ms: Type.Integer({ minimum: 0 }),
    }),
    errors: ["installation_revoked"],
  },
);
