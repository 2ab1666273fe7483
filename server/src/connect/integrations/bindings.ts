// Bindings of resources to Projects, with rules. If the provider has webhooks per resource, a job registers them.
import * as contract from "@svc/contract/connect/integrations/bindings.ts";
import { granted, insideProject, project } from "../../planning/projects/access.ts";
import { type Context, implement, implementList } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { newId } from "../../platform/wire/ids.ts";
import { refuse, refuseAt } from "../../platform/wire/problem.ts";
import { changedBinding } from "./access.ts";
import { bindingCreated, bindingDeleted, bindingUpdated } from "./events.ts";
import * as store from "./install/binding-store.ts";
import { hookLater } from "./install/hooks.ts";
import { noRules, type ResourceRules } from "./rules.ts";

/** Bindings per Project. */
export const MOST_BINDINGS = 50;

export const listIntegrationBindings = implementList(
  contract.listIntegrationBindings,
  insideProject("work:read"),
  (tx, { params, page }) => store.listBindings(tx, params.project_id, page),
);

const MOVES = ["opened_status_id", "review_status_id", "merged_status_id"] as const;
/** A Status that a rule newly names must be one of the Project's. */
async function requireStatuses({ tx }: Context, projectId: string, given: Partial<ResourceRules>): Promise<void> {
  const named = MOVES.flatMap((field) => (given[field] ? [{ field, id: given[field].toLowerCase() }] : []));
  if (named.length === 0) return;
  const found = await store.statusesOf(
    tx,
    projectId,
    named.map(({ id }) => id),
  );
  const errors = named
    .filter(({ id }) => !found.includes(id))
    .map(({ field }) => ({
      pointer: `/body/rules/${field}`,
      code: "invalid_reference",
      detail: "must be a Status of the Project",
    }));
  if (errors.length > 0) refuse("invalid_reference", { errors });
}
const capabilities = (context: Context, target: Parameters<typeof granted>[1]) =>
  granted(context, target, "work:manage", "integration_binding:update", "integration_binding:delete");

export const createIntegrationBinding = implement(
  contract.createIntegrationBinding,
  project("work:manage"),
  async (context, { target, body }) => {
    const { tx, record } = context;
    const { installation_id: installationId, resource_id: resourceId, rules = {} } = body;
    const [bindable] = await Promise.all([
      store.findBindable(tx, installationId, resourceId, target.id, MOST_BINDINGS),
      requireStatuses(context, target.id, rules),
    ]);
    if (!bindable)
      return refuseAt("/body/installation_id", "invalid_reference", "must be a connection of the Workspace");
    if (!bindable.listed)
      return refuseAt("/body/resource_id", "invalid_reference", "must be a resource of the connection");
    if (bindable.state === "revoked") return refuse("installation_revoked");
    if (!bindable.room) return refuse("limit_reached");
    const id = newId();
    const made = { id, projectId: target.id, installationId, resourceId, rules: { ...noRules, ...rules } };
    const row = await store.createBinding(tx, made);
    context.defer(hookLater(tx, resourceId));
    const subject = { kind: "integration_binding", id, projectId: target.id };
    record(bindingCreated(subject, { installation_id: installationId, resource_id: resourceId }));
    return render(row, capabilities(context, target));
  },
);

export const updateIntegrationBinding = implement(
  contract.updateIntegrationBinding,
  changedBinding,
  async (context, { target, body: { rules = {} } }) => {
    const { tx, record } = context;
    const changed = (Object.keys(rules) as (keyof ResourceRules)[]).filter(
      (name) => rules[name] !== target.rules[name],
    );
    if (changed.length === 0) return render(target, capabilities(context, target));
    await requireStatuses(context, target.project_id, rules);
    const [, row] = await Promise.all([
      store.updateBinding(tx, target.id, { ...target.rules, ...rules }),
      store.readBinding(tx, target.id),
    ]);
    record(
      bindingUpdated({ kind: "integration_binding", id: target.id, projectId: target.project_id }, { rules: changed }),
    );
    return render(row as store.BindingTarget, capabilities(context, target));
  },
);

export const deleteIntegrationBinding = implement(
  contract.deleteIntegrationBinding,
  changedBinding,
  async (context, { target: { id, project_id: projectId, resource_id } }) => {
    context.defer(store.deleteBinding(context.tx, id));
    context.defer(hookLater(context.tx, resource_id));
    context.record(bindingDeleted({ kind: "integration_binding", id, projectId }, { resource_id }));
  },
);
