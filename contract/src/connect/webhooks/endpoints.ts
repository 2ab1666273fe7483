// Webhook endpoints receive the events of a Workspace as Standard Webhooks (https://www.standardwebhooks.com). Payloads
// hold only ids, filtered by the current access of the endpoint's creator.
import Type from "typebox";
import { list, op, S } from "../../kit.ts";
import { Id, Name, nullable, object, patch, resource, single, Timestamp } from "../../types.ts";
import { webhookActions } from "./event-types.ts";

export const MOST_ENDPOINTS = 20;
const MOST_PROJECTS = 100;
const UNNAMED =
  "the specification does not name outgoing webhooks, which people request most: events that another " +
  "program receives without polling";
const MANAGED = "Needs integrations:manage.";

export const endpointFields = {
  name: Name(100),
  url: Type.String({
    minLength: 10,
    maxLength: 2000,
    pattern: "^https?://[\\x21-\\x7e]+$",
    examples: ["https://hooks.example.com/svc"],
    description:
      "https, and of the public internet, but for what the operator allows. No user name, no password, no fragment.",
  }),
  actions: Type.Array(Type.Unsafe<string>({ type: "string", enum: [...webhookActions] }), {
    minItems: 1,
    maxItems: webhookActions.length,
    uniqueItems: true,
    description: "Events that the endpoint receives: see `GET /webhook-event-types`.",
  }),
  project_ids: Type.Array(Id, {
    maxItems: MOST_PROJECTS,
    uniqueItems: true,
    description: "Projects of the events; empty: everything that its creator sees.",
  }),
};

export const WebhookEndpoint = object({
  ...resource,
  workspace_id: Id,
  ...endpointFields,
  enabled: Type.Boolean(),
  disabled_reason: {
    ...nullable(Type.Enum(["failing", "gone", "creator_left"])),
    description:
      "Reason why the service disabled it. failing: nothing was accepted for three days. gone: it " +
      "answered 410. creator_left: its creator is no longer an active member, and somebody who manages " +
      "webhooks can take it over. Null: it is enabled, or a person disabled it.",
  },
  created_by_actor_id: { ...Id, description: "Member whose access at the moment of sending limits the events." },
  previous_secret_expires_at: {
    ...nullable(Timestamp),
    description: "Time until which deliveries are also signed with the secret before the last rotation.",
  },
  succeeded_at: { ...nullable(Timestamp), description: "Time of the last accepted delivery." },
  failing_since: {
    ...nullable(Timestamp),
    description: "Time since which no delivery was accepted; null: the last attempt was accepted.",
  },
});
const Single = single(WebhookEndpoint);
export const WebhookEndpointWithSecret = single(
  object({
    ...WebhookEndpoint.properties,
    secret: Type.String({ description: "`whsec_` and 32 bytes as base64, shown only here." }),
  }),
);

export const listWebhookEndpoints = list(
  "GET /workspaces/{workspace_id}/webhook-endpoints",
  "List the webhook endpoints of a Workspace",
  {
    description: `${MANAGED} Lists endpoints in the order of their creation, at most ${MOST_ENDPOINTS}.`,
    unnamed: UNNAMED,
    tag: "Webhooks",
    auth: [S],
    include: ["people"],
    items: WebhookEndpoint,
    errors: ["forbidden"],
  },
);

export const createWebhookEndpoint = op(
  "POST /workspaces/{workspace_id}/webhook-endpoints",
  "Create a webhook endpoint",
  {
    description:
      `${MANAGED} The endpoint receives events from now on, as long as you can see them. Only this ` +
      `answer has the secret that signs the deliveries. At most ${MOST_ENDPOINTS} in a Workspace.`,
    unnamed: UNNAMED,
    tag: "Webhooks",
    auth: [S],
    recentAuth: true,
    status: 201,
    creates: "/webhook-endpoints/{id}",
    secret: true,
    body: object({
      name: endpointFields.name,
      url: endpointFields.url,
      actions: endpointFields.actions,
      project_ids: Type.Optional(endpointFields.project_ids),
      enabled: Type.Optional({ ...Type.Boolean(), default: true }),
    }),
    example: {
      name: "Reports",
      url: "https://hooks.example.com/svc",
      actions: ["task.created", "task.status_changed"],
    },
    returns: WebhookEndpointWithSecret,
    errors: ["webhook_url_refused", "invalid_reference", "limit_reached"],
  },
);

export const getWebhookEndpoint = op("GET /webhook-endpoints/{endpoint_id}", "Read a webhook endpoint", {
  description: MANAGED,
  unnamed: UNNAMED,
  tag: "Webhooks",
  auth: [S],
  include: ["people"],
  returns: Single,
});

export const updateWebhookEndpoint = op(
  "PATCH /webhook-endpoints/{endpoint_id}",
  "Change, enable or disable a webhook endpoint",
  {
    description:
      `${MANAGED} Events that happen while it is disabled are not sent later; waiting deliveries stay ` +
      "queued. Your own `created_by_actor_id` takes the endpoint over: it then sends the events that " +
      "you can see, and can be enabled again if its creator has left.",
    unnamed: UNNAMED,
    tag: "Webhooks",
    auth: [S],
    ifMatch: "required",
    body: patch({
      ...endpointFields,
      enabled: Type.Boolean(),
      created_by_actor_id: { ...Id, description: "Your own Actor id: takes the endpoint over." },
    }),
    example: { enabled: false },
    returns: Single,
    errors: ["webhook_url_refused", "webhook_creator_left", "invalid_reference"],
  },
);

export const deleteWebhookEndpoint = op("DELETE /webhook-endpoints/{endpoint_id}", "Delete a webhook endpoint", {
  description: `${MANAGED} Stops all deliveries and deletes its log.`,
  unnamed: UNNAMED,
  tag: "Webhooks",
  auth: [S],
  ifMatch: "optional",
});

export const rotateWebhookSecret = op(
  "POST /webhook-endpoints/{endpoint_id}/rotate-secret",
  "Rotate the secret of a webhook endpoint",
  {
    description:
      `${MANAGED} For 24 hours, deliveries are signed with both secrets, so that none is lost while the ` +
      "receiver switches. After another rotation within that time, only the newest two are used.",
    unnamed: UNNAMED,
    tag: "Webhooks",
    auth: [S],
    recentAuth: true,
    secret: true,
    returns: WebhookEndpointWithSecret,
  },
);
