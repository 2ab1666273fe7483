// Actions that a person requests at a provider.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { Id, nullable, object, resource, single } from "../../types.ts";

/** Reasons why an action failed or its outcome is unknown. */
export const actionErrors = {
  address_refused: "The address is not one of the public internet.",
  unreachable: "The provider did not answer any attempt.",
  credential_refused: "The provider refuses the credential; connect it again.",
  resource_missing: "The resource does not exist, or this connection has no access to it.",
  refused: "The provider refuses the action.",
  rate_limited: "The provider limited the rate for longer than the service waits.",
  answer_too_large:
    "The provider's answer was larger than 1 MiB and was cut off; the action may have been carried out.",
  unsupported: "The provider no longer supports the action.",
  installation_revoked: "The connection has ended.",
  unknown: "The provider received the request, and its outcome is unknown.",
} as const;
export type ActionError = keyof typeof actionErrors;

export const IntegrationAction = single(
  object({
    ...resource,
    installation_id: Id,
    resource_id: Id,
    action: Type.String({ examples: ["comment"] }),
    state: Type.Enum(["queued", "running", "succeeded", "failed", "unknown"], {
      description:
        "unknown: the provider received the request and may have carried it out; check there before you " +
        "send it again. The last three are final.",
    }),
    receipt_id: { ...nullable(Id), description: "Receipt of the command that requested it; null: an event caused it." },
    external_id: { ...nullable(Type.String()), description: "Id of the created resource at the provider." },
    url: nullable(Type.String()),
    error_code: {
      ...nullable(Type.Enum(Object.keys(actionErrors) as ActionError[])),
      description: `Error of the last attempt.\n${Object.entries(actionErrors)
        .map(([code, says]) => `- \`${code}\`: ${says}`)
        .join("\n")}`,
    },
    requested_by_actor_id: nullable(Id),
  }),
);

export const ActionKey = Type.String({
  minLength: 1,
  maxLength: 40,
  pattern: "^[a-z][a-z0-9_]*$",
  description: "Key of an action that the installation supports.",
  examples: ["comment"],
});

export const createIntegrationAction = op("POST /integration-actions", "Carry out an action at a provider", {
  description:
    "Needs work:write in a Project that is bound to the resource. The action runs in the background, " +
    "at the rate that the provider allows: read it again for its outcome. It takes effect once: an " +
    "attempt with an unknown outcome is repeated only if the provider recognises its key, or if a " +
    "search at the provider does not find the result.",
  auth: [S],
  status: 201,
  creates: "/integration-actions/{id}",
  idempotencyKey: "required",
  body: object({
    installation_id: Id,
    action: ActionKey,
    resource_id: { ...Id, description: "Resource of the installation." },
    input: Type.Record(Type.String({ maxLength: 100 }), Type.Unknown(), {
      maxProperties: 50,
      description: "Input according to the action's `input_schema`.",
    }),
  }),
  example: {
    installation_id: "01890000-0000-7000-8000-000000000001",
    action: "comment",
    resource_id: "01890000-0000-7000-8000-000000000002",
    input: { number: 12, text: "Shipped." },
  },
  returns: IntegrationAction,
  quiet: "An action at a provider changes no work in this service.",
  errors: [
    "forbidden",
    "not_found",
    "invalid_reference",
    "project_archived",
    "resource_unbound",
    "installation_revoked",
    "integration_unavailable",
  ],
});

export const getIntegrationAction = op("GET /integration-actions/{action_id}", "Read an action at a provider", {
  description: "Only the person who requested the action, and those who manage Integrations, can read it.",
  auth: [S],
  include: ["people"],
  returns: IntegrationAction,
});

export const listInstallationActions = op(
  "GET /integration-installations/{installation_id}/actions",
  "List the actions that a provider supports",
  {
    auth: [S],
    returns: object({
      items: Type.Array(
        object({
          key: ActionKey,
          name: Type.String(),
          input_schema: Type.Record(Type.String(), Type.Unknown(), {
            description: "JSON Schema of the action's input.",
          }),
        }),
        { maxItems: 100 },
      ),
    }),
  },
);
