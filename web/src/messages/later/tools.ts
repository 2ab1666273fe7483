// The English of what is used, which comes with the conversation and with Agents.
import { tools as later } from "../en/tools.ts";
import { come } from "../t.ts";

come(later);

export { later };
