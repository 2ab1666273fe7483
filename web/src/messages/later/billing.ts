// Registers the English messages of billing; the billing page imports it.
import { billing as later } from "../en/billing.ts";
import { come } from "../t.ts";

come(later);

export { later };
