// Delivers a message to one push endpoint, for every job that pushes. Deletes the endpoint if the push service reports
// it gone.
import type { Database } from "../../platform/database/db.ts";
import type { ExternalSystems, PushSubscription } from "../../platform/outside/external-systems.ts";

/** About an hour and a half with the queue's exponential backoff; older messages are dropped. */
const MOST_ATTEMPTS = 8;

// An endpoint is valid only while its session is.
const FIND = `
select e.sealed, encode(e.address_hash, 'hex') as row from push_endpoints e join credentials c on c.id = e.credential_id
where e.id = $1 and c.revoked_at is null and c.expires_at > now()
  and coalesce(c.last_used_at, c.created_at) > now() - interval '7 days'`;
const REMOVE = "delete from push_endpoints where id = $1 and encode(address_hash, 'hex') = $2";

/** Throws if a retry may succeed. */
export async function pushTo(
  { reader, writer }: Pick<Database, "reader" | "writer">,
  { push, secrets }: ExternalSystems,
  endpointId: string,
  message: string | null,
  attempts: number,
): Promise<void> {
  const found = await reader.use((tx) => tx.maybe<{ sealed: string; row: string }>(FIND, [endpointId]));
  const opened = found && secrets.open(found.sealed, found.row);
  if (!found || message === null || !opened) return;
  const subscription: PushSubscription = JSON.parse(opened);
  try {
    const outcome = await push.send(subscription, message);
    if (outcome === "gone") await writer.use((tx) => tx.rows(REMOVE, [endpointId, found.row]));
  } catch (error) {
    if (attempts < MOST_ATTEMPTS) throw error;
  }
}
