// Background work of identity.
import type { Jobs } from "../kernel/jobs.ts";

export const identityJobs: Jobs = {
  /** A letter to an address that is to get none: queued only so that asking for one costs the same for every address. */
  discard_mail: async () => {},
};
