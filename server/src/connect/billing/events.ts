// Facts about who pays.
import { event } from "../../platform/kernel/events.ts";

/** The plan, its state or its seats are others now, or there are more credits. */
export const billingChanged = event("workspace.billing_changed");
