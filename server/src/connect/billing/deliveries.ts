// What the billing provider tells. It is kept, with the work that follows from it, before it is answered. Nothing in it is believed but which checkout or
// subscription it is about, and that leads to a Workspace through a checkout that we have begun, never through what the provider was told to remember.
import * as contract from "@svc/contract/connect/billing/deliveries.ts";
import { implementWithEffects, open } from "../../platform/kernel/implement.ts";
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
