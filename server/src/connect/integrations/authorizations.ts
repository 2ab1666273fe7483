// Connects a Workspace with a credential that somebody enters. The credential is tested before it is stored.
import * as contract from "@svc/contract/connect/integrations/authorizations.ts";
import { workspace } from "../../accounts/workspaces/access.ts";
import { type EffectsContext, implementWithEffects } from "../../platform/kernel/implement-operation.ts";
import { extended, render } from "../../platform/kernel/view.ts";
import { newId } from "../../platform/wire/ids.ts";
import { refuse, refuseAt } from "../../platform/wire/problem.ts";
import { baseOf, isAvailable, type ProviderDefinition } from "./client/provider.ts";
import { asking, ProviderFault } from "./client/provider-http.ts";
import { type AuthorizedAccount, connect } from "./install/create-installation.ts";
import { webhookUrl } from "./install/hooks.ts";
import { providerOf } from "./providers/providers.ts";
import { installationCapabilities, originOf } from "./rules.ts";

export function availableProvider({ outside }: Pick<EffectsContext, "outside">, key: string): ProviderDefinition {
  const provider = providerOf.get(key);
  if (!provider) return refuseAt("/body/provider_key", "invalid_reference", "must be a provider of the catalogue");
  return isAvailable(provider, outside.integrations.apps) ? provider : refuse("integration_unavailable");
}

interface Given {
  name?: string;
  base_url?: string;
  credential?: string;
}
const notAllowed = (field: string) =>
  refuseAt(`/body/${field}`, "invalid_request", "is not for this provider", "not_allowed");
const required = (field: string) => refuseAt(`/body/${field}`, "invalid_request", "is needed here", "required");

/** Connects a provider that is never called. */
async function opened(provider: ProviderDefinition, given: Given): Promise<AuthorizedAccount> {
  for (const field of ["base_url", "credential"] as const) if (given[field] !== undefined) notAllowed(field);
  const account = { externalId: newId(), name: given.name ?? provider.name, managementUrl: null };
  const resources = await provider.connection.resources(() => refuse("internal"), account);
  return { provider, baseUrl: "", account, tokens: null, resources };
}

/** Reads the account of the credential from the provider, at the entered address if the provider is self-hosted. */
async function entered(
  { outside }: EffectsContext,
  provider: ProviderDefinition,
  given: Given,
): Promise<AuthorizedAccount> {
  const { egressFor, apps } = outside.integrations;
  const { connection } = provider;
  if (given.name !== undefined) notAllowed("name");
  if (given.base_url !== undefined && !provider.selfHosted) notAllowed("base_url");
  const usual = baseOf(provider, apps, "");
  const own = given.base_url === undefined ? null : originOf(given.base_url);
  if (given.base_url !== undefined && own === null)
    return refuseAt(
      "/body/base_url",
      "invalid_request",
      "must be an origin such as https://git.example.com",
      "wrong_format",
    );
  const base = own ?? usual ?? required("base_url");
  const tokens = { access: given.credential ?? required("credential") };
  const credential = connection.authorize(tokens);
  try {
    const ask = asking({ egress: egressFor(provider.key), api: connection.api(base), base, credential });
    const account = (await connection.enter?.(ask)) ?? refuse("authorization_unsupported");
    return { provider, baseUrl: base === usual ? "" : base, account, tokens, resources: null };
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    const at = error.code === "credential_refused" || error.code === "refused" ? "credential" : "base_url";
    return refuseAt(`/body/${at}`, "provider_refused", "the provider, or the way to it, refuses this", error.code);
  }
}

export const createIntegrationCredential = implementWithEffects(
  contract.createIntegrationCredential,
  workspace("integrations:manage"),
  async (context, { body }) => {
    const { outside, member } = context;
    const provider = availableProvider(context, body.provider_key);
    const { opens, enter } = provider.connection;
    if (!opens && !enter) return refuse("authorization_unsupported");
    if (body.signing && !provider.ownSecret) return notAllowed("signing");
    const found = opens ? await opened(provider, body) : await entered(context, provider, body);
    return context.finish(async (inside) => {
      const signing = body.signing && { signing: body.signing };
      const { id, row, secret } = await connect(inside, outside.secrets, member, { ...found, ...signing });
      return extended(render(row, installationCapabilities(member.role)), {
        webhook_url: secret || signing ? webhookUrl(outside.origin(), provider.key, id) : null,
        signing_secret: secret,
      });
    });
  },
);
