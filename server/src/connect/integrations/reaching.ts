// How an installation is reached: its provider, with tokens that are good. Where they are about to end, one process gets new ones and the others wait for it.
// How well it works follows from what is answered.
import { setTimeout as sleep } from "node:timers/promises";
import type { ResourceError } from "@svc/contract/connect/integrations/installations.ts";
import { inWorkspace, type Parts } from "../../platform/background/jobs.ts";
import { nothingLeft } from "../../platform/kernel/context.ts";
import { writeEvents } from "../../platform/kernel/ledger.ts";
import type { Outside } from "../../platform/outside/outside.ts";
import { asking, ProviderFault } from "./asking.ts";
import * as store from "./credential-store.ts";
import { installationChanged } from "./events.ts";
import { type Ask, baseOf, isAvailable, type Provider, type Signing, type Tokens } from "./provider.ts";
import { providerOf } from "./providers/providers.ts";
import { credentialRow, type InstallationState, signingRow } from "./rules.ts";

export interface Reaching extends Pick<Parts, "database"> {
  outside: Pick<Outside, "integrations" | "secrets" | "origin">;
}
type Noting = { database: Pick<Parts["database"], "writer"> };
export interface Reached extends store.Held {
  workspaceId: string;
  provider: Provider;
  base: string;
  tokens: Tokens | null;
  ask: Ask;
  /** With which its deliveries are signed. */
  secret: string | null;
}

/** How a provider is asked with these tokens, or with none. */
export function askOf({ integrations }: Pick<Outside, "integrations">, provider: Provider, base: string) {
  return (tokens?: Tokens | null, pacedAs?: string, signing?: Signing): Ask =>
    asking({
      ...{ egress: integrations.egressFor(provider.key), api: provider.connection.api(base), base },
      credential: tokens ? provider.connection.authorize(tokens) : {},
      ...(pacedAs !== undefined && { pace: { of: pacedAs, perMinute: provider.perMinute } }),
      ...(signing && { signing }),
    });
}

const WAIT_MS = 200;
const MOST_WAITS = 200;

/**
 * Null where there is nothing to reach: it was removed or revoked, or its provider is not offered any more. `removed`: also one that was removed, to end it
 * there. Throws a ProviderFault where no good tokens are to be had.
 */
export async function reach(
  parts: Reaching,
  workspaceId: string,
  installationId: string,
  { removed = false } = {},
): Promise<Reached | null> {
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
    const tokens: Tokens | null = opened ? JSON.parse(opened) : null;
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
  held: store.Held;
  provider: Provider;
  base: string;
  tokens: Tokens;
  sealed: string;
}
/** False where somebody else is at it. */
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
    // What would give new tokens is not there any more.
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
/** It does not work; what is only about one resource, or passes by itself, says nothing of that. */
export async function noteFault(parts: Noting, workspaceId: string, id: string, error: unknown): Promise<void> {
  const code = error instanceof ProviderFault ? SETTLES[error.code] : undefined;
  if (code !== undefined) await note(parts, workspaceId, id, "degraded", code);
}
export const noteWorks = (parts: Noting, workspaceId: string, id: string) =>
  note(parts, workspaceId, id, "active", null);
/** The account itself is not found there. That may pass: what it is connected with stays, and it is looked for again. */
export const noteMissing = (parts: Noting, workspaceId: string, id: string) =>
  note(parts, workspaceId, id, "degraded", "removed");
/** The provider says that it was removed there. */
export const noteRemoved = (parts: Noting, workspaceId: string, id: string) =>
  note(parts, workspaceId, id, "revoked", "removed");

/** What is wrong with one resource of it, while the rest works; null: nothing. */
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
      ...{ tenant: workspaceId, operation: "refreshIntegrationResources", userId: null, actorId },
      ...{ credentialId: null, credentialKind: null, client: null, correlationId: id, targetId: null },
    });
    const fact = installationChanged({ kind: "integration_installation", id }, { state, error_code: error });
    await writeEvents(tx as never, left, workspaceId, actorId, [fact]);
  });
}
