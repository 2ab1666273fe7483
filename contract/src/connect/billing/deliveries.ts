// Webhook deliveries of the billing provider.
import { op, P } from "../../kit.ts";
import { Bytes } from "../../types.ts";

/** Larger than any event of a supported provider, in bytes. */
const MOST_DELIVERED = 512 * 1024;
export const receiveBillingDelivery = op(
  "POST /webhooks/billing/{provider}",
  "Receive a delivery of the billing provider",
  {
    description:
      "Only the provider can call it; it signs its deliveries. The answer is sent once the delivery is " +
      "stored, and its effects are read again from the provider: a late, repeated or reordered delivery " +
      "changes nothing. Deliveries that are forged, too old, too large, malformed or for a provider that " +
      "is not configured are all refused with 404.",
    unnamed: "the provider reports payments in no other way",
    tag: "Billing",
    auth: [P],
    limit: "delivery",
    raw: { types: ["application/json"], bytes: MOST_DELIVERED, refusal: "not_found" },
    body: Bytes,
    quiet: "The effects are recorded when they happen.",
  },
);
