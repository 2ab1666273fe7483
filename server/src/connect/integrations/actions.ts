// Actions: requested by members who may write to a Project that is bound to the resource, and run in the background.
import * as contract from "@svc/contract/connect/integrations/actions.ts";
import { may } from "../../accounts/workspaces/rules.ts";
import { type InProject, unlessArchived } from "../../planning/projects/access.ts";
import { workCapabilities } from "../../planning/projects/rules.ts";
import type { Role } from "../../platform/kernel/authentication.ts";
import { type Access, implement, implementWithEffects } from "../../platform/kernel/implement-operation.ts";
import { requirePermission } from "../../platform/kernel/steps.ts";
import { render } from "../../platform/kernel/view.ts";
import { newId } from "../../platform/wire/ids.ts";
import { Refusal, refuse, refuseAt } from "../../platform/wire/problem.ts";
import { installation } from "./access.ts";
import { isAvailable, type ProviderDefinition } from "./client/provider.ts";
import { providerOf } from "./providers/providers.ts";
import { actionOf, actionsOf, faultsOfInput, inputRow } from "./send/action-rules.ts";
import * as store from "./send/action-store.ts";

export const listInstallationActions = implement(
  contract.listInstallationActions,
  installation,
  async ({ tx }, { target }) => {
    const provider = providerOf.get(target.provider_key);
    const declared = provider?.declares ? await store.readDeclared(tx, target.id) : null;
    const actions = provider ? actionsOf(provider, declared) : {};
    return {
      items: Object.entries(actions).map(([key, { name, input }]) => ({
        key,
        name,
        input_schema: JSON.parse(JSON.stringify(input)),
      })),
    };
  },
);

const asking: Access<null> = {
  reach: "membership",
  load: async () => null,
  permits: ({ member }) => may(member.role, "work:write"),
};

/** Whether the caller may write to one of these Projects. */
function permission(role: Role, bound: readonly InProject[]) {
  if (bound.length === 0) return "resource_unbound";
  const writable = bound.filter(({ project_role }) => workCapabilities(role, project_role).includes("work:write"));
  const open = writable.find(({ project_archived }) => !project_archived) ?? writable[0];
  return open === undefined ? false : unlessArchived(true, open);
}

export const createIntegrationAction = implementWithEffects(
  contract.createIntegrationAction,
  asking,
  async (context, { body: { installation_id, resource_id, action, input } }) => {
    const { outside, member } = context;
    const id = newId();
    const sealedInput = outside.secrets.seal(JSON.stringify(input), inputRow(id));
    return context.finish(async ({ tx, commandId, enqueue }) => {
      const [place, bound] = await Promise.all([
        store.readPlace(tx, installation_id, resource_id),
        store.boundProjects(tx, resource_id),
      ]);
      if (!place)
        return refuseAt("/body/installation_id", "invalid_reference", "must be an installation of the Workspace");
      if (!place.has_resource)
        return refuseAt("/body/resource_id", "invalid_reference", "must be a resource of the installation");
      requirePermission(permission(member.role, bound));
      if (place.state === "revoked") refuse("installation_revoked");
      const provider = providerOf.get(place.provider_key) as ProviderDefinition | undefined;
      if (!provider || !isAvailable(provider, outside.integrations.apps)) return refuse("integration_unavailable");
      const taken = actionOf(provider, place.declared, action);
      if (!taken) return refuseAt("/body/action", "invalid_reference", "must be an action that the installation takes");
      const errors = faultsOfInput(taken, input);
      if (errors.length > 0) throw new Refusal("invalid_request", { errors });
      const asked = { installationId: installation_id, resourceId: resource_id, action, sealedInput };
      const made = await store.addAction(tx, {
        id,
        ...asked,
        receiptId: commandId,
        requestedBy: member.actorId,
        cause: null,
      });
      enqueue("perform_integration_action", { workspace_id: member.workspaceId, id });
      return render(made as store.ProviderActionTarget, []);
    });
  },
);

export const getIntegrationAction = implement(
  contract.getIntegrationAction,
  {
    reach: "membership",
    load: (tx, { action_id }) => store.readAction(tx, action_id as string),
    permits: ({ member }, { own }: store.ProviderActionTarget) =>
      own || may(member.role, "integrations:manage") || "not_found",
  },
  async (_context, { target }) => render(target, []),
);
