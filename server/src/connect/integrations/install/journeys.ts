// Round trips of a browser to a provider. The verifier is stored under the hash of the state, for ten minutes by the
// database's clock, and the first request that returns with the state consumes it. A state belongs to the session that
// began: it is worthless in any other.
import { createHash, randomBytes } from "node:crypto";
import { keepRequest, useRequest } from "../../../accounts/identity/provider-sign-in/request-store.ts";
import type { Queries } from "../../../platform/database/db.ts";
import type { EffectsContext } from "../../../platform/kernel/implement-operation.ts";
import { sha256 } from "../../../platform/wire/ids.ts";
import type { SecretBox } from "../../../platform/wire/secret-box.ts";
import type { Purpose } from "../client/provider.ts";

export interface AuthorizationJourney {
  providerKey: string;
  purpose: Purpose;
  returnPath: string;
  workspaceId: string;
  userId: string;
  sessionId: string;
}
type Kept = AuthorizationJourney & { verifier: string };

const random = () => randomBytes(32).toString("base64url");
const rowOf = (hash: Buffer) => `integration journey ${hash.toString("hex")}`;

/** Distinguishes our requests to providers: the way back names no provider. */
const KIND = "integration";

/** `keep` runs in a transaction and returns the expiry of the way back. */
export function depart(secrets: SecretBox, journey: AuthorizationJourney) {
  const [state, verifier] = [random(), random()];
  const hash = sha256(state);
  const kept: Kept = { ...journey, verifier };
  const sealed = secrets.seal(JSON.stringify(kept), rowOf(hash));
  return {
    state,
    /** PKCE, S256. */
    challenge: createHash("sha256").update(verifier).digest("base64url"),
    keep: (tx: Queries) => keepRequest(tx, hash, KIND, sealed, journey.userId),
  };
}

/** Null if the state is not of this session. A use in another session consumes it as well. */
export async function arrive(
  context: Pick<EffectsContext, "outside" | "principal" | "transaction">,
  state: string,
): Promise<Kept | null> {
  const { outside, principal } = context;
  const hash = sha256(state);
  const sealed = await useRequest(context, hash, KIND);
  const opened = sealed && outside.secrets.open(sealed, rowOf(hash));
  if (!opened) return null;
  const kept: Kept = JSON.parse(opened);
  return principal?.credentialId === kept.sessionId && principal.userId === kept.userId ? kept : null;
}
