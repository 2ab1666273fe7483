// Events of Integrations. None of them is in activity; changes of work by integrations are, under their Actors.
import { event } from "../../platform/kernel/events.ts";

export const installationConnected = event("integration_installation.connected");
export const installationReconnected = event("integration_installation.reconnected");
export const installationRemoved = event("integration_installation.removed");
export const integrationRequested = event("integration_request.created");
export const requestDeclined = event("integration_request.declined");
export const installationChanged = event("integration_installation.changed");
export const bindingCreated = event("integration_binding.created");
export const bindingUpdated = event("integration_binding.updated");
export const bindingDeleted = event("integration_binding.deleted");
export const subscriptionCreated = event("integration_subscription.created");
export const subscriptionUpdated = event("integration_subscription.updated");
export const identityLinked = event("integration_identity.linked");
export const identityUnlinked = event("integration_identity.unlinked");
