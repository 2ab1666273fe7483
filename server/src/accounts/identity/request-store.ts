// SQL of browsers on their way to a provider and back. Each is kept under the hash of its state, for ten minutes by the database's clock, and is used up by the first that comes back with it.
import type { Queries } from "../../platform/database/db.ts";
import type { EffectsContext } from "../../platform/kernel/implement.ts";

// Each one that begins takes two away that have ended: there are never many more than were begun in the last ten minutes.
const KEEP = `
with ended as (
  delete from provider_requests where state_hash in (
    select state_hash from provider_requests where expires_at < now() order by expires_at limit 2 for update skip locked)
)
insert into provider_requests (state_hash, provider, sealed, user_id, expires_at)
values ($1, $2, $3, $4, now() + interval '10 minutes') returning wire_time(expires_at) as expires_at`;
export const keepRequest = (tx: Queries, hash: Buffer, provider: string, sealed: string, userId: string | null) =>
  tx.one<{ expires_at: string }>(KEEP, [hash, provider, sealed, userId]);

const USE = `
update provider_requests set used_at = now()
where state_hash = $1 and provider = $2 and used_at is null and expires_at > now() returning sealed`;
/** The state was never given out, has ended or was used: nothing is written about it. */
class Unknown extends Error {}

/** What was sealed beside it; null where there is none to use. */
export async function useRequest(
  { transaction }: Pick<EffectsContext, "transaction">,
  hash: Buffer,
  provider: string,
): Promise<string | null> {
  try {
    return await transaction(async ({ tx }) => {
      const found = await tx.maybe<{ sealed: string }>(USE, [hash, provider]);
      if (!found) throw new Unknown();
      return found.sealed;
    });
  } catch (error) {
    if (error instanceof Unknown) return null;
    throw error;
  }
}
