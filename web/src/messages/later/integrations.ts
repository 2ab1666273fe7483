// The English of Integrations, which comes with their pages.
import { integrations as later } from "../en/integrations.ts";
import { come } from "../t.ts";

come(later);

export { later };
