// A browser on its way to a provider and back. What it is recognised by is kept under the hash of its state, for ten minutes by the database's clock, and
// is used up by the first that comes back with it. It belongs to the session that began: a state that somebody else began with is worth nothing in another.
import { createHash, randomBytes } from "node:crypto";
import type { Queries } from "../database/db.ts";
import type { EffectsContext } from "../kernel/implement.ts";
import { sha256 } from "../wire/ids.ts";
import type { SecretBox } from "../wire/secret-box.ts";
import type { Purpose } from "./provider.ts";

export interface Journey {
  providerKey: string;
  purpose: Purpose;
  returnPath: string;
  workspaceId: string;
  userId: string;
  sessionId: string;
}
type Kept = Journey & { verifier: string };

const random = () => randomBytes(32).toString("base64url");
const rowOf = (hash: Buffer) => `integration journey ${hash.toString("hex")}`;

// Each one that begins takes two away that have ended: there are never many more than were begun in the last ten minutes.
const KEEP = `
with ended as (
  delete from provider_requests where state_hash in (
    select state_hash from provider_requests where expires_at < now() order by expires_at limit 2 for update skip locked)
)
insert into provider_requests (state_hash, provider, sealed, user_id, expires_at)
values ($1, $2, $3, $4, now() + interval '10 minutes') returning wire_time(expires_at) as expires_at`;

/** `keep` belongs into a transaction, and tells until when the way back is open. */
export function depart(secrets: SecretBox, journey: Journey) {
  const [state, verifier] = [random(), random()];
  const hash = sha256(state);
  const kept: Kept = { ...journey, verifier };
  const sealed = secrets.seal(JSON.stringify(kept), rowOf(hash));
  return {
    state,
    /** PKCE, S256. */
    challenge: createHash("sha256").update(verifier).digest("base64url"),
    keep: (tx: Queries) =>
      tx.one<{ expires_at: string }>(KEEP, [hash, `integration:${journey.providerKey}`, sealed, journey.userId]),
  };
}

const USE = `
update provider_requests set used_at = now()
where state_hash = $1 and starts_with(provider, 'integration:') and used_at is null and expires_at > now() returning sealed`;
/** The state was never given out, has ended or was used: nothing is written about it. */
class Unknown extends Error {}

/** Null where it is no way back of this session. Whoever else came with it has used it up. */
export async function arrive(
  { outside, principal, transaction }: Pick<EffectsContext, "outside" | "principal" | "transaction">,
  state: string,
): Promise<Kept | null> {
  const hash = sha256(state);
  const found = await transaction(async ({ tx }) => {
    const used = await tx.maybe<{ sealed: string }>(USE, [hash]);
    if (!used) throw new Unknown();
    return used;
  }).catch((error) => {
    if (error instanceof Unknown) return null;
    throw error;
  });
  const opened = found && outside.secrets.open(found.sealed, rowOf(hash));
  if (!opened) return null;
  const kept: Kept = JSON.parse(opened);
  return principal?.credentialId === kept.sessionId && principal.userId === kept.userId ? kept : null;
}
