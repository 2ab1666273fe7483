// Bindings assign resources of a connection to Projects and define the effects on their Tasks.
import Type from "typebox";
import { list, M, op, S } from "../../kit.ts";
import { Id, nullable, object, patch, resource, single } from "../../types.ts";
import { ProviderKey } from "./catalog.ts";
import { ResourceErrorCode } from "./installations.ts";

const status = (says: string) => ({
  ...nullable(Id),
  description: `Status of the Project that a Task moves to when ${says}; null: it does not move.`,
});
const rule = {
  opened_status_id: status("work on it is opened at the provider"),
  review_status_id: status("it waits for review at the provider"),
  merged_status_id: status("it is merged at the provider"),
  sync_comments: Type.Boolean({ description: "Whether comments are synchronised in both directions." }),
  create_tasks: Type.Boolean({ description: "Whether a report at the provider creates a Task." }),
  resolve_with_task: Type.Boolean({
    description: "Whether completing a Task resolves its origin at the provider.",
  }),
};
export const BindingRules = object(rule, {
  description: "Rules of the binding; their changes follow the rules of the same operations of a person.",
});
const GivenRules = Type.Partial(object(rule), { additionalProperties: false });

const exampleRules = {
  opened_status_id: null,
  review_status_id: null,
  merged_status_id: null,
  sync_comments: true,
  create_tasks: false,
  resolve_with_task: false,
};

export const IntegrationBindingRow = object({
  ...resource,
  project_id: Id,
  installation_id: Id,
  resource_id: Id,
  provider_key: ProviderKey,
  resource: object({
    kind: Type.String(),
    name: Type.String(),
    url: nullable(Type.String()),
    listed: Type.Boolean({
      description: "false: the provider no longer lists the resource, and changes here are not sent to it.",
    }),
    error_code: ResourceErrorCode,
  }),
  rules: BindingRules,
  created_by_actor_id: Id,
});
export const IntegrationBinding = single(IntegrationBindingRow);

export const listIntegrationBindings = list(
  "GET /projects/{project_id}/integration-bindings",
  "List the bindings of a Project",
  { description: "Lists the newest first.", auth: [S, M], include: ["people"], items: IntegrationBindingRow },
);

export const createIntegrationBinding = op(
  "POST /projects/{project_id}/integration-bindings",
  "Bind a Project to a resource of a connection",
  {
    description:
      "Only those who manage Integrations, and leads of the Project, can bind it. Nothing happens until " +
      "there is a subscription. Omitted rules are null or false.",
    auth: [S],
    status: 201,
    creates: "/integration-bindings/{id}",
    body: object({ installation_id: Id, resource_id: Id, rules: Type.Optional(GivenRules) }),
    example: {
      installation_id: "01980000-0000-7000-8000-000000000001",
      resource_id: "01980000-0000-7000-8000-000000000002",
      rules: exampleRules,
    },
    returns: IntegrationBinding,
    errors: ["invalid_reference", "binding_exists", "installation_revoked", "limit_reached", "project_archived"],
  },
);

export const updateIntegrationBinding = op(
  "PATCH /integration-bindings/{binding_id}",
  "Change the rules of a binding",
  {
    description:
      "Only those who manage Integrations, and leads of the Project, can change it. Omitted rules stay " +
      "as they are.",
    unnamed:
      "the specification names no way to change the rules of a binding; without one it would have to be " +
      "deleted and created again",
    tag: "Integrations",
    auth: [S],
    ifMatch: "required",
    body: patch({ rules: GivenRules }),
    example: { rules: exampleRules },
    returns: IntegrationBinding,
    errors: ["invalid_reference", "project_archived"],
  },
);

export const deleteIntegrationBinding = op(
  "DELETE /integration-bindings/{binding_id}",
  "Remove the binding of a Project to a resource",
  {
    description:
      "Only those who manage Integrations, and leads of the Project, can remove it. Ends the " +
      "subscriptions of the binding too; what it added to Tasks remains.",
    auth: [S],
    errors: ["project_archived"],
  },
);
