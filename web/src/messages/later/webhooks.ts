// The English of webhooks, which comes with their page.
import { webhooks as later } from "../en/webhooks.ts";
import { come } from "../t.ts";

come(later);

export { later };
