// Pushing in the background: one job a message and endpoint, so that one dead push service holds up nobody else. A message may come
// twice after a crash; its id lets the browser show it once.
import type { Database } from "../kernel/db.ts";
import type { Jobs } from "../kernel/jobs.ts";
import type { Outside, PushSubscription } from "../kernel/outside.ts";
import { profilePictures } from "./store.ts";

/** With the queue's growing pauses about an hour and a half; what is older interests nobody. */
const MOST_ATTEMPTS = 8;

// An endpoint is used as long as its session lives.
const FIND = `
select e.sealed, encode(e.address_hash, 'hex') as row from push_endpoints e join credentials c on c.id = e.credential_id
where e.id = $1 and c.revoked_at is null and c.expires_at > now() and coalesce(c.last_used_at, c.created_at) > now() - interval '7 days'`;
const REMOVE = "delete from push_endpoints where id = $1 and encode(address_hash, 'hex') = $2";

export function accountJobs({ reader, writer }: Pick<Database, "reader" | "writer">, outside: Outside): Jobs {
  return {
    ...profilePictures.jobs(reader, outside),
    async send_push(payload, { job }) {
      const { id, endpoint_id, sealed } = payload as { id: string; endpoint_id: string; sealed: string };
      const found = await reader.use((tx) => tx.maybe<{ sealed: string; row: string }>(FIND, [endpoint_id]));
      if (!found) return;
      const subscription: PushSubscription = JSON.parse(outside.secrets.open(found.sealed, found.row));
      try {
        const outcome = await outside.push.send(subscription, outside.secrets.open(sealed, id));
        if (outcome === "gone") await writer.use((tx) => tx.rows(REMOVE, [endpoint_id, found.row]));
      } catch (error) {
        if (job.attempts < MOST_ATTEMPTS) throw error;
      }
    },
  };
}
