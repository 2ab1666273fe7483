// Webhook deliveries of the billing provider.
import { op, P } from "../../kit.ts";
import { Bytes } from "../../types.ts";

/** Larger than any event of a supported provider, in bytes. */
const MOST_DELIVERED = 512 * 1024;
export const receiveBillingDelivery = op(
  "POST /webhooks/billing/{provider}",
  "Tell what happened at the billing provider",
  {
    description:
      "For the provider alone, which signs what it sends. It is answered once it is kept, and what follows " +
      "from it is read again from the provider: a delivery that comes late, twice or in another order changes " +
      "nothing. Whatever is forged, too old, too large, malformed or for a provider that is not configured is " +
      "refused alike: 404.",
    unnamed: "a provider tells of payments in no other way",
    tag: "Billing",
    auth: [P],
    limit: "delivery",
    raw: { types: ["application/json"], bytes: MOST_DELIVERED, refusal: "not_found" },
    body: Bytes,
    quiet: "what follows from it is recorded when it does",
  },
);
