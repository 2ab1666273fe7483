// Registers the English messages of webhooks; the webhooks page imports it.
import { webhooks as later } from "../en/webhooks.ts";
import { come } from "../t.ts";

come(later);

export { later };
