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
    minLength: 1,
    maxLength: 500,
    pattern: "^https?://[^\\s?#@]+$",
    description: "Public https address.",
    examples: ["https://hooks.example.com/svc"],
  }),
  actions: Type.Array(
    object({
      key: ActionKey,
      name: Type.Optional(Type.String({ minLength: 1, maxLength: 100, format: "name" })),
      input_schema: Type.Record(Type.String({ maxLength: 40 }), Type.Unknown(), {
        maxProperties: 20,
        description:
          "JSON Schema of an object, at most five levels deep, with these keywords: type, title, " +
          "description, enum, properties, required, items, minLength, maxLength, minimum, maximum, minItems, " +
          "maxItems. Undeclared properties are refused.",
      }),
    }),
    { minItems: 1, maxItems: MOST_DECLARED_ACTIONS },
  ),
};

export const createPrivateConnector = op(
  "POST /workspaces/{workspace_id}/integration-private-connectors",
  "Connect your own service",
  {
    description:
      "Needs integrations:manage and a recent authentication. An action is a POST to base_url with " +
      '`{type: "action", id, action, input}`, signed according to Standard Webhooks with the secret that ' +
      "this answer shows once. The answer, with status 2xx and JSON with an optional `external_id` and " +
      "`url`, must be signed likewise, with `answer-` and the call's `webhook-id` as its own " +
      "`webhook-id`. A repeated `webhook-id` is the same call: it must take effect once.",
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
        signing_secret: Type.String({ description: "Secret of the connection, shown only here." }),
      }),
    ),
    errors: ["provider_refused", "limit_reached"],
  },
);

const UNNAMED = "the owner of a connected service changes its actions and tests whether it answers";

export const updatePrivateConnector = op(
  "PATCH /integration-private-connectors/{installation_id}",
  "Change the connection of your own service",
  {
    description:
      "Needs integrations:manage and a recent authentication. The given actions replace all previous " +
      "ones; the secret does not change.",
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
  unreachable: "The service did not answer.",
  credential_refused: "The service answered 401.",
  resource_missing: "The service answered 404 or 410.",
  refused: "The service answered with another 4xx error.",
  rate_limited: "The service limits the rate for a while.",
  answer_too_large: "The service answered with more than 1 MiB.",
  unknown:
    "The service received the request, and did not answer as required: with 2xx, in time, in JSON, " +
    "signed with the secret.",
} as const;
export type TestError = keyof typeof testErrors;

export const testPrivateConnector = op(
  "POST /integration-private-connectors/{installation_id}/test",
  "Test the connection of your own service",
  {
    description:
      'Needs integrations:manage. Sends `{type: "test", id}`, signed like an action; the answer must be ' +
      "signed likewise. A valid answer makes the connection active again.",
    unnamed: UNNAMED,
    tag: "Integrations",
    auth: [S],
    quiet: "The test only requests an answer.",
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
