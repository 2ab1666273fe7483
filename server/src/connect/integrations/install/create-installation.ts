// Creates or reconnects an installation after a round trip or an entered credential: one for each account at the
// provider. Open requests for the provider are closed.
import { HOLD } from "../../../accounts/workspaces/access.ts";
import type { Context } from "../../../platform/kernel/implement-operation.ts";
import { newId } from "../../../platform/wire/ids.ts";
import { refuse } from "../../../platform/wire/problem.ts";
import type { SecretBox } from "../../../platform/wire/secret-box.ts";
import { newWebhookSecret } from "../../../platform/wire/standard-webhooks.ts";
import type { Party, ProviderDefinition, ProviderTokens, Resource } from "../client/provider.ts";
import { installationConnected, installationReconnected } from "../events.ts";
import { credentialRow, signingRow } from "../rules.ts";
import { answerRequests } from "./answer-requests.ts";
import * as store from "./installation-store.ts";
import { closeRequests } from "./request-store.ts";
import { keepResources } from "./resource-store.ts";

/** Installations per Workspace. */
export const MOST_INSTALLATIONS = 100;

export interface AuthorizedAccount {
  provider: ProviderDefinition;
  /** Address of a self-hosted provider; empty: the usual one. */
  baseUrl: string;
  account: Party & { managementUrl: string | null };
  /** Null if the provider is never called. */
  tokens: ProviderTokens | null;
  /** Resources that are already known. */
  resources: Resource[] | null;
  /** Signing secret that the provider has chosen, and the installation id that it signs with. */
  signing?: { secret: string; installation: string };
}
export interface Connected {
  id: string;
  row: { json: string; revision: string };
  /** New secret that somebody must enter at the provider; null if there is none. */
  secret: string | null;
}

export async function connect(
  context: Pick<Context, "tx" | "record" | "enqueue" | "defer">,
  secrets: SecretBox,
  { workspaceId, actorId }: { workspaceId: string; actorId: string },
  { provider, baseUrl, account, tokens, resources, signing }: AuthorizedAccount,
): Promise<Connected> {
  const { tx, record, enqueue } = context;
  const which = { providerKey: provider.key, baseUrl, externalId: account.externalId };
  const [, known] = await Promise.all([tx.rows(HOLD), store.findInstallation(tx, which)]);
  if (!known && !(await store.hasRoom(tx, MOST_INSTALLATIONS))) return refuse("limit_reached");
  const id = known?.id ?? newId();
  // If we register the webhooks ourselves, the signing secret stays.
  const byHand = provider.secretOf === "installation" && !provider.connection.hook && !signing;
  const made = byHand || (provider.secretOf === "installation" && !known) ? newWebhookSecret() : null;
  const secret = (signing && provider.ownSecret?.(signing.secret)) ?? made;
  const connecting: store.NewInstallation = {
    ...which,
    id,
    actorId: newId(),
    actorName: `${provider.name}: ${account.name}`,
    accountName: account.name,
    managementUrl: account.managementUrl,
    sealedCredential: tokens && secrets.seal(JSON.stringify(tokens), credentialRow(id)),
    expiresAt: tokens?.expiresAt ?? null,
    sealedSecret: secret && secrets.seal(secret, signingRow(id)),
    signsAs: signing?.installation ?? null,
    installedBy: actorId,
  };
  const [row, asked] = await Promise.all([
    known ? store.reconnectInstallation(tx, connecting) : store.createInstallation(tx, connecting),
    closeRequests(tx, provider.key),
    resources && keepResources(tx, id, resources, provider.connection.listsMore ? "more" : "all"),
  ]);
  answerRequests(context, asked, "integration_request.closed", { actorId, providerName: provider.name });
  if (!resources) enqueue("refresh_integration", { workspace_id: workspaceId, installation_id: id });
  const fact = known ? installationReconnected : installationConnected;
  record(fact({ kind: "integration_installation", id }, { provider_key: provider.key, account_name: account.name }));
  return { id, row, secret: byHand ? secret : null };
}
