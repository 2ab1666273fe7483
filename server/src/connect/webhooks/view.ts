// Webhook endpoints and deliveries on the wire. Neither a secret nor a word of an answer is in them.
import { WebhookDelivery } from "@svc/contract/connect/webhooks/deliveries.ts";
import { WebhookEndpoint } from "@svc/contract/connect/webhooks/endpoints.ts";
import { view } from "../../platform/database/view.ts";

export const endpointView = view(WebhookEndpoint, "w", {
  previous_secret_expires_at:
    "case when w.previous_secret_expires_at > now() then wire_time(w.previous_secret_expires_at) end",
});
export const deliveryView = view(WebhookDelivery, "d");
