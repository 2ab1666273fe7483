// Wire views of webhook endpoints and deliveries. They contain neither secrets nor response bodies.
import { WebhookDelivery } from "@svc/contract/connect/webhooks/deliveries.ts";
import { WebhookEndpoint } from "@svc/contract/connect/webhooks/endpoints.ts";
import { view } from "../../platform/database/view.ts";

export const endpointView = view(WebhookEndpoint, "w", {
  previous_secret_expires_at:
    "case when w.previous_secret_expires_at > now() then wire_time(w.previous_secret_expires_at) end",
});
export const deliveryView = view(WebhookDelivery, "d");
