// Subscriptions of a binding to kinds of events.
import Type from "typebox";
import { list, op, S } from "../../kit.ts";
import { Id, object, patch, resource, single } from "../../types.ts";
import { eventKinds } from "./kinds.ts";

const EventKinds = Type.Array(Type.Enum([...eventKinds]), {
  minItems: 1,
  maxItems: eventKinds.length,
  uniqueItems: true,
  description: "Event kinds of the provider, from the catalogue.",
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
  { description: "Lists the newest first.", auth: [S], include: ["people"], items: IntegrationSubscriptionRow },
);

export const createIntegrationSubscription = op(
  "POST /integration-bindings/{binding_id}/subscriptions",
  "Subscribe a binding to kinds of events",
  {
    description:
      "Only those who manage Integrations, and leads of the Project, can subscribe it. A binding ignores " +
      "events that no enabled subscription names.",
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
  "Change, pause or resume a subscription",
  {
    description: "Only those who manage Integrations, and leads of the Project, can change it.",
    auth: [S],
    ifMatch: "required",
    body: patch({ event_kinds: EventKinds, enabled: Type.Boolean() }),
    example: { enabled: false },
    returns: IntegrationSubscription,
    errors: ["invalid_reference", "project_archived"],
  },
);
