// Webhook of the billing provider. A delivery is stored, with its job, before it is answered. Only the id of its
// checkout or subscription is used; it leads to a Workspace through a checkout that we began, never through metadata at
// the provider.
import * as contract from "@svc/contract/connect/billing/deliveries.ts";
import { implementWithEffects, open } from "../../platform/kernel/implement-operation.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { keepDelivery } from "./store.ts";

export const receiveBillingDelivery = implementWithEffects(
  contract.receiveBillingDelivery,
  open(),
  async ({ outside: { billing }, sent, transaction }, { params }) => {
    const told = billing?.provider === params.provider ? await billing.delivery(sent.body, sent.request.headers) : null;
    if (!told) return refuse("not_found");
    const { subject } = told;
    if (subject) await transaction(({ tx }) => keepDelivery(tx, params.provider, { ...told, subject }));
  },
);
