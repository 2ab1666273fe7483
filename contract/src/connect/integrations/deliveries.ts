// Deliveries of a provider and their outcome. Their content is never shown.
import Type from "typebox";
import { list, op, S } from "../../kit.ts";
import { Id, nullable, object, several, single, Timestamp } from "../../types.ts";
import { IntegrationResource } from "./installations.ts";

const UNNAMED = "whoever manages a connection sees what came from it, and has it worked again";
const { id, kind, name, url } = IntegrationResource.properties;

export const deliveryStates = ["waiting", "done", "ignored", "failed"] as const;

export const IntegrationDelivery = object({
  id: Id,
  installation_id: Id,
  action: Type.String({ description: "What happened, as the provider calls it.", examples: ["pull_request"] }),
  resource: {
    ...nullable(object({ id, kind, name, url })),
    description: "Where it happened; null where that is none that the connection lists.",
  },
  state: Type.Enum([...deliveryStates], {
    description:
      "waiting: it is worked once those before it of the same resource are. ignored: nobody wanted to know. " +
      "failed: it was tried, and given up.",
  }),
  attempts: Type.Integer({ description: "Since it came, or was asked for again." }),
  replays: Type.Integer({ description: "How often it was asked for again." }),
  error_code: {
    ...nullable(Type.String()),
    description: "Of the last attempt, of the catalogue of errors; null where it did not fail.",
  },
  replayable: Type.Boolean({
    description: "It does not wait, and what it said is still kept: for a week after it came.",
  }),
  received_at: Timestamp,
  worked_at: nullable(Timestamp),
});

export const listIntegrationDeliveries = list(
  "GET /integration-installations/{installation_id}/deliveries",
  "List what a provider has delivered for a connection",
  {
    description: "Needs integrations:manage. The newest first, for 90 days.",
    unnamed: UNNAMED,
    tag: "Integrations",
    auth: [S],
    query: object({ state: Type.Optional(several({ of: deliveryStates })) }),
    errors: ["forbidden"],
    items: IntegrationDelivery,
  },
);

export const replayIntegrationDelivery = op(
  "POST /integration-deliveries/{integration_delivery_id}/replay",
  "Have a delivery worked again",
  {
    description:
      "Needs integrations:manage. It is worked once more, behind all that waits for the same resource, " +
      "with the bindings and rules that there are then. What is there already is not made twice.",
    unnamed: UNNAMED,
    tag: "Integrations",
    auth: [S],
    status: 202,
    idempotencyKey: "required",
    returns: single(IntegrationDelivery),
    errors: ["delivery_waiting", "delivery_erased", "installation_revoked"],
    quiet: "nothing changes by it alone; what follows from it is recorded when it is worked",
  },
);
