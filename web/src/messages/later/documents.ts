// The English of Documents, which comes with their pages.
import { documents as later } from "../en/documents.ts";
import { come } from "../t.ts";

come(later);

export { later };
