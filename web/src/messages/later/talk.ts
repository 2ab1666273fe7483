// The English of the conversation, which comes with its panel.
import { talk as later } from "../en/talk.ts";
import { come } from "../t.ts";

come(later);

export { later };
