// Registers the English messages of Agents; the Agents pages import it.
import { agents as later } from "../en/agents.ts";
import { come } from "../t.ts";

come(later);

export { later };
