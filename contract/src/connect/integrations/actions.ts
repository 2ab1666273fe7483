// Actions that a person requests at a provider.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { Id, nullable, object, resource, single } from "../../types.ts";

/** Reasons why an action failed or its outcome is unknown. */
export const actionErrors = {
  address_refused: "The address is not one of the public internet.",
  unreachable: "The provider did not answer, however often it was tried.",
  credential_refused: "The provider refuses the credential; connect it again.",
  resource_missing: "What it is about is not there, or not for this connection.",
  refused: "The provider refuses it.",
  rate_limited: "The provider wanted fewer questions for longer than was waited.",
  answer_too_large: "The provider's answer was larger than 1 MiB and was cut off; it may have been done.",
  unsupported: "The provider cannot do it any more.",
  installation_revoked: "The connection has ended.",
  unknown: "The provider was asked, and nobody knows whether it was done.",
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
        "unknown: the provider was asked and may have done it; look there before you ask again. " +
        "The last three are final.",
    }),
    receipt_id: { ...nullable(Id), description: "Of the command that asked for it; null: it follows from an event." },
    external_id: { ...nullable(Type.String()), description: "Of what was made there." },
    url: nullable(Type.String()),
    error_code: {
      ...nullable(Type.Enum(Object.keys(actionErrors) as ActionError[])),
      description: `Of the last attempt.\n${Object.entries(actionErrors)
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
  description: "Of an action that the installation takes.",
  examples: ["comment"],
});

export const createIntegrationAction = op("POST /integration-actions", "Have something done at a provider", {
  description:
    "Needs work:write in a Project that is bound to the resource. It happens in the background, at the pace that " +
    "the provider allows: read it again to see what became of it. It is done once: " +
    "an attempt whose outcome is unknown is repeated only where the provider recognises it by its key, " +
    "or after what it would have made was looked for and not found.",
  auth: [S],
  status: 201,
  creates: "/integration-actions/{id}",
  idempotencyKey: "required",
  body: object({
    installation_id: Id,
    action: ActionKey,
    resource_id: { ...Id, description: "A resource of the installation." },
    input: Type.Record(Type.String({ maxLength: 100 }), Type.Unknown(), {
      maxProperties: 50,
      description: "As the action's `input_schema` says.",
    }),
  }),
  example: {
    installation_id: "01890000-0000-7000-8000-000000000001",
    action: "comment",
    resource_id: "01890000-0000-7000-8000-000000000002",
    input: { number: 12, text: "Shipped." },
  },
  returns: IntegrationAction,
  quiet: "what is done at a provider is no work here",
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

export const getIntegrationAction = op("GET /integration-actions/{action_id}", "Read what became of an action", {
  description: "By whoever asked for it, and by those who manage Integrations.",
  auth: [S],
  include: ["people"],
  returns: IntegrationAction,
});

export const listInstallationActions = op(
  "GET /integration-installations/{installation_id}/actions",
  "List what can be done at a provider",
  {
    auth: [S],
    returns: object({
      items: Type.Array(
        object({
          key: ActionKey,
          name: Type.String(),
          input_schema: Type.Record(Type.String(), Type.Unknown(), { description: "JSON Schema of its input." }),
        }),
        { maxItems: 100 },
      ),
    }),
  },
);
