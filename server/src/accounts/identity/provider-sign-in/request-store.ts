// SQL of authorization requests to providers. Each is stored under the hash of its state for ten minutes by the
// database's clock, and consumed by the first callback.
import type { Queries } from "../../../platform/database/db.ts";
import type { EffectsContext } from "../../../platform/kernel/implement-operation.ts";

// Each insert deletes two expired requests, so that the table holds little more than those of the last ten minutes.
const KEEP = `
with ended as (
  delete from provider_requests where state_hash in (
    select state_hash from provider_requests where expires_at < now() order by expires_at limit 2
    for update skip locked)
)
insert into provider_requests (state_hash, provider, sealed, user_id, expires_at)
values ($1, $2, $3, $4, now() + interval '10 minutes') returning wire_time(expires_at) as expires_at`;
export const keepRequest = (tx: Queries, hash: Buffer, provider: string, sealed: string, userId: string | null) =>
  tx.one<{ expires_at: string }>(KEEP, [hash, provider, sealed, userId]);

const USE = `
update provider_requests set used_at = now()
where state_hash = $1 and provider = $2 and used_at is null and expires_at > now() returning sealed`;
/** The state is unknown, expired or used; aborts the transaction so that nothing is written. */
class Unknown extends Error {}

/** Consumes the request and returns its sealed contents; null if no live request has this state. */
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
