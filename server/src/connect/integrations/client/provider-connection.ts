// Connection to an installation: its provider, with valid tokens. If they are about to expire, one process refreshes
// them and the others wait. The state of the installation follows from the answers.
import { setTimeout as sleep } from "node:timers/promises";
import type { ResourceError } from "@svc/contract/connect/integrations/installations.ts";
import { inWorkspace, type JobParts } from "../../../platform/background/jobs.ts";
import { nothingLeft } from "../../../platform/kernel/context.ts";
import { writeEvents } from "../../../platform/kernel/ledger.ts";
import type { ExternalSystems } from "../../../platform/outside/external-systems.ts";
import { installationChanged } from "../events.ts";
import * as store from "../install/credential-store.ts";
import { providerOf } from "../providers/providers.ts";
import { credentialRow, type InstallationState, signingRow } from "../rules.ts";
import {
  type Ask,
  baseOf,
  isAvailable,
  type ProviderDefinition,
  type ProviderTokens,
  type Signing,
} from "./provider.ts";
import { asking, ProviderFault } from "./provider-http.ts";

export interface Reaching extends Pick<JobParts, "database"> {
  outside: Pick<ExternalSystems, "integrations" | "secrets" | "origin">;
}
type Noting = { database: Pick<JobParts["database"], "writer"> };
export interface InstallationConnection extends store.InstallationCredential {
  workspaceId: string;
  provider: ProviderDefinition;
  base: string;
  tokens: ProviderTokens | null;
  ask: Ask;
  /** Secret that signs its deliveries. */
  secret: string | null;
}

/** Client for a provider, with these tokens or with none. */
export function askOf(
  { integrations }: Pick<ExternalSystems, "integrations">,
  provider: ProviderDefinition,
  base: string,
) {
  return (tokens?: ProviderTokens | null, pacedAs?: string, signing?: Signing): Ask =>
    asking({
      egress: integrations.egressFor(provider.key),
      api: provider.connection.api(base),
      base,
      credential: tokens ? provider.connection.authorize(tokens) : {},
      ...(pacedAs !== undefined && { pace: { of: pacedAs, perMinute: provider.perMinute } }),
      ...(signing && { signing }),
    });
}

const WAIT_MS = 200;
const MOST_WAITS = 200;

/**
 * Null if there is nothing to connect to: the installation was removed or revoked, or its provider is no longer
 * offered. `removed`: includes a removed one, to end it there. Throws a ProviderFault if no valid tokens are available.
 */
export async function reach(
  parts: Reaching,
  workspaceId: string,
  installationId: string,
  { removed = false } = {},
): Promise<InstallationConnection | null> {
  const { integrations, secrets } = parts.outside;
  for (let waits = 0; waits < MOST_WAITS; waits++) {
    const held = await inWorkspace(parts.database.writer, workspaceId, (tx) =>
      store.heldInstallation(tx, installationId),
    );
    const provider = held && providerOf.get(held.provider_key);
    if (!held || !provider || held.removed !== removed || (held.state === "revoked" && !removed)) return null;
    const base = baseOf(provider, integrations.apps, held.base_url) ?? "";
    if (!isAvailable(provider, integrations.apps)) return null;
    const sealed = held.sealed_credential;
    const opened = sealed && secrets.open(sealed, credentialRow(held.id));
    const tokens: ProviderTokens | null = opened ? JSON.parse(opened) : null;
    if (tokens && sealed && held.ends && provider.connection.roundtrip?.refresh) {
      if (!(await refreshed(parts, workspaceId, { held, provider, base, tokens, sealed }))) await sleep(WAIT_MS);
      continue;
    }
    const secret = held.sealed_secret && secrets.open(held.sealed_secret, signingRow(held.id));
    const ask =
      base === ""
        ? () => Promise.reject(new ProviderFault("unsupported"))
        : askOf(parts.outside, provider, base)(
            tokens,
            held.id,
            secret ? provider.connection.signing?.(secret) : undefined,
          );
    return { ...held, workspaceId, provider, base, tokens, ask, secret };
  }
  throw new ProviderFault("unreachable");
}

interface Old {
  held: store.InstallationCredential;
  provider: ProviderDefinition;
  base: string;
  tokens: ProviderTokens;
  sealed: string;
}
/** False if another process holds the lease. */
async function refreshed(parts: Reaching, workspaceId: string, { held, provider, base, tokens, sealed }: Old) {
  const { integrations, secrets } = parts.outside;
  const write = <T>(work: Parameters<typeof inWorkspace<T>>[2]) =>
    inWorkspace(parts.database.writer, workspaceId, work);
  if (!(await write((tx) => store.takeRefresh(tx, held.id, sealed)))) return false;
  try {
    const app = integrations.apps[provider.key] ?? {};
    const ask = askOf(parts.outside, provider, base)(null, held.id);
    const next = await provider.connection.roundtrip?.refresh?.(ask, app, tokens);
    if (!next) throw new ProviderFault("unsupported");
    const kept = secrets.seal(JSON.stringify({ ...tokens, ...next }), credentialRow(held.id));
    await write((tx) => store.keepTokens(tx, held.id, sealed, kept, next.expiresAt ?? null));
    return true;
  } catch (error) {
    await write((tx) => store.releaseRefresh(tx, held.id, sealed));
    // The installation or grant that would give new tokens does not exist any more.
    if (error instanceof ProviderFault && error.code === "resource_missing")
      await noteRemoved(parts, workspaceId, held.id);
    else await noteFault(parts, workspaceId, held.id, error);
    throw error;
  }
}

const SETTLES: Partial<Record<ProviderFault["code"], string>> = {
  address_refused: "address_refused",
  unreachable: "unreachable",
  credential_refused: "credential_refused",
  refused: "refused",
};
/** Marks the installation as degraded, unless the fault concerns one resource only or is transient. */
export async function noteFault(parts: Noting, workspaceId: string, id: string, error: unknown): Promise<void> {
  const code = error instanceof ProviderFault ? SETTLES[error.code] : undefined;
  if (code !== undefined) await note(parts, workspaceId, id, "degraded", code);
}
export const noteWorks = (parts: Noting, workspaceId: string, id: string) =>
  note(parts, workspaceId, id, "active", null);
/** The account was not found there. This may be temporary: the credential stays, and the account is checked again. */
export const noteMissing = (parts: Noting, workspaceId: string, id: string) =>
  note(parts, workspaceId, id, "degraded", "removed");
/** The provider reports that the installation was removed there. */
export const noteRemoved = (parts: Noting, workspaceId: string, id: string) =>
  note(parts, workspaceId, id, "revoked", "removed");

/** Stores the fault of one resource while the rest works; null: none. */
export const noteResource = ({ database }: Noting, workspaceId: string, id: string, error: ResourceError | null) =>
  inWorkspace(database.writer, workspaceId, (tx) => store.noteResource(tx, id, error));

function note({ database }: Noting, workspaceId: string, id: string, state: InstallationState, error: string | null) {
  return inWorkspace(database.writer, workspaceId, async (tx) => {
    const [changed] = await Promise.all([
      store.noteState(tx, id, state, error),
      state === "active" && store.noteChecked(tx, id),
    ]);
    if (!changed) return;
    const { actor_id: actorId } = changed;
    const left = nothingLeft({
      tenant: workspaceId,
      operation: "refreshIntegrationResources",
      userId: null,
      actorId,
      credentialId: null,
      credentialKind: null,
      client: null,
      correlationId: id,
      targetId: null,
    });
    const fact = installationChanged({ kind: "integration_installation", id }, { state, error_code: error });
    await writeEvents(tx as never, left, workspaceId, actorId, [fact]);
  });
}
