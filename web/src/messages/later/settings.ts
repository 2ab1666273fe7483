// Registers the English messages of settings; the pages that use them import it, so that a board does not load them.
// Other languages load as a whole.
import { projects } from "../en/projects.ts";
import { settings } from "../en/settings.ts";
import { come } from "../t.ts";

export const later = { ...projects, ...settings };
come(later);
