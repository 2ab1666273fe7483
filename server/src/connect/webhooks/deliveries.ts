// Delivery log of a webhook endpoint, test deliveries and redelivery.
import * as contract from "@svc/contract/connect/webhooks/deliveries.ts";
import { TEST_ACTION } from "@svc/contract/connect/webhooks/event-types.ts";
import { managing } from "../../accounts/workspaces/rules.ts";
import { implement, implementList } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { newId } from "../../platform/wire/ids.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { delivery, endpoint, MANAGE } from "./access.ts";
import * as store from "./store.ts";

export const listWebhookDeliveries = implementList(
  contract.listWebhookDeliveries,
  endpoint(),
  (tx, { params, query, page }) => store.listDeliveries(tx, params.endpoint_id, query.state, page),
);

export const getWebhookDelivery = implement(contract.getWebhookDelivery, delivery(), async ({ member }, { target }) =>
  render(target, managing(member.role, MANAGE)),
);

export const testWebhookEndpoint = implement(
  contract.testWebhookEndpoint,
  endpoint(),
  async ({ tx, member, enqueue }, { target }) => {
    if (!target.enabled) return refuse("webhook_disabled");
    const row = await store.queueTest(tx, newId(), target.id, TEST_ACTION);
    enqueue("webhooks", {});
    return render(row, managing(member.role, MANAGE));
  },
);

export const replayWebhookDelivery = implement(
  contract.replayWebhookDelivery,
  delivery(),
  async ({ tx, member, enqueue }, { target }) => {
    if (!target.enabled) return refuse("webhook_disabled");
    const row = await store.replay(tx, target.id, target.endpoint_id);
    enqueue("webhooks", {});
    return render(row, managing(member.role, MANAGE));
  },
);
