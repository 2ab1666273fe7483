// Kinds of events that a binding subscribes to.
import * as contract from "@svc/contract/connect/integrations/subscriptions.ts";
import { granted, type InProject } from "../../planning/projects/access.ts";
import { differing } from "../../platform/database/sql.ts";
import { type Context, implement, implementList } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { newId } from "../../platform/wire/ids.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { binding, changedBinding, changedSubscription } from "./access.ts";
import { subscriptionCreated, subscriptionUpdated } from "./events.ts";
import * as store from "./install/binding-store.ts";
import { providerOf } from "./providers/providers.ts";

/** Subscriptions per binding. */
export const MOST_SUBSCRIPTIONS = 20;

export const listIntegrationSubscriptions = implementList(
  contract.listIntegrationSubscriptions,
  binding,
  (tx, { params, page }) => store.listSubscriptions(tx, params.binding_id, page),
);

/** Refuses kinds that the provider neither delivers nor is notified of. */
function requireKinds(providerKey: string, kinds: readonly string[]): void {
  const known: readonly string[] = providerOf.get(providerKey)?.events ?? [];
  const errors = kinds.flatMap((kind, at) =>
    known.includes(kind)
      ? []
      : [{ pointer: `/body/event_kinds/${at}`, code: "invalid_reference", detail: "is none of this provider" }],
  );
  if (errors.length > 0) refuse("invalid_reference", { errors });
}
const capabilities = (context: Context, target: InProject) =>
  granted(context, target, "work:manage", "integration_subscription:update");

export const createIntegrationSubscription = implement(
  contract.createIntegrationSubscription,
  changedBinding,
  async (context, { target, body: { event_kinds, enabled = true } }) => {
    const { tx, record } = context;
    requireKinds(target.provider_key, event_kinds);
    if (target.state === "revoked") return refuse("installation_revoked");
    if ((await store.countSubscriptions(tx, target.id, MOST_SUBSCRIPTIONS)) >= MOST_SUBSCRIPTIONS)
      return refuse("limit_reached");
    const id = newId();
    const row = await store.createSubscription(tx, id, target.id, event_kinds, enabled);
    const subject = { kind: "integration_subscription", id, projectId: target.project_id };
    record(subscriptionCreated(subject, { binding_id: target.id, event_kinds }));
    return render(row, capabilities(context, target));
  },
);

export const updateIntegrationSubscription = implement(
  contract.updateIntegrationSubscription,
  changedSubscription,
  async (context, { target, body }) => {
    const { tx, record } = context;
    const { event_kinds, enabled } = target;
    const changed = differing(body, { event_kinds, enabled } as never);
    if (changed === null) return render(target, capabilities(context, target));
    if (body.event_kinds) requireKinds(target.provider_key, body.event_kinds);
    const row = await store.updateSubscription(tx, target.id, body.event_kinds ?? event_kinds, body.enabled ?? enabled);
    const subject = { kind: "integration_subscription", id: target.id, projectId: target.project_id };
    record(subscriptionUpdated(subject, { binding_id: target.binding_id, fields: Object.keys(changed).sort() }));
    return render(row, capabilities(context, target));
  },
);
