// Webhooks that providers send. Each request is authenticated by its signature alone, and stored by the transaction
// that answers it.
import Type from "typebox";
import { op, P } from "../../kit.ts";
import { object } from "../../types.ts";

/** In bytes. GitHub sends up to 25 MB for a push with thousands of commits; larger deliveries than this are refused. */
export const MOST_DELIVERED = 5 * 1024 * 1024;

const delivery = {
  auth: [P],
  limit: "delivery",
  raw: {
    types: ["application/json", "application/x-www-form-urlencoded"],
    bytes: MOST_DELIVERED,
    refusal: "not_found",
  },
  body: Type.Unsafe<Uint8Array>({ description: "Delivery as sent by the provider." }),
  returns: object({
    challenge: Type.Optional(Type.String({ description: "Returned when the provider verifies this address." })),
  }),
  quiet: "A delivery changes nothing by itself; its effects are recorded when it is processed.",
} as const;
const howItIsTaken =
  "The provider's signature over the raw body is verified, and the delivery is stored before it is " +
  "answered; it is processed in the background, in order for each resource. A repeated delivery gets " +
  "the same answer and has no effect. Deliveries that are forged, too old, too large, malformed, or " +
  "for something that is not connected are all refused with 404.";

export const receiveProviderDelivery = op(
  "POST /webhooks/integrations/{provider_key}",
  "Receive a delivery of a provider",
  {
    description:
      "All deliveries for the app that the operator has registered go to this address: each names its " +
      `account, and reaches every Workspace that is connected with that account. ${howItIsTaken}`,
    ...delivery,
  },
);

export const receiveInstallationDelivery = op(
  "POST /webhooks/integrations/{provider_key}/{installation_id}",
  "Receive a delivery for an installation",
  {
    description: [
      "Each installation has its own address, and its deliveries are signed with its own secret.",
      howItIsTaken,
    ].join(" "),
    ...delivery,
  },
);
