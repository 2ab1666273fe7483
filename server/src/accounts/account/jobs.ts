// Background push delivery: one job per message and endpoint, so that an unavailable push service delays no other
// delivery. A message may be delivered twice after a crash; its id lets the browser show it once.
import type { Background } from "../../platform/background/jobs.ts";
import { pushTo } from "./push-store.ts";
import { profilePictures } from "./store.ts";

export const background: Background = {
  deleting: ["discard_picture"],
  jobs: ({ database, outside }) => ({
    ...profilePictures.jobs(database.reader, outside),
    async send_push(payload, { job }) {
      const { id, endpoint_id, sealed } = payload as { id: string; endpoint_id: string; sealed: string };
      await pushTo(database, outside, endpoint_id, outside.secrets.open(sealed, id), job.attempts);
    },
  }),
};
