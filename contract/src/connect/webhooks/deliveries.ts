// Deliveries to webhook endpoints and their outcome. Response bodies are not stored.
import Type from "typebox";
import { list, op, S } from "../../kit.ts";
import { Id, nullable, object, single, Timestamp } from "../../types.ts";

const MANAGED = "Needs integrations:manage.";
const UNNAMED = "whoever has a webhook endpoint sees what became of what was sent, and has it sent again";

const deliveryStates = ["queued", "delivered", "failed", "dropped"] as const;
const deliveryErrors = {
  refused_address: "The address is not one of the public internet, or not https.",
  unresolved: "The name of the address does not resolve.",
  connection: "The connection was refused, or broke.",
  timeout: "There was no answer within 15 seconds.",
  redirect: "It answered with a redirect, which is not followed.",
  status: "It answered with something else than 2xx.",
  gone: "It answered 410: the endpoint was disabled.",
  not_visible: "The creator of the endpoint does not see it any more: it is not sent.",
} as const;
export type DeliveryError = keyof typeof deliveryErrors;

export const WebhookDelivery = object({
  id: { ...Id, description: "Sent as webhook-id: the same at every attempt, and when it is sent again." },
  endpoint_id: Id,
  action: Type.String({ description: "The type in the payload." }),
  state: Type.Enum([...deliveryStates], {
    description:
      "queued: it is tried until it is accepted, for three days. failed: it was not. dropped: " +
      "the creator does not see it any more.",
  }),
  attempts: Type.Integer({ description: "Since it was queued, or sent again." }),
  status_code: { ...nullable(Type.Integer()), description: "Of the last answer." },
  duration_ms: { ...nullable(Type.Integer()), description: "Until it came." },
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
  "List what was sent to a webhook endpoint",
  {
    description: `${MANAGED} The newest first, for 30 days.`,
    unnamed: UNNAMED,
    tag: "Webhooks",
    auth: [S],
    query: object({ state: Type.Optional(Type.Enum([...deliveryStates])) }),
    items: WebhookDelivery,
  },
);

export const getWebhookDelivery = op(
  "GET /webhook-deliveries/{delivery_id}",
  "Read what became of something that was sent",
  {
    description: MANAGED,
    unnamed: UNNAMED,
    tag: "Webhooks",
    auth: [S],
    returns: Single,
  },
);

export const testWebhookEndpoint = op(
  "POST /webhook-endpoints/{endpoint_id}/test",
  "Send a test to a webhook endpoint",
  {
    description: `${MANAGED} It is queued like anything else; the log says what became of it.`,
    unnamed: UNNAMED,
    tag: "Webhooks",
    auth: [S],
    status: 202,
    returns: Single,
    errors: ["webhook_disabled"],
    quiet: "nothing of the Workspace changes",
  },
);

export const replayWebhookDelivery = op(
  "POST /webhook-deliveries/{delivery_id}/replay",
  "Send something to a webhook endpoint again",
  {
    description:
      `${MANAGED} Under the same webhook-id, so that a receiver that has it already knows it; ` +
      "tried for three days from now on. What waits is tried at once.",
    unnamed: UNNAMED,
    tag: "Webhooks",
    auth: [S],
    status: 202,
    returns: Single,
    errors: ["webhook_disabled"],
    quiet: "nothing of the Workspace changes",
  },
);
