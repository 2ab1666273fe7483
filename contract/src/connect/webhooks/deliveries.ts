// Deliveries to webhook endpoints and their outcome. Response bodies are not stored.
import Type from "typebox";
import { list, op, S } from "../../kit.ts";
import { Id, nullable, object, single, Timestamp } from "../../types.ts";

const MANAGED = "Needs integrations:manage.";
const UNNAMED = "those who have a webhook endpoint see the outcome of its deliveries, and replay them";

const deliveryStates = ["queued", "delivered", "failed", "dropped"] as const;
const deliveryErrors = {
  refused_address: "The address is not one of the public internet, or not https.",
  unresolved: "The name of the address does not resolve.",
  connection: "The connection was refused, or closed early.",
  timeout: "There was no answer within 15 seconds.",
  redirect: "The endpoint answered with a redirect, which is not followed.",
  status: "The endpoint answered with a status other than 2xx.",
  gone: "The endpoint answered 410: it was disabled.",
  not_visible: "The creator of the endpoint can no longer see the resource: it is not sent.",
} as const;
export type DeliveryError = keyof typeof deliveryErrors;

export const WebhookDelivery = object({
  id: { ...Id, description: "Sent as webhook-id: the same at every attempt and replay." },
  endpoint_id: Id,
  action: Type.String({ description: "Type in the payload." }),
  state: Type.Enum([...deliveryStates], {
    description:
      "queued: it is retried until it is accepted, for three days. failed: it was never accepted. " +
      "dropped: the creator can no longer see the resource.",
  }),
  attempts: Type.Integer({ description: "Number of attempts since it was queued or replayed." }),
  status_code: { ...nullable(Type.Integer()), description: "Status code of the last answer." },
  duration_ms: { ...nullable(Type.Integer()), description: "Time until the last answer." },
  error_code: Type.Unsafe<DeliveryError | null>({
    type: ["string", "null"],
    enum: [...Object.keys(deliveryErrors), null],
    description: Object.entries(deliveryErrors)
      .map(([code, says]) => `- \`${code}\`: ${says}`)
      .join("\n"),
  }),
  created_at: Timestamp,
  attempted_at: nullable(Timestamp),
  next_attempt_at: nullable(Timestamp),
});
const Single = single(WebhookDelivery);

export const listWebhookDeliveries = list(
  "GET /webhook-endpoints/{endpoint_id}/deliveries",
  "List the deliveries of a webhook endpoint",
  {
    description: `${MANAGED} Lists the newest first, for 30 days.`,
    unnamed: UNNAMED,
    tag: "Webhooks",
    auth: [S],
    query: object({ state: Type.Optional(Type.Enum([...deliveryStates])) }),
    items: WebhookDelivery,
  },
);

export const getWebhookDelivery = op("GET /webhook-deliveries/{delivery_id}", "Read a webhook delivery", {
  description: MANAGED,
  unnamed: UNNAMED,
  tag: "Webhooks",
  auth: [S],
  returns: Single,
});

export const testWebhookEndpoint = op(
  "POST /webhook-endpoints/{endpoint_id}/test",
  "Send a test to a webhook endpoint",
  {
    description: `${MANAGED} The test is queued like any delivery; the log shows its outcome.`,
    unnamed: UNNAMED,
    tag: "Webhooks",
    auth: [S],
    status: 202,
    returns: Single,
    errors: ["webhook_disabled"],
    quiet: "Nothing in the Workspace changes.",
  },
);

export const replayWebhookDelivery = op("POST /webhook-deliveries/{delivery_id}/replay", "Replay a webhook delivery", {
  description:
    `${MANAGED} Sends it again under the same webhook-id, so that a receiver can recognise it; it is ` +
    "retried for three days from now on. A queued delivery is tried at once.",
  unnamed: UNNAMED,
  tag: "Webhooks",
  auth: [S],
  status: 202,
  returns: Single,
  errors: ["webhook_disabled"],
  quiet: "Nothing in the Workspace changes.",
});
