// Catalog of providers, and whether the operator has registered the service at each.
import * as contract from "@svc/contract/connect/integrations/catalog.ts";
import { account, implementWithEffects } from "../../platform/kernel/implement-operation.ts";
import { baseOf, isAvailable, isRegistered, type ProviderDefinition } from "./client/provider.ts";
import { providers } from "./providers/providers.ts";

type Field = "name" | "base_url" | "credential";
/** Fields that a person enters to connect the provider. */
function fieldsOf({ connection, selfHosted }: ProviderDefinition): Field[] {
  if (connection.opens) return ["name"];
  if (!connection.enter) return [];
  return selfHosted ? ["base_url", "credential"] : ["credential"];
}

export const getIntegrationCatalog = implementWithEffects(
  contract.getIntegrationCatalog,
  account(),
  async ({ outside }) => ({
    items: providers.map((provider) => {
      const { apps } = outside.integrations;
      const [available, registered] = [isAvailable(provider, apps), isRegistered(provider, apps)];
      return {
        provider_key: provider.key,
        name: provider.name,
        authorization: registered || !provider.connection.enter ? provider.authorization : ("credential" as const),
        scopes: [...provider.scopes],
        actions: Object.keys(provider.actions),
        event_kinds: [...provider.events],
        credential_fields: fieldsOf(provider),
        own_signing: provider.ownSecret !== undefined,
        base_url: baseOf(provider, apps, ""),
        self_hosted: provider.selfHosted,
        identities: registered && provider.identities,
        available,
        reason: available ? null : ("not_configured" as const),
      };
    }),
  }),
);
