// Background work of identity.
import type { Background } from "../../platform/background/jobs.ts";

export const background: Background = {
  jobs: () => ({
    /** A letter to an address that is to get none: queued only so that asking for one costs the same for every address. */
    discard_mail: async () => {},
  }),
};
