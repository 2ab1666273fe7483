// Background jobs of the identity module.
import type { Background } from "../../platform/background/jobs.ts";

export const background: Background = {
  jobs: () => ({
    /**
     * Discards an email that must not be sent. It is queued only so that a request costs the same for every address.
     */
    discard_mail: async () => {},
  }),
};
