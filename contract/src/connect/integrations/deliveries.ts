// Deliveries of a provider and their outcome. Their content is never shown.
import Type from "typebox";
import { list, op, S } from "../../kit.ts";
import { Id, nullable, object, several, single, Timestamp } from "../../types.ts";
import { IntegrationResource } from "./installations.ts";

const UNNAMED = "those who manage a connection see its deliveries and replay them";
const { id, kind, name, url } = IntegrationResource.properties;

export const deliveryStates = ["waiting", "done", "ignored", "failed"] as const;

export const IntegrationDelivery = object({
  id: Id,
  installation_id: Id,
  action: Type.String({ description: "Event, as named by the provider.", examples: ["pull_request"] }),
  resource: {
    ...nullable(object({ id, kind, name, url })),
    description: "Resource of the delivery; null if the connection does not list it.",
  },
  state: Type.Enum([...deliveryStates], {
    description:
      "waiting: earlier deliveries of the same resource are processed first. ignored: no subscription " +
      "matches. failed: processing was tried and given up.",
  }),
  attempts: Type.Integer({ description: "Number of attempts since it arrived or was replayed." }),
  replays: Type.Integer({ description: "Number of replays." }),
  error_code: {
    ...nullable(Type.String()),
    description: "Error code of the last attempt, from the catalogue of errors; null if it did not fail.",
  },
  replayable: Type.Boolean({
    description:
      "Whether it can be replayed: it is not waiting, and its content is still stored, which is for a " +
      "week after its arrival.",
  }),
  received_at: Timestamp,
  worked_at: nullable(Timestamp),
});

export const listIntegrationDeliveries = list(
  "GET /integration-installations/{installation_id}/deliveries",
  "List the deliveries of a connection",
  {
    description: "Needs integrations:manage. Lists the newest first, for 90 days.",
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
  "Replay a delivery",
  {
    description:
      "Needs integrations:manage. Processes the delivery once more, after those that wait for the same " +
      "resource, with the bindings and rules at that time. Nothing that exists already is created twice.",
    unnamed: UNNAMED,
    tag: "Integrations",
    auth: [S],
    status: 202,
    idempotencyKey: "required",
    returns: single(IntegrationDelivery),
    errors: ["delivery_waiting", "delivery_erased", "installation_revoked"],
    quiet: "The request alone changes nothing; the effects are recorded when the delivery is processed.",
  },
);
