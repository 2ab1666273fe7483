// Webhooks of a provider that has them for each resource: registered while a Project is bound to it, and removed after
// the last binding.
import type { ResourceError } from "@svc/contract/connect/integrations/installations.ts";
import { inWorkspace } from "../../../platform/background/jobs.ts";
import type { Queries } from "../../../platform/database/db.ts";
import type { Resource } from "../client/provider.ts";
import { noteFault, noteResource, type Reaching, reach } from "../client/provider-connection.ts";
import { type FaultCode, ProviderFault } from "../client/provider-http.ts";

export const webhookUrl = (origin: string, providerKey: string, installationId: string) =>
  `${origin}/api/v1/webhooks/integrations/${providerKey}/${installationId}`;

// A queue for each resource serialises its jobs: the second finds the result of the first.
const QUEUE = `
select enqueue_job('hook_integration', json_build_object('workspace_id', current_workspace(), 'resource_id', $1::uuid),
  now(), 'hook ' || $1::uuid, 'hook ' || $1::uuid)`;
/** Reconciles the webhook that is registered at the provider with the bindings. */
export const hookLater = (tx: Queries, resourceId: string) => tx.rows(QUEUE, [resourceId]);

interface Hooked extends Resource {
  installation_id: string;
  hook_external_id: string | null;
  bound: boolean;
}
const HOOKED = `
select r.installation_id, r.external_id as "externalId", r.kind, r.name, r.url, r.hook_external_id,
  exists (select from integration_bindings b where b.workspace_id = r.workspace_id and b.resource_id = r.id) as bound
from integration_resources r where r.workspace_id = current_workspace() and r.id = $1`;
const KEEP =
  "update integration_resources set hook_external_id = $2 where workspace_id = current_workspace() and id = $1";

const OUT_OF_STEP = `
/* reads up to 2000: all of the installation */
select r.id from integration_resources r where r.workspace_id = current_workspace() and r.installation_id = $1
  and (r.hook_external_id is not null) <> exists (select from integration_bindings b
    where b.workspace_id = r.workspace_id and b.resource_id = r.id)`;
/** Queues resources whose webhook is not registered yet, and those that still have one without a binding. */
export async function hookAgain(tx: Queries, installationId: string): Promise<void> {
  for (const { id } of await tx.rows<{ id: string }>(OUT_OF_STEP, [installationId])) await hookLater(tx, id);
}

const WRONG: Partial<Record<FaultCode, ResourceError>> = { refused: "refused", resource_missing: "missing" };

export async function hookIntegration(
  parts: Reaching,
  which: { workspace_id: string; resource_id: string },
): Promise<void> {
  const { workspace_id: workspaceId, resource_id: resourceId } = which;
  const write = <T>(work: (tx: Queries) => Promise<T>) => inWorkspace(parts.database.writer, workspaceId, work);
  const found = await write((tx) => tx.maybe<Hooked>(HOOKED, [resourceId]));
  if (!found) return;
  const noted = (error: ResourceError | null) => noteResource(parts, workspaceId, resourceId, error);
  if (found.bound === (found.hook_external_id !== null)) return void (await noted(null));
  const { installation_id, hook_external_id, bound, ...resource } = found;
  try {
    const reached = await reach(parts, workspaceId, installation_id);
    const hook = reached?.provider.connection.hook;
    if (!reached?.secret || !hook) return;
    const url = webhookUrl(parts.outside.origin(), reached.provider.key, installation_id);
    if (bound) {
      const id = await hook.register(reached.ask, resource, url, reached.secret);
      await write((tx) => tx.rows(KEEP, [resourceId, id]));
    } else {
      await hook.remove(reached.ask, resource, hook_external_id as string).catch((error) => {
        if (!(error instanceof ProviderFault && error.code === "resource_missing")) throw error;
      });
      await write((tx) => tx.rows(KEEP, [resourceId, null]));
    }
    await noted(null);
  } catch (error) {
    // The fault concerns this resource alone: others of the installation work.
    const code = error instanceof ProviderFault ? WRONG[error.code] : undefined;
    if (code) await noted(code);
    else await noteFault(parts, workspaceId, installation_id, error);
    if (
      !(error instanceof ProviderFault) ||
      ["unreachable", "rate_limited", "unknown", "answer_too_large"].includes(error.code)
    )
      throw error;
  }
}
