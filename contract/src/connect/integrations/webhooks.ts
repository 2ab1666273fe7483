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
  body: Type.Unsafe<Uint8Array>({ description: "As the provider sends it." }),
  returns: object({
    challenge: Type.Optional(
      Type.String({ description: "Sent back where the provider asks whether this address is meant." }),
    ),
  }),
  quiet: "a delivery changes nothing by itself; what follows from it is recorded when it is worked",
} as const;
const howItIsTaken =
  "Verified by the provider's signature over the body as it came, and stored before it is answered; " +
  "it is worked in the background, in order for each resource. A delivery that came before is answered the same " +
  "and does nothing. Whatever is forged, too old, too large, malformed, or for something that is not " +
  "connected is refused alike: 404.";

export const receiveProviderDelivery = op(
  "POST /webhooks/integrations/{provider_key}",
  "Take a delivery of a provider",
  {
    description:
      "At the one address of the app that the operator has registered: " +
      "the delivery says which account it is of, " +
      `and reaches every Workspace that is connected with it. ${howItIsTaken}`,
    ...delivery,
  },
);

export const receiveInstallationDelivery = op(
  "POST /webhooks/integrations/{provider_key}/{installation_id}",
  "Take a delivery for an installation",
  {
    description: `At the address of one installation, signed with its own secret. ${howItIsTaken}`,
    ...delivery,
  },
);
