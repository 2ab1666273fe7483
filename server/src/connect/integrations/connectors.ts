// Private connectors: connected, changed and tested. Their declaration and address are validated, and the shared
// signing secret is shown once.
import * as contract from "@svc/contract/connect/integrations/connectors.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { differing } from "../../platform/database/sql.ts";
import { type EffectsContext, implementWithEffects } from "../../platform/kernel/implement-operation.ts";
import { extended, render } from "../../platform/kernel/view.ts";
import { newId } from "../../platform/wire/ids.ts";
import { type Fault, Refusal, refuse, refuseAt } from "../../platform/wire/problem.ts";
import { managedConnector } from "./access.ts";
import { askOf } from "./client/provider-connection.ts";
import { ProviderFault } from "./client/provider-http.ts";
import { installationChanged } from "./events.ts";
import { connect } from "./install/create-installation.ts";
import { heldInstallation, noteState } from "./install/credential-store.ts";
import { faultsOfSchema } from "./install/declared-schema.ts";
import { changeInstallation, lockInstallation } from "./install/installation-store.ts";
import { privateConnector } from "./providers/private-connector.ts";
import { installationCapabilities, signingRow } from "./rules.ts";
import { keepDeclared, readDeclared } from "./send/action-store.ts";

function faultsOf(actions: readonly { key: string; input_schema: unknown }[]): Fault[] {
  const keys = actions.map(({ key }) => key);
  return actions.flatMap(({ key, input_schema }, at) => [
    ...(keys.indexOf(key) < at
      ? [{ pointer: `/body/actions/${at}/key`, code: "repeated", detail: "must be its own" }]
      : []),
    ...faultsOfSchema(input_schema, `/body/actions/${at}/input_schema`),
  ]);
}

type Actions = readonly { key: string; name?: string; input_schema: unknown }[];
/** Stored form of the declaration. */
const declaring = (actions: Actions) => ({
  actions: actions.map((action) => ({ ...action, name: action.name ?? action.key })),
});
const REFUSED =
  "must be a public https address, or of the origin that INTEGRATIONS_FILE names for " + `${privateConnector.key}`;
/** Refuses wrong schemas, and an address that every call would refuse. A name that does not resolve now is accepted. */
async function requireUsable(
  { outside }: EffectsContext,
  base_url: string | undefined,
  actions: Actions = [],
): Promise<void> {
  const errors = faultsOf(actions);
  if (errors.length > 0) throw new Refusal("invalid_request", { errors });
  const egress = outside.integrations.egressFor(privateConnector.key);
  if (base_url !== undefined && (await egress.refusesNow(base_url)) !== null)
    refuseAt("/body/base_url", "provider_refused", REFUSED, "address_refused");
}

export const createPrivateConnector = implementWithEffects(
  contract.createPrivateConnector,
  workspace("integrations:manage"),
  async (context, { body: { name, base_url, actions } }) => {
    const { outside, member } = context;
    await requireUsable(context, base_url, actions);
    const account = { externalId: newId(), name, managementUrl: null };
    const resources = [{ externalId: "endpoint", kind: "endpoint" as const, name, url: null }];
    const found = { provider: privateConnector, baseUrl: new URL(base_url).href, account, tokens: null, resources };
    return context.finish(async (inside) => {
      const { id, row, secret } = await connect(inside, outside.secrets, member, found);
      inside.defer(keepDeclared(inside.tx, id, declaring(actions)));
      return extended(render(row, installationCapabilities(member.role)), { signing_secret: secret });
    });
  },
);

export const updatePrivateConnector = implementWithEffects(
  contract.updatePrivateConnector,
  managedConnector,
  async (context, { target: { id, revision }, body: { name, base_url, actions } }) => {
    await requireUsable(context, base_url, actions);
    return context.finish(async ({ tx, member, record }) => {
      const [target = refuse("not_found"), declared] = await Promise.all([
        lockInstallation(tx, id),
        readDeclared(tx, id),
      ]);
      if (context.namesRevision && target.revision !== revision) return refuse("revision_conflict");
      if (target.state === "revoked") return refuse("installation_revoked");
      const shown = (row: { json: string; revision: string }) => render(row, installationCapabilities(member.role));
      const { account_name, base_url: baseUrl } = JSON.parse(target.json);
      const wanted = {
        ...(name !== undefined && { name }),
        ...(base_url !== undefined && { baseUrl: new URL(base_url).href }),
        ...(actions && { declared: declaring(actions) }),
      };
      const changed = differing(wanted, { name: account_name, baseUrl, declared });
      if (changed === null) return shown(target);
      const row = await changeInstallation(tx, id, changed, `${privateConnector.name}: ${name}`);
      const fields = Object.keys(changed).sort();
      record(installationChanged({ kind: "integration_installation", id }, { fields }));
      return shown(row);
    });
  },
);

/** Requests nothing but an answer, which must be signed as that of an action is. */
export const testPrivateConnector = implementWithEffects(
  contract.testPrivateConnector,
  managedConnector,
  async (context, { target: { id, state } }) => {
    if (state === "revoked") return refuse("installation_revoked");
    const { outside } = context;
    const { base_url, sealed_secret } = (await context.read((tx) => heldInstallation(tx, id))) ?? refuse("not_found");
    const secret = (sealed_secret && outside.secrets.open(sealed_secret, signingRow(id))) ?? "";
    const signing = privateConnector.connection.signing?.(secret);
    const ask = askOf(outside, privateConnector, base_url)(null, id, signing);
    const marker = `svc-test-${newId()}`;
    const began = performance.now();
    const error_code = await ask("POST", "", {
      json: { type: "test", id: marker },
      headers: { "webhook-id": marker },
    }).then(
      () => null,
      (error) => {
        if (error instanceof ProviderFault) return error.code as contract.TestError;
        throw error;
      },
    );
    const duration_ms = Math.round(performance.now() - began);
    return context.finish(async ({ tx, defer }) => {
      if (error_code === null) defer(noteState(tx, id, "active", null));
      return { state: error_code === null ? ("answered" as const) : ("failed" as const), error_code, duration_ms };
    });
  },
);
