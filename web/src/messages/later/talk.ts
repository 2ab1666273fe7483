// Registers the English messages of the conversation; the conversation panel imports it.
import { talk as later } from "../en/talk.ts";
import { come } from "../t.ts";

come(later);

export { later };
