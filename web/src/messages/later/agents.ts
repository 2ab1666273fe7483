// The English of Agents, which comes with their pages.
import { agents as later } from "../en/agents.ts";
import { come } from "../t.ts";

come(later);

export { later };
