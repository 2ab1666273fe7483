// Registers the English messages of tools; the conversation and the Agents pages import it.
import { tools as later } from "../en/tools.ts";
import { come } from "../t.ts";

come(later);

export { later };
