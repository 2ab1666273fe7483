// Installations of a Workspace: listed, read, managed at the provider, refreshed and removed. A job ends them at the
// provider.
import * as contract from "@svc/contract/connect/integrations/installations.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { implement, implementList } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { installation, managedInstallation } from "./access.ts";
import { installationRemoved } from "./events.ts";
import * as store from "./install/installation-store.ts";
import { listResources } from "./install/resource-store.ts";
import { providerOf } from "./providers/providers.ts";
import { installationCapabilities } from "./rules.ts";

export const listIntegrationInstallations = implementList(
  contract.listIntegrationInstallations,
  workspace("workspace:read"),
  (tx, { page }) => store.listInstallations(tx, page),
);

export const getIntegrationInstallation = implement(
  contract.getIntegrationInstallation,
  installation,
  async ({ member }, { target }) => render(target, installationCapabilities(member.role)),
);

export const deleteIntegrationInstallation = implement(
  contract.deleteIntegrationInstallation,
  managedInstallation,
  async ({ tx, member, defer, enqueue, record }, { target: { id, provider_key } }) => {
    defer(store.removeInstallation(tx, id));
    enqueue("end_integration", { workspace_id: member.workspaceId, installation_id: id });
    record(installationRemoved({ kind: "integration_installation", id }, { provider_key }));
  },
);

export const createIntegrationManagementLink = implement(
  contract.createIntegrationManagementLink,
  managedInstallation,
  async (_context, { target: { state, management_url } }) => {
    if (state === "revoked") return refuse("installation_revoked");
    return { url: management_url ?? refuse("management_unavailable") };
  },
);

export const listIntegrationResources = implementList(
  contract.listIntegrationResources,
  installation,
  (tx, { params, page }) => listResources(tx, params.installation_id, page),
);

export const refreshIntegrationResources = implement(
  contract.refreshIntegrationResources,
  managedInstallation,
  async ({ member, enqueue }, { target }) => {
    if (target.state === "revoked") return refuse("installation_revoked");
    if (!providerOf.has(target.provider_key)) return refuse("integration_unavailable");
    enqueue("refresh_integration", { workspace_id: member.workspaceId, installation_id: target.id });
    return render(target, installationCapabilities(member.role));
  },
);
