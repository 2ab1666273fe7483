// Background jobs of installations: refresh the resources that a provider lists, and end removed installations there.
import { type Background, inWorkspace, type Jobs } from "../../platform/background/jobs.ts";
import { type LinkedEntity, showLinked } from "./apply/text-links.ts";
import {
  askOf,
  type InstallationConnection,
  noteFault,
  noteMissing,
  noteWorks,
  type Reaching,
  reach,
} from "./client/provider-connection.ts";
import { ProviderFault } from "./client/provider-http.ts";
import { forgetCredential } from "./install/credential-store.ts";
import { hookAgain, hookIntegration } from "./install/hooks.ts";
import { hookedResources, keepResources } from "./install/resource-store.ts";
import { tellProviders } from "./send/outbound-notifications.ts";
import { performAction } from "./send/run-action.ts";

interface Which {
  workspace_id: string;
  installation_id: string;
}

/** Resources that are stored of one installation. */
const MOST_RESOURCES = 1000;

export async function refreshIntegration(parts: Reaching, { workspace_id, installation_id }: Which): Promise<void> {
  try {
    const reached = await reach(parts, workspace_id, installation_id);
    if (!reached) return;
    const { provider, external_id, account_name } = reached;
    const listed = await provider.connection.resources(reached.ask, { externalId: external_id, name: account_name });
    await inWorkspace(parts.database.writer, workspace_id, async (tx) => {
      const which = provider.connection.listsMore ? "known" : "all";
      await keepResources(tx, installation_id, listed.slice(0, MOST_RESOURCES), which);
      if (provider.connection.hook) await hookAgain(tx, installation_id);
    });
    await noteWorks(parts, workspace_id, installation_id);
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    const note = error.code === "resource_missing" ? noteMissing : noteFault;
    await note(parts, workspace_id, installation_id, error);
  }
}

/** Whether the installation is gone there, or the provider does not accept our credential any more. */
const isOver = (error: unknown) =>
  error instanceof ProviderFault &&
  !["unreachable", "rate_limited", "unknown", "answer_too_large"].includes(error.code);
async function unlessOver(work: Promise<unknown> | undefined): Promise<void> {
  await work?.catch((error) => {
    if (!isOver(error)) throw error;
  });
}
const MOST_ATTEMPTS = 8;

/** After the last attempt its credential is deleted here, whatever the provider still has. */
export async function endIntegration(parts: Reaching, which: Which, attempt = 1): Promise<void> {
  const { workspace_id, installation_id } = which;
  try {
    const reached = await reach(parts, workspace_id, installation_id, { removed: true });
    if (reached?.tokens) await endThere(parts, reached);
  } catch (error) {
    if (!isOver(error) && attempt < MOST_ATTEMPTS) throw error;
  }
  await inWorkspace(parts.database.writer, workspace_id, (tx) => forgetCredential(tx, installation_id));
}
async function endThere(parts: Reaching, { workspaceId, id, provider, base, tokens, ask }: InstallationConnection) {
  const { hook, roundtrip } = provider.connection;
  const hooked = await inWorkspace(parts.database.writer, workspaceId, (tx) => hookedResources(tx, id));
  for (const { hook_external_id, ...resource } of hooked)
    await unlessOver(hook?.remove(ask, resource, hook_external_id));
  const app = parts.outside.integrations.apps[provider.key] ?? {};
  if (tokens) await unlessOver(roundtrip?.revoke?.(askOf(parts.outside, provider, base)(null, id), app, tokens));
}

// Across all Workspaces: background jobs act as the owner of the tables. The hourly refreshes are spread over 50
// minutes.
const DUE = `
select i.workspace_id, i.id as installation_id from integration_installations i
join workspaces w on w.id = i.workspace_id and w.archived_at is null
where i.removed_at is null and i.state <> 'revoked' and i.sealed_credential is not null`;
const QUEUE = `select enqueue_job('refresh_integration', $1::json, now() + make_interval(secs => $2),
    'integrations', 'refresh_integration ' || $3)`;
const LEFT_OVER = `
update integration_installations set sealed_credential = null, sealed_secret = null, credential_expires_at = null
where removed_at < now() - interval '7 days' and (sealed_credential is not null or sealed_secret is not null)`;
const ENDED = `
delete from integration_actions
where state in ('succeeded', 'failed', 'unknown') and created_at < now() - interval '90 days'
  and updated_at < now() - interval '90 days'`;
interface Client {
  query<R>(sql: string, values?: unknown[]): Promise<{ rows: R[] }>;
}

const integrationJobs = (parts: Reaching): Jobs => ({
  async refresh_integrations(_payload, { withPgClient }) {
    await withPgClient(async (client) => {
      const { query } = client as unknown as { query: Client["query"] };
      await query.call(client, LEFT_OVER);
      await query.call(client, ENDED);
      const { rows } = await query.call(client, DUE);
      for (const [at, due] of (rows as Which[]).entries())
        await query.call(client, QUEUE, [
          JSON.stringify(due),
          Math.floor((at / rows.length) * 3000),
          due.installation_id,
        ]);
    });
  },
  hook_integration: (payload) => hookIntegration(parts, payload as { workspace_id: string; resource_id: string }),
  show_linked: (payload, { job }) => showLinked(parts, payload as LinkedEntity, job.attempts),
  perform_integration_action: (payload) => performAction(parts, payload as { workspace_id: string; id: string }),
  refresh_integration: (payload) => refreshIntegration(parts, payload as Which),
  end_integration: (payload, { job }) => endIntegration(parts, payload as Which, job.attempts),
});

export const background: Background = {
  schedule: "3 * * * * refresh_integrations",
  follows: (parts) => ({ tell_providers: { run: () => tellProviders(parts), gatherMs: 200 } }),
  jobs: (parts) => integrationJobs(parts),
};
