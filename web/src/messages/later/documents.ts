// Registers the English messages of Documents; the Documents pages import it.
import { documents as later } from "../en/documents.ts";
import { come } from "../t.ts";

come(later);

export { later };
