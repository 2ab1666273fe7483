// Every member reads the Integrations of a Workspace; those with integrations:manage connect and remove them.
import { may } from "../../accounts/workspaces/rules.ts";
import { permits } from "../../planning/projects/access.ts";
import { type Access, unlessHidden } from "../../platform/kernel/implement-operation.ts";
import {
  type BindingTarget,
  lockBinding,
  lockSubscription,
  readBinding,
  readSubscription,
  type SubscriptionTarget,
} from "./install/binding-store.ts";
import { type InstallationTarget, lockInstallation, readInstallation } from "./install/installation-store.ts";
import { lockRequest, type RequestTarget } from "./install/request-store.ts";
import { type InboundDeliveryTarget, lockDelivery } from "./receive/delivery-log.ts";
import { PRIVATE_CONNECTOR } from "./rules.ts";

/** An installation that was removed is not found. */
const byId = (allowed: Access<InstallationTarget>["permits"]): Access<InstallationTarget> => ({
  reach: "membership",
  load: (tx, { installation_id }, change) =>
    change ? lockInstallation(tx, installation_id as string) : readInstallation(tx, installation_id as string),
  permits: allowed,
});
export const installation = byId(() => true);
export const managedInstallation = byId(({ member }) => may(member.role, "integrations:manage"));

/** Installation of a private connector. */
export const managedConnector: Access<InstallationTarget> = {
  ...managedInstallation,
  load: async (tx, params, change) => {
    const found = await managedInstallation.load(tx, params, change);
    return found?.provider_key === PRIVATE_CONNECTOR ? found : undefined;
  },
};

/** Binding of a Project that the caller sees. Members with work:manage change it: owners, admins and leads. */
export const binding: Access<BindingTarget> = {
  reach: "membership",
  load: (tx, { binding_id }) => readBinding(tx, binding_id as string),
  permits: permits("work:read"),
};
export const changedBinding: Access<BindingTarget> = {
  reach: "membership",
  load: (tx, { binding_id }, change) => (change ? lockBinding : readBinding)(tx, binding_id as string),
  permits: permits("work:manage"),
};
export const changedSubscription: Access<SubscriptionTarget> = {
  reach: "membership",
  load: (tx, { subscription_id }, change) =>
    (change ? lockSubscription : readSubscription)(tx, subscription_id as string),
  permits: permits("work:manage"),
};
/** Requires integrations:manage; hidden from everybody else. */
export const delivery: Access<InboundDeliveryTarget> = {
  reach: "membership",
  load: (tx, { integration_delivery_id }) => lockDelivery(tx, integration_delivery_id as string),
  permits: ({ member }) => unlessHidden(may(member.role, "integrations:manage")),
};
/** A member's request for a provider, hidden likewise. */
export const request: Access<RequestTarget> = {
  reach: "membership",
  load: (tx, { request_id }) => lockRequest(tx, request_id as string),
  permits: ({ member }) => unlessHidden(may(member.role, "integrations:manage")),
};
