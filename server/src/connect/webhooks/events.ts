// Events of webhook endpoints. None of them is in activity.
import { event } from "../../platform/kernel/events.ts";

export const endpointCreated = event("webhook_endpoint.created");
export const endpointUpdated = event("webhook_endpoint.updated");
export const secretRotated = event("webhook_endpoint.secret_rotated");
export const endpointDeleted = event("webhook_endpoint.deleted");
export const subjectOf = (id: string) => ({ kind: "webhook_endpoint", id });
