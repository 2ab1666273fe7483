// Subscriptions of a binding to kinds of events.
import Type from "typebox";
import { list, op, S } from "../../kit.ts";
import { Id, object, patch, resource, single } from "../../types.ts";
import { eventKinds } from "./kinds.ts";

const EventKinds = Type.Array(Type.Enum([...eventKinds]), {
  minItems: 1,
  maxItems: eventKinds.length,
  uniqueItems: true,
  description: "Those that the provider has in the catalogue.",
});

export const IntegrationSubscriptionRow = object({
  ...resource,
  binding_id: Id,
  event_kinds: EventKinds,
  enabled: Type.Boolean(),
  created_by_actor_id: Id,
});
export const IntegrationSubscription = single(IntegrationSubscriptionRow);

export const listIntegrationSubscriptions = list(
  "GET /integration-bindings/{binding_id}/subscriptions",
  "List the subscriptions of a binding",
  { description: "The newest first.", auth: [S], include: ["people"], items: IntegrationSubscriptionRow },
);

export const createIntegrationSubscription = op(
  "POST /integration-bindings/{binding_id}/subscriptions",
  "Take notice of kinds of events",
  {
    description:
      "By those who manage Integrations, and leads of the Project. Of what no enabled subscription names, " +
      "a binding takes no notice.",
    auth: [S],
    status: 201,
    creates: "/integration-subscriptions/{id}",
    body: object({ event_kinds: EventKinds, enabled: Type.Optional(Type.Boolean({ default: true })) }),
    example: { event_kinds: ["message"], enabled: true },
    returns: IntegrationSubscription,
    errors: ["invalid_reference", "installation_revoked", "limit_reached", "project_archived"],
  },
);

export const updateIntegrationSubscription = op(
  "PATCH /integration-subscriptions/{subscription_id}",
  "Change, stop or resume a subscription",
  {
    description: "By those who manage Integrations, and leads of the Project.",
    auth: [S],
    ifMatch: "required",
    body: patch({ event_kinds: EventKinds, enabled: Type.Boolean() }),
    example: { enabled: false },
    returns: IntegrationSubscription,
    errors: ["invalid_reference", "project_archived"],
  },
);
