// The English of the settings, which comes with the pages that use it: whoever opens a board does not load it. Other languages are loaded whole.
import { projects } from "../en/projects.ts";
import { settings } from "../en/settings.ts";
import { come } from "../t.ts";

export const later = { ...projects, ...settings };
come(later);
