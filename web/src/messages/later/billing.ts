// The English of billing, which comes with its page.
import { billing as later } from "../en/billing.ts";
import { come } from "../t.ts";

come(later);

export { later };
