// Webhook endpoints receive the events of a Workspace as Standard Webhooks (https://www.standardwebhooks.com). Payloads
// hold only ids, filtered by the current access of the endpoint's creator.
import Type from "typebox";
import { list, op, S } from "../../kit.ts";
import { Id, Name, nullable, object, patch, resource, single, Timestamp } from "../../types.ts";
import { webhookActions } from "./event-types.ts";

export const MOST_ENDPOINTS = 20;
const MOST_PROJECTS = 100;
const UNNAMED =
  "the specification does not name webhooks out, which people ask for most: " +
  "what another program is told without asking";
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
    description: "What it hears of: see `GET /webhook-event-types`.",
  }),
  project_ids: Type.Array(Id, {
    maxItems: MOST_PROJECTS,
    uniqueItems: true,
    description: "Only what is in these; empty: everything that its creator sees.",
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
      "Why the service disabled it. failing: nothing was accepted for three days. gone: it answered 410. " +
      "creator_left: its creator is no active member any more, and somebody who manages webhooks can take it " +
      "over. Null: it is enabled, or somebody disabled it.",
  },
  created_by_actor_id: { ...Id, description: "It hears of what this member sees at the moment of sending." },
  previous_secret_expires_at: {
    ...nullable(Timestamp),
    description: "Until then what is sent is signed with the secret before the last rotation, too.",
  },
  succeeded_at: { ...nullable(Timestamp), description: "When something was last accepted." },
  failing_since: {
    ...nullable(Timestamp),
    description: "Since when nothing was; null: the last attempt was accepted.",
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
    description: `${MANAGED} In the order in which they were made, at most ${MOST_ENDPOINTS}.`,
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
      `${MANAGED} It hears of what happens from now on, as long as you see it. ` +
      `The secret that everything is signed with is in this answer only. At most ${MOST_ENDPOINTS} in a Workspace.`,
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
      `${MANAGED} Events that happen while it is disabled are not sent later; ` +
      "deliveries that were waiting stay " +
      `queued. With your own \`created_by_actor_id\` you take it over: it then sends what you see, ` +
      "and can be enabled again if its creator has left.",
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
  description: `${MANAGED} Nothing is sent any more, and its log is deleted.`,
  unnamed: UNNAMED,
  tag: "Webhooks",
  auth: [S],
  ifMatch: "optional",
});

export const rotateWebhookSecret = op(
  "POST /webhook-endpoints/{endpoint_id}/rotate-secret",
  "Give a webhook endpoint another secret",
  {
    description:
      `${MANAGED} For 24 hours what is sent has a signature with each of the two, so that nothing is ` +
      "lost while " +
      "the receiver changes over. Rotated again meanwhile, only the newest two count.",
    unnamed: UNNAMED,
    tag: "Webhooks",
    auth: [S],
    recentAuth: true,
    secret: true,
    returns: WebhookEndpointWithSecret,
  },
);
