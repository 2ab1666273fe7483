// Webhook endpoint, as the service lists it.
import type { Client } from "@svc/client";

export type EndpointRow = Awaited<ReturnType<Client["listWebhookEndpoints"]>>["items"][number];
