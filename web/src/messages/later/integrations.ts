// Registers the English messages of Integrations; the Integrations pages import it.
import { integrations as later } from "../en/integrations.ts";
import { come } from "../t.ts";

come(later);

export { later };
