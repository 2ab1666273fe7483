// The English of what is imported, which comes with that.
import { tables as later } from "../en/tables.ts";
import { come } from "../t.ts";

come(later);

export { later };
