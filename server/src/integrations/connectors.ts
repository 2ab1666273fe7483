// A customer's own service is connected: what it declares is checked, its address is looked at, and the secret that both sides sign with is shown once.
import * as contract from "@svc/contract/integrations/connectors.ts";
import { implementWithEffects } from "../kernel/implement.ts";
import { extended, render } from "../kernel/view.ts";
import { isPublicAddress } from "../outside/public-address.ts";
import { type Apps, originsOf } from "../settings/apps-config.ts";
import { newId } from "../wire/ids.ts";
import { type Fault, Refusal, refuseAt } from "../wire/problem.ts";
import { workspace } from "../workspaces/access.ts";
import { keepDeclared } from "./action-store.ts";
import { connect } from "./connecting.ts";
import { faultsOfSchema } from "./declared-schema.ts";
import { privateConnector } from "./providers/private-connector.ts";
import { installationCapabilities } from "./rules.ts";

/** As the URL parser spells an address; anything else is a name. */
const LITERAL = /^[\d.]+$|:/;
/** Whether it can be reached at all; what a name leads to is looked at with each call. */
function isReachable(address: string, apps: Apps): boolean {
  if (!URL.canParse(address)) return false;
  const url = new URL(address);
  if (originsOf(apps).includes(url.origin)) return true;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  return url.protocol === "https:" && (!LITERAL.test(host) || isPublicAddress(host));
}

function faultsOf(actions: readonly { key: string; input_schema: unknown }[]): Fault[] {
  const keys = actions.map(({ key }) => key);
  return actions.flatMap(({ key, input_schema }, at) => [
    ...(keys.indexOf(key) < at
      ? [{ pointer: `/body/actions/${at}/key`, code: "repeated", detail: "must be its own" }]
      : []),
    ...faultsOfSchema(input_schema, `/body/actions/${at}/input_schema`),
  ]);
}

export const createPrivateConnector = implementWithEffects(
  contract.createPrivateConnector,
  workspace("integrations:manage"),
  async (context, { body: { name, base_url, actions } }) => {
    const { outside, member } = context;
    const errors = faultsOf(actions);
    if (errors.length > 0) throw new Refusal("invalid_request", { errors });
    if (!isReachable(base_url, outside.integrations.apps))
      return refuseAt("/body/base_url", "provider_refused", "must be a public https address", "address_refused");
    const account = { externalId: newId(), name, managementUrl: null };
    const resources = [{ externalId: "endpoint", kind: "endpoint" as const, name, url: null }];
    const found = { provider: privateConnector, baseUrl: new URL(base_url).href, account, tokens: null, resources };
    const declared = { actions: actions.map((action) => ({ ...action, name: action.name ?? action.key })) };
    return context.finish(async (inside) => {
      const { id, row, secret } = await connect(inside, outside.secrets, member, found);
      inside.defer(keepDeclared(inside.tx, id, declared));
      return extended(render(row, installationCapabilities(member.role)), { signing_secret: secret });
    });
  },
);
