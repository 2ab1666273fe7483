// Bindings assign resources of a connection to Projects and define the effects on their Tasks.
import Type from "typebox";
import { list, M, op, S } from "../../kit.ts";
import { Id, nullable, object, patch, resource, single } from "../../types.ts";
import { ProviderKey } from "./catalog.ts";
import { ResourceErrorCode } from "./installations.ts";

const status = (says: string) => ({
  ...nullable(Id),
  description: `The Status of the Project that a Task moves to when ${says}; null: it stays where it is.`,
});
const rule = {
  opened_status_id: status("work on it is opened there"),
  review_status_id: status("it waits there to be reviewed"),
  merged_status_id: status("it is merged there"),
  sync_comments: Type.Boolean({ description: "Comments go both ways." }),
  create_tasks: Type.Boolean({ description: "What is reported there makes a Task." }),
  resolve_with_task: Type.Boolean({
    description: "What a Task was made of is resolved there when the Task is completed.",
  }),
};
export const BindingRules = object(rule, { description: "Through the same rules as when a person does it." });
const GivenRules = Type.Partial(object(rule), { additionalProperties: false });

const exampleRules = {
  ...{ opened_status_id: null, review_status_id: null, merged_status_id: null },
  ...{ sync_comments: true, create_tasks: false, resolve_with_task: false },
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
    listed: Type.Boolean({ description: "False: the provider lists it no more; what happens here is not told there." }),
    error_code: ResourceErrorCode,
  }),
  rules: BindingRules,
  created_by_actor_id: Id,
});
export const IntegrationBinding = single(IntegrationBindingRow);

export const listIntegrationBindings = list(
  "GET /projects/{project_id}/integration-bindings",
  "List what a Project is bound to",
  { description: "The newest first.", auth: [S, M], include: ["people"], items: IntegrationBindingRow },
);

export const createIntegrationBinding = op(
  "POST /projects/{project_id}/integration-bindings",
  "Bind a Project to a resource of a connection",
  {
    description:
      "By those who manage Integrations, and leads of the Project. Nothing happens until there is a subscription. " +
      "Rules that are left out are null or false.",
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
  "Change what happens because of a binding",
  {
    description: "By those who manage Integrations, and leads of the Project. Rules that are left out stay.",
    unnamed:
      "The specification names no way to change the rules of a binding; without one it would be ended and made anew.",
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
  "End the binding of a Project to a resource",
  {
    description:
      "By those who manage Integrations, and leads of the Project. Its subscriptions end with it; " +
      "what came to Tasks stays.",
    auth: [S],
    errors: ["project_archived"],
  },
);
