// Event types of webhooks, from the contract.
import * as contract from "@svc/contract/connect/webhooks/event-types.ts";
import { account, implement } from "../../platform/kernel/implement-operation.ts";

const { webhookActions, TEST_ACTION, WEBHOOK_VERSION: version, payloadSchema } = contract;
const items = [...webhookActions, TEST_ACTION].map((action) => ({ action, version, schema: payloadSchema(action) }));

export const listWebhookEventTypes = implement(contract.listWebhookEventTypes, account(), async () => ({ items }));
