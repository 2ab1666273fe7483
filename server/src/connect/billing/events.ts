// Events of billing.
import { event } from "../../platform/kernel/events.ts";

/** The plan, its state or its seats have changed, or credits were added. */
export const billingChanged = event("workspace.billing_changed");
