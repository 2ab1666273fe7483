// Registers the English messages of the CSV import; the import form imports it.
import { tables as later } from "../en/tables.ts";
import { come } from "../t.ts";

come(later);

export { later };
